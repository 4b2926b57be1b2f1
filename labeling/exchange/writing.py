"""Documents with their answers as text, piece by piece, so that a file of any length needs little memory. Pure."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from labeling.exchange.rows import NOT_TOLD, Answered, Document, cell

LONG = (
    "round", "issue", "annotator", "axis", "nodes", "confidence", "codebook", "received_on", "note",
)  # fmt: skip


class _Echo:
    def write(self, text: str) -> str:
        return text


def _csv_line(values: Iterable[Any]) -> str:
    written: str = csv.writer(_Echo(), lineterminator="\n").writerow(values)
    return written


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def long_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """A line for each answer; several nodes are parted by `|`, `?` says that the report does not tell."""
    yield _csv_line(LONG)
    for document in documents:
        for one in document.answers:
            yield _csv_line(_long(one).values())


def wide_csv(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """A line for each issue and question, a column for each annotator; an empty cell is no vote."""
    yield _csv_line(("round", "issue", "axis", "codebook", *people))
    for document in documents:
        for axis in dict.fromkeys(one.axis for one in document.answers):
            said = {one.annotator: cell(one) for one in document.answers if one.axis == axis}
            cells = (said.get(name, "") for name in people)
            yield _csv_line((document.round, document.issue, axis, document.codebook, *cells))


def long_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each answer; nodes are a list."""
    for document in documents:
        for one in document.answers:
            yield _json_line(_long(one) | {"nodes": _nodes(one)})


def wide_jsonl(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """An object for each issue: annotator -> question -> nodes."""
    for document in documents:
        votes: dict[str, dict[str, list[str]]] = {}
        for one in document.answers:
            votes.setdefault(one.annotator, {})[one.axis] = _nodes(one)
        yield _json_line(
            {"round": document.round, "issue": document.issue, "codebook": document.codebook, "votes": votes}
        )


def doccano(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:  # noqa: ARG001 as all writers
    """doccano's JSON lines for text classification, one object for each issue and annotator.

    A label is `question: node`. Other keys are kept by doccano as the example's meta data.
    """
    numbers = count(1)
    for document in documents:
        for annotator in dict.fromkeys(one.annotator for one in document.answers):
            mine = [one for one in document.answers if one.annotator == annotator]
            yield _json_line(
                {
                    "id": next(numbers),
                    "text": f"{document.title}\n\n{document.text}",
                    "label": [f"{one.axis}: {code}" for one in mine for code in _nodes(one)],
                    "annotator": annotator,
                    "issue": document.issue,
                    "round": document.round,
                    "codebook": document.codebook,
                    "confidence": mine[0].confidence,
                    "received_on": mine[0].received_on,
                }
            )


def label_studio(documents: Iterable[Document], people: Sequence[str]) -> Iterator[str]:
    """Label Studio's JSON: one list of tasks; each vote is an annotation, each question a choice."""
    numbers = {name: number for number, name in enumerate(people, start=1)}
    yield "["
    for place, document in enumerate(documents):
        task = {
            "id": place + 1,
            "data": {
                "text": document.text, "title": document.title, "issue": document.issue, "round": document.round,
                "codebook": document.codebook,
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
            ],
        }


def _long(one: Answered) -> dict[str, Any]:
    values = (
        one.round, one.issue, one.annotator, one.axis, cell(one), one.confidence, one.codebook, one.received_on,
        one.note,
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
