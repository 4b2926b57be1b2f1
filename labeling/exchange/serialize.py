"""Documents with their answers as text, piece by piece, so that a file of any length needs little memory. Pure.

Passages leave as places with the hash of the frozen text, never as words, but where the tool's format carries the text
itself (docs/decisions/0017).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from kb.exports.tables import csv_lines
from labeling.exchange.rows import EVIDENCE_OF, FROM_FILE, NOT_TOLD, TITLE_END, Answered, Document, cell
from labeling.passages import WHOLE_VOTE, Marked, places, places_cell

LONG = (
    "round", "issue", "annotator", "axis", "nodes", "confidence", "codebook", "received_on", "note", "evidence",
    "text_hash", FROM_FILE,
)  # fmt: skip


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def long_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """A line for each answer; several nodes are parted by `|`, `?` says that the report does not tell."""
    yield from csv_lines([LONG])
    yield from csv_lines(_long(one).values() for document in documents for one in document.answers)


def wide_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """A line for each issue and question, two columns for each annotator: answers first, then all passages.

    An empty cell is no vote, or no passage.
    """
    beside = (f"{EVIDENCE_OF}{name}" for name in people)
    yield from csv_lines([("round", "issue", "axis", "codebook", "text_hash", FROM_FILE, *people, *beside)])
    yield from csv_lines(_wide_rows(documents, people))


def _wide_rows(documents: Iterable[Document], people: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for document in documents:
        for axis in dict.fromkeys(one.axis for one in document.answers):
            said = {one.annotator: one for one in document.answers if one.axis == axis}
            cells = [cell(said[name]) if name in said else "" for name in people]
            cells += [places_cell(said[name].evidence) if name in said else "" for name in people]
            yield (
                document.round, document.issue, axis, document.codebook, document.text_hash, document.is_from_file,
                *cells,
            )  # fmt: skip


def long_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each answer; nodes and passages are lists."""
    for document in documents:
        for one in document.answers:
            yield _json_line(_long(one) | {"nodes": _nodes(one), "evidence": places(one.evidence)})


def wide_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each issue: annotator -> question -> nodes, and annotator -> passages."""
    for document in documents:
        votes: dict[str, dict[str, list[str]]] = {}
        for one in document.answers:
            votes.setdefault(one.annotator, {})[one.axis] = _nodes(one)
        yield _json_line(
            {
                "round": document.round,
                "issue": document.issue,
                "codebook": document.codebook,
                "text_hash": document.text_hash,
                FROM_FILE: document.is_from_file,
                "votes": votes,
                "evidence": {name: places(passages) for name in votes if (passages := _of_vote(document, name))},
            }
        )


def doccano(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """doccano's JSON lines for text classification, one object for each issue and annotator.

    A label is `question: node`. `entities` are the passages, written as doccano does for slot filling. Other keys are
    kept by doccano as the example's meta data.
    """
    numbers = count(1)
    for document in documents:
        for annotator in dict.fromkeys(one.annotator for one in document.answers):
            mine = [one for one in document.answers if one.annotator == annotator]
            yield _json_line(
                {
                    "id": next(numbers),
                    "text": f"{document.title}{TITLE_END}{document.text}",
                    "label": [f"{one.axis}: {code}" for one in mine for code in _nodes(one)],
                    "entities": [_entity(document, one) for one in _of_vote(document, annotator)],
                    "annotator": annotator,
                    "issue": document.issue,
                    "round": document.round,
                    "codebook": document.codebook,
                    "text_hash": document.text_hash,
                    FROM_FILE: document.is_from_file,
                    "confidence": mine[0].confidence,
                    "received_on": mine[0].received_on,
                }
            )


def label_studio(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """Label Studio's JSON: one list of tasks; each vote is an annotation, each question a choice, each passage a span.

    A span's label is its question, or `*` for the vote as a whole.
    """
    numbers = {name: number for number, name in enumerate(people, start=1)}
    yield "["
    for place, document in enumerate(documents):
        task = {
            "id": place + 1,
            "data": {
                "text": document.text, "title": document.title, "issue": document.issue, "round": document.round,
                "codebook": document.codebook, "text_hash": document.text_hash, FROM_FILE: document.is_from_file,
            },
            "annotations": list(_annotations(document, numbers)),
        }  # fmt: skip
        yield (",\n" if place else "\n") + json.dumps(task, ensure_ascii=False)
    yield "\n]\n"


def _annotations(document: Document, numbers: dict[str, int]) -> Iterator[dict[str, Any]]:
    for annotator in dict.fromkeys(one.annotator for one in document.answers):
        mine = [one for one in document.answers if one.annotator == annotator]
        yield {
            "completed_by": {"id": numbers.get(annotator, 0), "email": "", "first_name": annotator, "last_name": ""},
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": f"{mine[0].received_on}T00:00:00Z",
            "result": [
                {
                    "id": f"{one.axis}-{numbers.get(annotator, 0)}",
                    "from_name": one.axis,
                    "to_name": "text",
                    "type": "choices",
                    "value": {"choices": _nodes(one)},
                }
                for one in mine
            ]
            + [_span(document, one, place) for place, one in enumerate(_of_vote(document, annotator), start=1)],
        }


def _span(document: Document, one: Marked, place: int) -> dict[str, Any]:
    text = document.title if one.part == "title" else document.text
    return {
        "id": f"passage-{place}",
        "from_name": "evidence-title" if one.part == "title" else "evidence",
        "to_name": "title" if one.part == "title" else "text",
        "type": "labels",
        "value": {
            "start": one.start,
            "end": one.end,
            "text": text[one.start : one.end],
            "labels": [one.axis or WHOLE_VOTE],
        },
    }


def _entity(document: Document, one: Marked) -> tuple[int, int, str]:
    before = 0 if one.part == "title" else len(document.title) + len(TITLE_END)
    return before + one.start, before + one.end, one.axis or WHOLE_VOTE


def _of_vote(document: Document, annotator: str) -> list[Marked]:
    """All passages of a vote; each of its answers brings those of the whole vote along."""
    mine = [one for one in document.answers if one.annotator == annotator]
    whole = [one for one in mine[0].evidence if not one.axis]
    return [*(one for answer in mine for one in answer.evidence if one.axis), *whole]


def _long(one: Answered) -> dict[str, Any]:
    values = (
        one.round, one.issue, one.annotator, one.axis, cell(one), one.confidence, one.codebook, one.received_on,
        one.note, places_cell(one.evidence), one.text_hash, one.is_from_file,
    )  # fmt: skip
    return dict(zip(LONG, values, strict=True))


def _nodes(one: Answered) -> list[str]:
    return [NOT_TOLD] if one.is_undecidable else list(one.codes)


Writer = Callable[[Iterable[Document], Sequence[str]], Iterator[str]]
WRITERS: dict[str, tuple[Writer, str, str]] = {
    "long_csv": (long_csv, "text/csv", "csv"),
    "wide_csv": (wide_csv, "text/csv", "csv"),
    "long_jsonl": (long_jsonl, "application/x-ndjson", "jsonl"),
    "wide_jsonl": (wide_jsonl, "application/x-ndjson", "jsonl"),
    "doccano": (doccano, "application/x-ndjson", "jsonl"),
    "label_studio": (label_studio, "application/json", "json"),
}
