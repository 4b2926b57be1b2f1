"""The measured figures: their files' one shape, reading and writing them, and one figure by its name."""

import datetime as dt
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from kb.core.intervals import wilson
from kb.core.yaml_files import Strict, Text

FOLDER = Path(__file__).with_name("measured")
Subject = Literal["diagnosis", "known_issues", "search", "questions", "labels", "suggestions"]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
OURS = "faultbook"
# The cases of each subject that nothing was tuned on: a figure means these unless others are named.
MAIN: dict[Subject, str] = {
    "diagnosis": "held_out", "known_issues": "records", "search": "held_out", "questions": "unseen",
    "labels": "root_cause", "suggestions": "symptom",
}  # fmt: skip
# What is true of the logs themselves, whoever reads them: nothing can be tuned on it.
ALL_REAL = "real"
OF_LOGS = "logs"
DIGITS = 4
Share = Annotated[float, Field(ge=-1, le=1)]


class Figure(Strict):
    """One measured number: `name` of what `by` says about the `n` cases `among` which it was measured.

    `low` and `high` bound its 95 % interval; None where there is none.
    """

    among: Text
    by: Text = OURS
    name: Text
    value: Share
    n: int = Field(ge=1)
    low: Share | None = None
    high: Share | None = None

    @model_validator(mode="after")
    def _lies_within_its_interval(self) -> "Figure":
        if (self.low is None) is not (self.high is None):
            raise ValueError(f"{self.name}: an interval has two ends")
        if self.low is not None and self.high is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"{self.name}: {self.value} lies outside of its interval")
        return self

    @property
    def key(self) -> tuple[str, str, str]:
        """What no other figure of the file has."""
        return (self.among, self.by, self.name)


class Measured(Strict):
    """What was measured of one subject. `version` names what it was measured with, where that has a version."""

    of: Subject
    measured_on: dt.date
    version: str = ""
    figures: tuple[Figure, ...]

    @model_validator(mode="after")
    def _holds_each_once(self) -> "Measured":
        if len({figure.key for figure in self.figures}) < len(self.figures):
            raise ValueError("a figure stands here twice")
        return self

    def find(self, name: str, *, among: str, by: str = OURS) -> Figure | None:
        """The figure of this name; None where it was not measured."""
        return next((one for one in self.figures if one.key == (among, by, name)), None)


def share(name: str, hits: float, n: int, *, among: str, by: str = OURS) -> Figure:
    """The figure for `hits` of `n` cases, or a mean of n values from 0 to 1 that add up to `hits`.

    Wilson's 95 % interval; of values between 0 and 1 it is wider than need be. Raises `ValueError` without cases.
    """
    if n < 1:
        raise ValueError(f"{name}: there are no cases")
    value, bounds = round(hits / n, DIGITS), wilson(hits, n)
    low, high = min(round(bounds.low, DIGITS), value), max(round(bounds.high, DIGITS), value)
    return Figure(among=among, by=by, name=name, value=value, n=n, low=low, high=high)


def path_of(of: Subject) -> Path:
    """The subject's file."""
    return FOLDER / f"{of}.json"


@cache
def measured(of: Subject) -> Measured:
    """What was measured last. Raises `OSError` or `pydantic.ValidationError`."""
    return Measured.model_validate_json(path_of(of).read_bytes())


def figure(*, of: Subject, name: str, among: str = "", by: str = OURS) -> Figure:
    """One figure: of Faultbook, on the cases that nothing was tuned on, unless others are named.

    Raises `LookupError` for what was not measured.
    """
    for where, who in ((among or MAIN[of], by), (among or ALL_REAL, OF_LOGS)):
        if found := measured(of).find(name, among=where, by=who):
            return found
    raise LookupError(f"{name} of {of} was not measured")


def written(found: Measured) -> str:
    """The file's text: a line for each figure, so that a change shows what changed."""
    head = found.model_dump(mode="json", exclude={"figures"})
    rows = [json.dumps(one.model_dump(), ensure_ascii=False) for one in found.figures]
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    body = ",\n".join(f"    {row}" for row in rows)
    return "\n".join(["{", *lines, '  "figures": [', body, "  ]", "}", ""])


def keep(found: Measured) -> None:
    """Write the subject's file."""
    path_of(found.of).write_text(written(found), encoding="utf-8")
    measured.cache_clear()


def replaced(old: Iterable[Figure], new: Iterable[Figure]) -> tuple[Figure, ...]:
    """The old figures, in their order, with each new one in the place of its namesake or at the end."""
    by_key = {one.key: one for one in old}
    by_key.update((one.key, one) for one in new)
    return tuple(by_key.values())
