"""Two releases side by side: issues, answers, agreement and codebook. Pure: it reads the archives and nothing else."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labeling.releases.archive import unpack

Answers = dict[tuple[str, str], tuple[str, ...]]
NOT_TOLD = "the report does not tell"
SHOWN = 100


@dataclass(frozen=True)
class AnswerChange:
    """One answer that is not what it was; nothing stands for no answer."""

    issue: str
    axis: str
    before: str
    after: str


@dataclass(frozen=True)
class AgreementChange:
    """One coefficient of one round and axis, in both releases."""

    round: str
    axis: str
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class NodeChange:
    """A category that came, went, or is worded anew."""

    axis: str
    code: str
    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """The differences; `changes` are the first of them, `by_axis` counts all."""

    issues_added: tuple[str, ...]
    issues_removed: tuple[str, ...]
    by_axis: tuple[tuple[str, int], ...]
    changes: tuple[AnswerChange, ...]
    agreement: tuple[AgreementChange, ...]
    nodes: tuple[NodeChange, ...]


def compare(before: bytes, after: bytes) -> Comparison:
    """What is different in the later archive."""
    old, new = unpack(before), unpack(after)
    old_answers, new_answers = _answers(old), _answers(new)
    old_issues, new_issues = ({issue for issue, _ in some} for some in (old_answers, new_answers))
    changes = [
        AnswerChange(*key, " + ".join(old_answers.get(key, ())), " + ".join(new_answers.get(key, ())))
        for key in sorted(old_answers.keys() | new_answers.keys())
        if old_answers.get(key) != new_answers.get(key) and key[0] in old_issues & new_issues
    ]
    return Comparison(
        issues_added=tuple(sorted(new_issues - old_issues)),
        issues_removed=tuple(sorted(old_issues - new_issues)),
        by_axis=tuple(sorted(Counter(one.axis for one in changes).items())),
        changes=tuple(changes[:SHOWN]),
        agreement=tuple(_agreement(old, new)),
        nodes=tuple(_nodes(old, new)),
    )


def _answers(files: Mapping[str, bytes]) -> Answers:
    found: Answers = {}
    for line in files["data/issues.jsonl"].splitlines():
        row = json.loads(line)
        for one in row["answers"]:
            told = (NOT_TOLD,) if one["report_does_not_tell"] else tuple(one["nodes"])
            found[row["issue"], one["axis"]] = told
    return found


def _agreement(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterable[AgreementChange]:
    before, after = _coefficients(old), _coefficients(new)
    for key in [*after, *(key for key in before if key not in after)]:
        values = before.get(key), after.get(key)
        if values[0] != values[1]:
            yield AgreementChange(*key, *values)


def _coefficients(files: Mapping[str, bytes]) -> dict[tuple[str, str, str], float | None]:
    return {
        (f"{one['round']}, {one['name']}", axis, each["name"]): each["value"]
        for one in json.loads(files["agreement/agreement.json"])
        for axis, some in one["axes"].items()
        for each in some
    }


def _nodes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterable[NodeChange]:
    before, after = _codebook(old), _codebook(new)
    for key in sorted(before.keys() | after.keys()):
        one, other = before.get(key), after.get(key)
        if one is None and other is not None:
            yield NodeChange(*key, "new", "", other["name"])
        elif other is None and one is not None:
            yield NodeChange(*key, "gone", one["name"], "")
        elif one is not None and other is not None and one["version"] != other["version"]:
            what = "renamed" if one["name"] != other["name"] else "redefined"
            words = ("name", "name") if what == "renamed" else ("definition", "definition")
            yield NodeChange(*key, what, one[words[0]], other[words[1]])


def _codebook(files: Mapping[str, bytes]) -> dict[tuple[str, str], dict[str, Any]]:
    axes = json.loads(files["codebook.json"])["axes"]
    return {(axis["code"], node["code"]): node for axis in axes for node in axis["nodes"]}
