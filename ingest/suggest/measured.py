"""How often suggestions were right, as `make suggestions` measured it, and the sentence that says so to readers. Pure.

What was read and judged is in `tests/ingest/suggest`; only counts come here.
"""

import datetime as dt
from functools import cache

from pydantic import Field

from ingest.suggest.rules import HERE, SuggestedAxis, read_rules
from kb.charts.figures import percent, percent_range
from kb.core.intervals import wilson
from kb.core.quality import figures as quality
from kb.core.yaml_files import Strict, Text

FILE = HERE / "measured.json"
NAMES: dict[SuggestedAxis, str] = {
    "issue_type": "issue types", "symptom": "symptoms", "stage": "stages", "component": "components",
}  # fmt: skip


class Precision(Strict):
    """How many suggestions were read on issues that no rule was made from, and how many of them were right."""

    right: int = Field(ge=0)
    read: int = Field(ge=1)

    def sentence(self) -> str:
        """`87 % of 60 read (95 % interval 77–93 %)`."""
        interval = percent_range(wilson(self.right, self.read))
        return f"{percent(self.right / self.read)} of {self.read} read (95 % interval {interval})"


class Measured(Strict):
    """`measured.json`. `rules` is the version of the rules that were measured; shares are of all issues."""

    rules: Text
    judged_on: dt.date
    issues: int = Field(ge=1)
    precision: dict[SuggestedAxis, Precision]
    coverage: dict[SuggestedAxis, float]


@cache
def measured() -> Measured:
    """What was measured last. Raises `OSError` or `pydantic.ValidationError`."""
    return Measured.model_validate_json(FILE.read_bytes())


def as_figures(numbers: Measured) -> quality.Measured:
    """The same as figures of the site's page on how good Faultbook is."""
    figures = []
    for axis, precision in numbers.precision.items():
        figures.append(quality.share("right", precision.right, precision.read, among=axis))
        figures.append(
            quality.share("suggested", round(numbers.coverage[axis] * numbers.issues), numbers.issues, among=axis)
        )
    return quality.Measured(
        of="suggestions", measured_on=numbers.judged_on, version=f"rules {numbers.rules}", figures=tuple(figures)
    )


@cache
def trust_note() -> str:
    """What readers are told of the source `rule`: nobody checked a suggestion, and how often they were right."""
    numbers = measured()
    shares = "; ".join(f"{NAMES[axis]} {share.sentence()}" for axis, share in numbers.precision.items())
    note = (
        "Suggested by rules from the report's own words; nobody checks each of them. On issues that no rule was made "
        f"from, right were: {shares}. Read by Faultbook's makers in {numbers.judged_on:%B %Y}."
    )
    if numbers.rules == read_rules().version:
        return note
    return f"{note} The rules have changed since."
