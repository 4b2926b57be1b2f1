"""Compares two releases: issues, answers, agreement and codebook. Pure: it reads only the archives."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from labeling.releases.archive import unpack

Answers = dict[tuple[str, str], tuple[str, ...]]
Coefficients = dict[tuple[str, str, str], float | None]
NOT_TOLD = "the report does not say"
SHOWN = 100


@dataclass(frozen=True)
class AnswerChange:
    """An answer that changed; an empty text is no answer."""

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
    """A category that is new, gone, renamed or redefined."""

    axis: str
    code: str
    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """The differences; `changes` are the first changes of answers, `by_axis` counts all of them."""

    issues_added: tuple[str, ...]
    issues_removed: tuple[str, ...]
    by_axis: tuple[tuple[str, int], ...]
    changes: tuple[AnswerChange, ...]
    agreement: tuple[AgreementChange, ...]
    nodes: tuple[NodeChange, ...]


def compare(before: bytes, after: bytes) -> Comparison:
    """The differences of the later archive from the earlier one."""
    old, new = unpack(before), unpack(after)
    old_answers, new_answers = _answers(old), _answers(new)
    old_issues, new_issues = {issue for issue, _ in old_answers}, {issue for issue, _ in new_answers}
    changes = []
    for issue, axis in sorted(old_answers.keys() | new_answers.keys()):
        old_answer, new_answer = old_answers.get((issue, axis)), new_answers.get((issue, axis))
        if old_answer != new_answer and issue in old_issues and issue in new_issues:
            changes.append(AnswerChange(issue, axis, " + ".join(old_answer or ()), " + ".join(new_answer or ())))
    old_values, new_values = _coefficients(old), _coefficients(new)
    agreement = []
    # In the order of the later archive, and then those that only the earlier one has.
    for key in new_values | old_values:
        old_value, new_value = old_values.get(key), new_values.get(key)
        if old_value != new_value:
            agreement.append(AgreementChange(*key, old_value, new_value))
    return Comparison(
        issues_added=tuple(sorted(new_issues - old_issues)),
        issues_removed=tuple(sorted(old_issues - new_issues)),
        by_axis=tuple(sorted(Counter(change.axis for change in changes).items())),
        changes=tuple(changes[:SHOWN]),
        agreement=tuple(agreement),
        nodes=tuple(_node_changes(_nodes(old), _nodes(new))),
    )


def _answers(files: Mapping[str, bytes]) -> Answers:
    """(issue, axis code) -> node codes."""
    answers: Answers = {}
    for line in files["data/issues.jsonl"].splitlines():
        row = json.loads(line)
        for answer in row["answers"]:
            codes = (NOT_TOLD,) if answer["report_does_not_tell"] else tuple(answer["nodes"])
            # Releases that are older than numbers have none.
            if answer.get("number") is not None:
                codes = (str(answer["number"]),)
            answers[row["issue"], answer["axis"]] = codes
    return answers


def _coefficients(files: Mapping[str, bytes]) -> Coefficients:
    """(round, axis code, coefficient's name) -> value."""
    coefficients: Coefficients = {}
    for round_ in json.loads(files["agreement/agreement.json"]):
        for axis, rows in round_["axes"].items():
            for row in rows:
                coefficients[f"{round_['round']}, {round_['name']}", axis, row["name"]] = row["value"]
    return coefficients


class _Node(NamedTuple):
    version: int
    name: str
    definition: str


def _nodes(files: Mapping[str, bytes]) -> dict[tuple[str, str], _Node]:
    """(axis code, node code) -> node."""
    nodes = {}
    for axis in json.loads(files["codebook.json"])["axes"]:
        for node in axis["nodes"]:
            nodes[axis["code"], node["code"]] = _Node(node["version"], node["name"], node["definition"])
    return nodes


def _node_changes(
    before: Mapping[tuple[str, str], _Node], after: Mapping[tuple[str, str], _Node]
) -> Iterator[NodeChange]:
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if old is None and new is not None:
            yield NodeChange(*key, "new", "", new.name)
        elif new is None and old is not None:
            yield NodeChange(*key, "gone", old.name, "")
        elif old is not None and new is not None and old.version != new.version:
            if old.name != new.name:
                yield NodeChange(*key, "renamed", old.name, new.name)
            else:
                yield NodeChange(*key, "redefined", old.definition, new.definition)
