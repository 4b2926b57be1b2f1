"""Two independent passes of labels over the curated records: the format of their files, and which axes are unsettled.

There is one file for each record that was labelled twice. The labels that count are those of the record. The agreement
of the passes is measured in `labeling.agreement.records`.
"""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import yaml
from pydantic import Field, StringConstraints

from kb.codebook.format import AXIS_CODES, AxisCode
from kb.core.yaml_files import Strict, Text, read_yaml
from kb.starter.format import NodeCode, Record, RecordLabels, RecordRead, record_path

PASSES = Path(__file__).parent / "passes"
PILOT = Path(__file__).parent / "pilot.yaml"
Answers = dict[AxisCode, tuple[NodeCode, ...]]


class SecondPass(Strict):
    """The labels of a second reader who did not see the record."""

    url: Text
    labels: RecordLabels
    read: RecordRead


class Second(Strict):
    """The second pass as it is stored: codes without their reasons."""

    date: dt.date
    extent: Text
    labels: Answers


class Settled(Strict):
    """The codes that were kept on an axis where the passes differed, and why.

    `proposed`: what two people would have kept, each without seeing the other's proposal; a third decided where they
    differed. `read_on`: the day on which more of the thread was read than in either pass. `recoded`: the codes that
    were kept before a later version of the codebook gave a better one.
    """

    axis: AxisCode
    kept: tuple[NodeCode, ...]
    why: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=300)]
    proposed: tuple[tuple[NodeCode, ...], tuple[NodeCode, ...]] | None = None
    read_on: dt.date | None = None
    recoded: tuple[NodeCode, ...] | None = None


class Passes(Strict):
    """Both passes over one record. `is_pilot`: they were made before the codebook's rules were corrected."""

    url: Text
    is_pilot: bool = False
    first: Answers
    second: Second
    settled: tuple[Settled, ...] = Field(default=(), max_length=len(AXIS_CODES))


class Pilot(Strict):
    """Readings that try a version's rules: both readers saw the same material and nothing else."""

    version: Text
    passes: tuple[Passes, ...] = Field(min_length=1)


def read_pilot(path: Path = PILOT) -> Pilot:
    """The newest pilot. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return Pilot.model_validate(read_yaml(path))


def read_passes(root: Path = PASSES) -> dict[Path, Passes]:
    """All passes below `root` by path. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return {path: Passes.model_validate(read_yaml(path)) for path in sorted(root.rglob("*.yaml"))}


def answers_of(labels: RecordLabels) -> Answers:
    """The sorted codes on every axis."""
    return {axis: tuple(sorted(label.node for label in getattr(labels, axis))) for axis in AXIS_CODES}


def first_and_second(record: Record, second: SecondPass, *, is_pilot: bool) -> Passes:
    """Both passes over a record, with nothing settled yet."""
    stored = Second(date=second.read.date, extent=second.read.extent, labels=answers_of(second.labels))
    return Passes(url=record.url, is_pilot=is_pilot, first=answers_of(record.labels), second=stored)


def write(passes: Passes, root: Path = PASSES) -> Path:
    """Write the passes' file and return its path."""
    path = record_path(root, passes.url)
    path.parent.mkdir(parents=True, exist_ok=True)
    values = passes.model_dump(mode="json", exclude_defaults=True)
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
    return path


class Compared(NamedTuple):
    """The codes of both passes on an axis, and why the kept ones were kept; empty where nothing had to be settled."""

    first: tuple[NodeCode, ...]
    second: tuple[NodeCode, ...]
    why: str


def compared(passes: Passes) -> dict[AxisCode, Compared]:
    """Every axis that one of the passes answered, or that was settled."""
    reasons = {settled.axis: settled.why for settled in passes.settled}
    compared = {}
    for axis in AXIS_CODES:
        first, second = _answers_on(passes, axis)
        if first or second or axis in reasons:
            compared[axis] = Compared(first, second, reasons.get(axis, ""))
    return compared


def apart(passes: Passes) -> Iterator[AxisCode]:
    """The axes on which the passes differ."""
    for axis in AXIS_CODES:
        first, second = _answers_on(passes, axis)
        if set(first) != set(second):
            yield axis


def unsettled(record: Record, passes: Passes) -> Iterator[str]:
    """A sentence for each axis where the record's codes are neither those of both passes nor the settled ones."""
    answers = answers_of(record.labels)
    settled = {axis_settled.axis: axis_settled for axis_settled in passes.settled}
    differing = set(apart(passes))
    for axis in AXIS_CODES:
        first, second = _answers_on(passes, axis)
        expected = settled[axis].kept if axis in settled else first
        if axis in differing and axis not in settled:
            both = f"first {', '.join(first) or 'nothing'}; second {', '.join(second) or 'nothing'}"
            yield f"{axis}: the passes differ ({both}), and nothing is settled"
        elif axis not in differing and axis in settled and not _is_given_anew(settled[axis]):
            yield (
                f"{axis}: both passes agree, so there is nothing to settle unless more was read (`read_on`) or the "
                "codebook has a better code since (`recoded`)"
            )
        elif set(answers[axis]) != set(expected):
            codes = ", ".join(answers[axis]) or "nothing"
            yield f"{axis}: the record says {codes}, which is not the passes' result"


def _is_given_anew(settled: Settled) -> bool:
    return settled.read_on is not None or settled.recoded is not None


def _answers_on(passes: Passes, axis: AxisCode) -> tuple[tuple[NodeCode, ...], tuple[NodeCode, ...]]:
    return passes.first.get(axis, ()), passes.second.labels.get(axis, ())
