"""Results and votes as tables: JSON lines and CSV, in an order that depends on addresses and pseudonyms only."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from kb.exports.tables import csv_lines
from labeling.agreement import MISSING, VoteTable
from labeling.agreement.reasons import said
from labeling.models import Decision
from labeling.passages import places, places_cell
from labeling.releases.state import RoundState, State
from labeling.selectors.findings import Held

BETWEEN = "|"


def files(state: State) -> dict[str, bytes]:
    """Name -> content of all tables."""
    found = {
        "data/issues.jsonl": json_lines(_issue(url, held) for url, held in state.held.items()),
        "data/labels.csv": csv_bytes(LABEL_COLUMNS, _label_rows(state)),
        "votes/votes.csv": csv_bytes(
            VOTE_COLUMNS, (_flat(row) for one in state.rounds for row in _vote_rows(one, state))
        ),
        "votes/votes.jsonl": json_lines(_vote(row) for one in state.rounds for row in _vote_rows(one, state)),
        "data/rounds.json": json_bytes([_round(one) for one in state.rounds]),
    }
    for one in state.rounds:
        for axis, table in one.tables.items():
            assert isinstance(table, VoteTable)  # noqa: S101 what `state` puts there
            found[f"agreement/matrices/round-{one.round.number}-{axis}.csv"] = matrix(table)
    return found


VOTE_COLUMNS = (
    "round", "is_from_file", "issue", "annotator", "axis", "nodes", "report_does_not_tell", "confidence", "codebook",
    "evidence", "text_sha256",
)  # fmt: skip
LABEL_COLUMNS = (
    "issue", "axis", "nodes", "report_does_not_tell", "how", "votes", "support", "agreement", "posts", "revised",
    "cause", "reason", "round", "is_from_file", "codebook", "decided_on",
)  # fmt: skip


def _vote_rows(one: RoundState, state: State) -> Iterable[tuple[Any, ...]]:
    for answer in one.answers:
        yield (
            one.round.number, one.round.is_from_file, one.items[answer.item].url, state.people[answer.member],
            answer.axis, BETWEEN.join(sorted(answer.choice.codes)), answer.choice.is_undecidable,
            one.confidence[answer.item, answer.member], one.round.codebook.number,
            [
                place for place in one.evidence.get((answer.item, answer.member), ())
                if place.axis in (answer.axis, "")
            ],
            one.items[answer.item].text_hash,
        )  # fmt: skip


def _vote(row: tuple[Any, ...]) -> dict[str, Any]:
    values = dict(zip(VOTE_COLUMNS, row, strict=True))
    return values | {"evidence": places(values["evidence"])}


def _flat(row: tuple[Any, ...]) -> list[Any]:
    values = dict(zip(VOTE_COLUMNS, row, strict=True))
    return list((values | {"evidence": places_cell(values["evidence"])}).values())


def outcome(one: Held) -> dict[str, Any]:
    """What is held on one axis of an issue, and how it came about."""
    row = one.decision
    return {
        "axis": row.axis.code,
        "nodes": codes(row),
        "report_does_not_tell": row.is_undecidable,
        "how": row.how,
        "votes": row.votes,
        "support": row.support,
        "agreement": None if one.agreement is None else round(one.agreement, 6),
        "posts": one.posts,
        "revised": one.revised,
        "cause": row.cause,
        "reason": row.reason,
        "round": row.item.round.number,
        "is_from_file": row.item.round.is_from_file,
        "codebook": row.item.round.codebook.number,
        "decided_on": row.created_at.date().isoformat(),
    }


def codes(row: Decision) -> list[str]:
    """The codes that were decided, in order."""
    return sorted(version.node.code for version in row.versions.all())


def _issue(url: str, held: Sequence[Held]) -> dict[str, Any]:
    return {"issue": url, "answers": [outcome(one) for one in held]}


def _label_rows(state: State) -> Iterable[tuple[Any, ...]]:
    for url, held in state.held.items():
        for one in held:
            values = outcome(one) | {"issue": url}
            values["nodes"] = BETWEEN.join(values["nodes"])
            yield tuple(values[name] for name in LABEL_COLUMNS)


def _round(one: RoundState) -> dict[str, Any]:
    round_ = one.round
    gate = round_.gate_round
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
        "gate": {"round": gate.number, "measure": round_.gate_measure, "at_least": round_.gate_at_least}
        if gate
        else None,
        "sample": {key: value for key, value in round_.sample.items() if key not in ("items", "proposal")},
        "issues": [
            {"issue": place.url, "text_sha256": place.text_hash}
            for place in sorted(one.items.values(), key=lambda place: place.url)
        ],
    }


def matrix(table: VoteTable) -> bytes:
    """The table that agreement was computed from: issues by annotators, in the order of their names."""
    answers = [said(answer) for answer in table.answers]
    rows = (
        (unit, *("" if cell == MISSING else answers[cell] for cell in cells))
        for unit, cells in sorted(zip(map(str, table.units), table.cells.tolist(), strict=True))
    )
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
