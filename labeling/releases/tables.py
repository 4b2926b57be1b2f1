"""A release's tables, as JSON lines and CSV, in an order that depends only on addresses and pseudonyms."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kb.exports.tables import csv_lines
from labeling.agreement import MISSING, VoteTable
from labeling.agreement.reasons import said
from labeling.models import AxisKind, Decision, ProjectAxis
from labeling.passages import Marked, places, places_cell
from labeling.releases.state import RoundState, State
from labeling.selectors.findings import Held

BETWEEN = "|"
# An object in a file of a release; its keys are explained in `dictionary`.
JsonObject = dict[str, Any]


def files(state: State) -> dict[str, bytes]:
    """File name -> content."""
    issues, labels = [], []
    for url, held in state.held.items():
        answers = [outcome(each) for each in held]
        issues.append({"issue": url, "answers": answers})
        for answer in answers:
            values = answer | {"issue": url, "nodes": BETWEEN.join(answer["nodes"])}
            labels.append([values[name] for name in LABEL_COLUMNS])
    votes = [dict(zip(VOTE_COLUMNS, row, strict=True)) for row in _vote_rows(state, places)]
    contents = {
        "data/issues.jsonl": json_lines(issues),
        "data/labels.csv": csv_bytes(LABEL_COLUMNS, labels),
        "votes/votes.csv": csv_bytes(VOTE_COLUMNS, _vote_rows(state, places_cell)),
        "votes/votes.jsonl": json_lines(votes),
        "data/rounds.json": json_bytes([_round(each) for each in state.rounds]),
    }
    for each in state.rounds:
        for axis, table in each.tables.items():
            contents[f"agreement/matrices/round-{each.round.number}-{axis}.csv"] = matrix(table)
    return contents


VOTE_COLUMNS = (
    "round", "is_from_file", "issue", "annotator", "axis", "nodes", "number", "text", "report_does_not_tell",
    "confidence", "seconds", "is_assisted", "codebook", "evidence", "text_sha256",
)  # fmt: skip
LABEL_COLUMNS = (
    "issue", "axis", "nodes", "number", "report_does_not_tell", "how", "votes", "support", "agreement", "posts",
    "revised", "cause", "reason", "round", "is_from_file", "codebook", "decided_on",
)  # fmt: skip


def _vote_rows(state: State, evidence_as: Callable[[Iterable[Marked]], object]) -> Iterable[tuple[Any, ...]]:
    """A row for each answer; `evidence_as` writes its passages, with those of the whole vote."""
    kinds = dict(ProjectAxis.objects.filter(project=state.project).values_list("code", "kind"))
    for each in state.rounds:
        for answer in each.answers:
            key = (answer.item, answer.member)
            is_number, words = kinds[answer.axis] == AxisKind.NUMBER, answer.choice.text
            number = float(words) if words and is_number else None
            passages = [place for place in each.evidence.get(key, ()) if place.axis in (answer.axis, "")]
            yield (
                each.round.number, each.round.is_from_file, each.items[answer.item].url, state.people[answer.member],
                answer.axis, BETWEEN.join(sorted(answer.choice.codes)), number, "" if is_number else words,
                answer.choice.is_undecidable,
                each.confidence[key], each.seconds[key], key in each.assisted,
                each.round.codebook.number, evidence_as(passages),
                each.items[answer.item].text_hash,
            )  # fmt: skip


def outcome(held: Held) -> JsonObject:
    """A decision in force on one axis of an issue, and how it came about."""
    decision = held.decision
    return {
        "axis": decision.axis.code,
        "nodes": codes(decision),
        "number": None if decision.number is None else float(decision.number),
        "report_does_not_tell": decision.is_undecidable,
        "how": decision.how,
        "votes": decision.votes,
        "support": decision.support,
        "agreement": None if held.agreement is None else round(held.agreement, 6),
        "posts": held.posts,
        "revised": held.revised,
        "cause": decision.cause,
        "reason": decision.reason,
        "round": decision.item.round.number,
        "is_from_file": decision.item.round.is_from_file,
        "codebook": decision.item.round.codebook.number,
        "decided_on": decision.created_at.date().isoformat(),
    }


def codes(decision: Decision) -> list[str]:
    """The codes that were decided, in order."""
    return sorted(version.node.code for version in decision.versions.all())


def _round(state: RoundState) -> JsonObject:
    round_ = state.round
    gate = None
    if round_.gate_round is not None:
        gate = {
            "round": round_.gate_round.number, "measure": round_.gate_measure, "at_least": round_.gate_at_least,
        }  # fmt: skip
    return {
        "number": round_.number,
        "kind": round_.kind,
        "name": round_.name,
        "rule": round_.rule,
        "codebook": round_.codebook.number,
        "guidelines": round_.guideline.number if round_.guideline else None,
        "votes_wanted": round_.votes_wanted,
        "shows_comments": round_.shows_comments,
        "seniors_wanted": round_.seniors_wanted,
        "gate": gate,
        "sample": {key: value for key, value in round_.sample.items() if key not in ("items", "proposal")},
        "issues": [
            {"issue": place.url, "text_sha256": place.text_hash}
            for place in sorted(state.items.values(), key=lambda place: place.url)
        ],
    }


def matrix(table: VoteTable) -> bytes:
    """The table that agreement was computed from: issues by annotators, in the order of their names."""
    texts = {number: said(answer) for number, answer in enumerate(table.answers)} | {MISSING: ""}
    rows = []
    for unit, cells in sorted(zip(map(str, table.units), table.cells.tolist(), strict=True)):
        rows.append((unit, *(texts[cell] for cell in cells)))
    return csv_bytes(("issue", *table.annotators), rows)


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A CSV file with a heading, in UTF-8."""
    return "".join(csv_lines([columns, *rows])).encode()


def json_lines(rows: Iterable[Any]) -> bytes:
    """One JSON object on each line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def json_bytes(value: Any) -> bytes:
    """JSON to be read by people too."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
