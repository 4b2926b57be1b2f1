"""Two independent passes of labels over the curated records: the form of their files, and whether each is settled.

One file of each record that was labelled twice. Pure but for reading files. How far the passes agree is measured
elsewhere; labels that count are those of the record.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import yaml
from pydantic import Field, StringConstraints

from kb.codebook.format import AXIS_CODES, AxisCode
from kb.core.yaml_files import Strict, Text, read_yaml
from kb.starter.format import NodeCode, Record, RecordLabels, RecordRead, record_path

PASSES = Path(__file__).parent / "passes"
Answers = dict[AxisCode, tuple[NodeCode, ...]]


class SecondPass(Strict):
    """What somebody answered who read the thread anew and did not see the record."""

    url: Text
    labels: RecordLabels
    read: RecordRead


class Second(Strict):
    """The second pass as it is kept: codes without their reasons."""

    date: dt.date
    extent: Text
    labels: Answers


class Settled(Strict):
    """What was kept on an axis, and why.

    `proposed`: where two settled it apart from each other, what each would have kept; a third decided where they
    differed. `read_on`: the day when more was read than either pass had seen.
    """

    axis: AxisCode
    kept: tuple[NodeCode, ...]
    why: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=300)]
    proposed: tuple[tuple[NodeCode, ...], tuple[NodeCode, ...]] | None = None
    read_on: dt.date | None = None


class Passes(Strict):
    """Both passes over one record. `is_pilot`: before the codebook's rules were corrected."""

    url: Text
    is_pilot: bool = False
    first: Answers
    second: Second
    settled: tuple[Settled, ...] = Field(default=(), max_length=len(AXIS_CODES))


def read_passes(root: Path = PASSES) -> dict[Path, Passes]:
    """All passes below `root`. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return {path: Passes.model_validate(read_yaml(path)) for path in sorted(root.rglob("*.yaml"))}


def answers_of(labels: RecordLabels) -> Answers:
    """The codes on every axis, in order."""
    return {axis: tuple(sorted(label.node for label in getattr(labels, axis))) for axis in AXIS_CODES}


def taken(record: Record, second: SecondPass, *, is_pilot: bool) -> Passes:
    """Both passes over a record, with nothing settled yet."""
    kept = Second(date=second.read.date, extent=second.read.extent, labels=answers_of(second.labels))
    return Passes(url=record.url, is_pilot=is_pilot, first=answers_of(record.labels), second=kept)


def write(passes: Passes, root: Path = PASSES) -> Path:
    """Write the file and say where it is."""
    path = record_path(root, passes.url)
    path.parent.mkdir(parents=True, exist_ok=True)
    values = passes.model_dump(mode="json", exclude_defaults=True)
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
    return path


class Both(NamedTuple):
    """What both passes said on an axis, and why what is kept was kept; no reason where that is what they agree on."""

    first: tuple[NodeCode, ...]
    second: tuple[NodeCode, ...]
    why: str


def both(passes: Passes) -> dict[AxisCode, Both]:
    """Every axis that one of the passes answered, or that was answered later."""
    why = {one.axis: one.why for one in passes.settled}
    said = {axis: (_on(passes.first, axis), _on(passes.second.labels, axis)) for axis in AXIS_CODES}
    return {axis: Both(*answers, why.get(axis, "")) for axis, answers in said.items() if any(answers) or axis in why}


def apart(passes: Passes) -> Iterator[AxisCode]:
    """The axes on which the passes differ."""
    yield from (axis for axis in AXIS_CODES if set(_on(passes.first, axis)) != set(_on(passes.second.labels, axis)))


def unsettled(record: Record, passes: Passes) -> Iterator[str]:
    """Sentences on axes where the record does not say what both passes say, or what was settled on."""
    now, settled = answers_of(record.labels), {one.axis: one for one in passes.settled}
    differing = set(apart(passes))
    for axis in AXIS_CODES:
        has = set(now[axis])
        if axis in differing and axis not in settled:
            yield f"{axis}: the passes differ ({_said(passes, axis)}), and nothing is settled"
        elif axis not in differing and axis in settled and settled[axis].read_on is None:
            yield f"{axis}: both passes say the same, so there is nothing to settle unless more was read (`read_on`)"
        elif has != set(settled[axis].kept if axis in settled else _on(passes.first, axis)):
            yield f"{axis}: the record says {', '.join(now[axis]) or 'nothing'}, which is not what the passes came to"


def _on(answers: Mapping[AxisCode, tuple[str, ...]], axis: AxisCode) -> tuple[str, ...]:
    return answers.get(axis, ())


def _said(passes: Passes, axis: AxisCode) -> str:
    first, second = (", ".join(_on(one, axis)) or "nothing" for one in (passes.first, passes.second.labels))
    return f"first {first}; second {second}"
