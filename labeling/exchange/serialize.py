"""Writes documents with their answers as text, in pieces, so that a file of any length needs little memory. Pure.

Passages are exported by their offsets with the hash of the frozen text, never as words, except where the tool's format
carries the text itself (docs/decisions/0017).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from kb.exports.tables import csv_lines
from labeling.ballots import NOT_TOLD
from labeling.exchange.rows import EVIDENCE_OF, FROM_FILE, TITLE_END, AnswerRow, Document, cell
from labeling.exchange.values import JsonObject
from labeling.passages import WHOLE_VOTE, Marked, places, places_cell

LONG = (
    "round", "issue", "annotator", "axis", "nodes", "confidence", "codebook", "received_on", "note", "evidence",
    "text_hash", FROM_FILE,
)  # fmt: skip


def _json_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def long_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """A line for each answer; several nodes are separated by `|`, `?` means that the report does not say."""
    yield from csv_lines([LONG])
    for document in documents:
        yield from csv_lines(map(_long_row, document.answers))


def wide_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """A line for each issue and question, two columns for each annotator: answers first, then all passages.

    An empty cell means no vote, or no passage.
    """
    evidence_columns = (f"{EVIDENCE_OF}{name}" for name in people)
    yield from csv_lines([("round", "issue", "axis", "codebook", "text_hash", FROM_FILE, *people, *evidence_columns)])
    for document in documents:
        for axis in dict.fromkeys(answer.axis for answer in document.answers):
            answers = {answer.annotator: answer for answer in document.answers if answer.axis == axis}
            cells = {name: cell(answer) for name, answer in answers.items()}
            evidence = {name: places_cell(answer.evidence) for name, answer in answers.items()}
            row = (
                document.round, document.issue, axis, document.codebook, document.text_hash, document.is_from_file,
                *(cells.get(name, "") for name in people), *(evidence.get(name, "") for name in people),
            )  # fmt: skip
            yield from csv_lines([row])


def long_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each answer; nodes and passages are lists."""
    for document in documents:
        for answer in document.answers:
            values = dict(zip(LONG, _long_row(answer), strict=True))
            yield _json_line(values | {"nodes": _nodes(answer), "evidence": places(answer.evidence)})


def wide_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each issue: annotator -> question -> nodes, and annotator -> passages."""
    for document in documents:
        votes: dict[str, dict[str, list[str]]] = {}
        for answer in document.answers:
            votes.setdefault(answer.annotator, {})[answer.axis] = _nodes(answer)
        evidence = {name: places(_passages(document, name)) for name in votes}
        yield _json_line(
            {
                "round": document.round,
                "issue": document.issue,
                "codebook": document.codebook,
                "text_hash": document.text_hash,
                FROM_FILE: document.is_from_file,
                "votes": votes,
                "evidence": {name: passages for name, passages in evidence.items() if passages},
            }
        )


def doccano(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """doccano's JSON lines for text classification, one object for each issue and annotator.

    A label is `question: node`. `entities` are the passages, written as doccano does for slot filling. doccano keeps
    the other keys as the example's metadata.
    """
    numbers = count(1)
    for document in documents:
        for annotator, answers in _by_annotator(document).items():
            labels = []
            for answer in answers:
                labels += [f"{answer.axis}: {code}" for code in _nodes(answer)]
            entities = []
            for passage in _passages(document, annotator):
                offset = 0 if passage.part == "title" else len(document.title) + len(TITLE_END)
                entities.append((offset + passage.start, offset + passage.end, passage.axis or WHOLE_VOTE))
            yield _json_line(
                {
                    "id": next(numbers),
                    "text": f"{document.title}{TITLE_END}{document.text}",
                    "label": labels,
                    "entities": entities,
                    "annotator": annotator,
                    "issue": document.issue,
                    "round": document.round,
                    "codebook": document.codebook,
                    "text_hash": document.text_hash,
                    FROM_FILE: document.is_from_file,
                    "confidence": answers[0].confidence,
                    "received_on": answers[0].received_on,
                }
            )


def label_studio(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """Label Studio's JSON: one list of tasks; each vote is an annotation, each question a choice, a number or
    a text area, each passage a span.

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


def _annotations(document: Document, numbers: dict[str, int]) -> Iterator[JsonObject]:
    for annotator, answers in _by_annotator(document).items():
        number = numbers.get(annotator, 0)
        choices: list[JsonObject] = []
        for answer in answers:
            type_, value = _result(answer)
            choices.append(
                {
                    "id": f"{answer.axis}-{number}",
                    "from_name": answer.axis,
                    "to_name": "text",
                    "type": type_,
                    "value": value,
                }
            )
        spans = [_span(document, passage, n) for n, passage in enumerate(_passages(document, annotator), start=1)]
        yield {
            "completed_by": {"id": number, "email": "", "first_name": annotator, "last_name": ""},
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": f"{answers[0].received_on}T00:00:00Z",
            "result": choices + spans,
        }


def _result(answer: AnswerRow) -> tuple[str, JsonObject]:
    """The type and the value of a result; that the report does not say is a choice on every question."""
    if not answer.text:
        return "choices", {"choices": _nodes(answer)}
    if answer.is_number:
        return "number", {"number": float(answer.text)}
    return "textarea", {"text": [answer.text]}


def _span(document: Document, passage: Marked, number: int) -> JsonObject:
    is_title = passage.part == "title"
    text = document.title if is_title else document.text
    return {
        "id": f"passage-{number}",
        "from_name": "evidence-title" if is_title else "evidence",
        "to_name": "title" if is_title else "text",
        "type": "labels",
        "value": {
            "start": passage.start,
            "end": passage.end,
            "text": text[passage.start : passage.end],
            "labels": [passage.axis or WHOLE_VOTE],
        },
    }


def _by_annotator(document: Document) -> dict[str, list[AnswerRow]]:
    answers: dict[str, list[AnswerRow]] = {}
    for answer in document.answers:
        answers.setdefault(answer.annotator, []).append(answer)
    return answers


def _passages(document: Document, annotator: str) -> list[Marked]:
    """The passages of a vote, those of the whole vote last; each answer carries the latter, too."""
    answers = _by_annotator(document)[annotator]
    passages = []
    for answer in answers:
        passages += [passage for passage in answer.evidence if passage.axis]
    return passages + [passage for passage in answers[0].evidence if not passage.axis]


def _long_row(answer: AnswerRow) -> tuple[Any, ...]:
    return (
        answer.round, answer.issue, answer.annotator, answer.axis, cell(answer), answer.confidence, answer.codebook,
        answer.received_on, answer.note, places_cell(answer.evidence), answer.text_hash, answer.is_from_file,
    )  # fmt: skip


def _nodes(answer: AnswerRow) -> list[str]:
    if answer.is_undecidable:
        return [NOT_TOLD]
    return [answer.text] if answer.text else list(answer.codes)


class Writer(NamedTuple):
    """A format: documents and the pseudonyms of their annotators to pieces of text; media type; file extension."""

    write: Callable[[Iterable[Document], Sequence[str]], Iterator[str]]
    media_type: str
    extension: str


WRITERS = {
    "long_csv": Writer(long_csv, "text/csv", "csv"),
    "wide_csv": Writer(wide_csv, "text/csv", "csv"),
    "long_jsonl": Writer(long_jsonl, "application/x-ndjson", "jsonl"),
    "wide_jsonl": Writer(wide_jsonl, "application/x-ndjson", "jsonl"),
    "doccano": Writer(doccano, "application/x-ndjson", "jsonl"),
    "label_studio": Writer(label_studio, "application/json", "json"),
}
