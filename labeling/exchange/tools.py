"""Answers out of files that other tools wrote: doccano and Label Studio. Pure.

Both count a text's characters as code points, as we do. Spans are passages: what they are labelled with is the question
that they are for, or `*` for the vote as a whole.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from labeling.exchange.rows import Answered, Rejected
from labeling.exchange.values import (
    Found,
    Options,
    UnreadableError,
    codes_of,
    confidence_of,
    issue_of,
    objects,
    text_of,
)
from labeling.passages import WHOLE_VOTE, Marked

# What our files call the objects that Label Studio shows, and the parts of a text that they are.
SHOWN = {"text": "body", "title": "title"}


def doccano(lines: Iterable[str], options: Options) -> Found:
    """doccano's JSON lines for text classification; `entities` are the passages, as [start, end, label]."""
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        annotator = text_of(row.get("annotator") or row.get("annotation_approver") or row.get("username"))
        labels = row.get("label", row.get("labels", ()))
        if not isinstance(labels, list) or any(not isinstance(one, str) for one in labels):
            yield Rejected(number, "“label” must be a list of texts, as doccano writes for text classification.")
            continue
        marked = _entities(row)
        if marked is None:
            yield Rejected(number, "“entities” must be a list of [start, end, label]; they are left out.")
        by_axis = _by_axis(labels, options)
        for axis, codes in by_axis.items():
            told, undecidable = codes_of(codes)
            mine = tuple(one for one in marked or () if one.axis in (axis, ""))
            yield Answered(
                issue_of(row), annotator, axis, told, undecidable, confidence_of(row.get("confidence")), number,
                evidence=mine, text_hash=text_of(row.get("text_hash")),
            )  # fmt: skip
        yield from strays(marked or (), by_axis, number)


def label_studio(lines: Iterable[str], options: Options) -> Found:
    """A Label Studio export: choices are answers, spans with labels are the passages."""
    try:
        tasks = json.loads("".join(lines))
    except ValueError as error:
        raise UnreadableError(f"This is no JSON: {error}.") from error
    if not isinstance(tasks, list):
        raise UnreadableError("A Label Studio export is one list of tasks.")
    for number, task in enumerate(tasks, start=1):
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict):
            yield Rejected(number, "This task has no “data”.")
            continue
        for annotation in task.get("annotations") or task.get("completions") or ():
            if not annotation.get("was_cancelled"):
                yield from _annotation(annotation, data, number, options)


def strays(marked: Iterable[Marked], answered: Collection[str], line: int) -> Iterator[Rejected]:
    """The passages for questions that the vote does not answer."""
    for axis in dict.fromkeys(one.axis for one in marked if one.axis and one.axis not in answered):
        yield Rejected(
            line, f"There are passages for “{axis[:80]}”, which this vote does not answer; they are left out."
        )


def _annotation(annotation: Mapping[str, Any], data: Mapping[str, Any], number: int, options: Options) -> Found:
    results = [one for one in annotation.get("result") or () if isinstance(one, dict)]
    spans = [one for one in results if one.get("type") == "labels"]
    marked = [one for span in spans for one in _spans(span)]
    answers: list[tuple[str, Any]] = []
    for result in results:
        value = result.get("value") or {}
        if result.get("type") == "choices" and isinstance(value.get("choices"), list):
            answers.append((options.axis or text_of(result.get("from_name")), value["choices"]))
        elif result.get("type") != "labels":
            yield Rejected(number, f"“{result.get('type')}” is no choice; only choices can be votes.")
    if any(not _spans(span) for span in spans):
        yield Rejected(number, "A span has no label, or no places in the title or the text; it is left out.")
    for axis, choices in answers:
        codes, undecidable = codes_of(choices)
        mine = tuple(one for one in marked if one.axis in (axis, ""))
        yield Answered(
            issue_of(data), _person(annotation.get("completed_by")), axis, codes, undecidable, None, number,
            evidence=mine, text_hash=text_of(data.get("text_hash")),
        )  # fmt: skip
    yield from strays(marked, dict(answers), number)


def _spans(result: Mapping[str, Any]) -> list[Marked]:
    value = result.get("value") or {}
    part, labels = SHOWN.get(text_of(result.get("to_name"))), value.get("labels")
    start, end = value.get("start"), value.get("end")
    if part is None or not isinstance(labels, list) or not isinstance(start, int) or not isinstance(end, int):
        return []
    words = value.get("text") if isinstance(value.get("text"), str) else ""
    return [Marked(part, start, end, _axis(text_of(label)), str(words)) for label in labels]


def _entities(row: Mapping[str, Any]) -> list[Marked] | None:
    """Places in doccano's text, which is the title, an empty line and the body; None where they are none."""
    entities, text = row.get("entities", []), row.get("text")
    if not isinstance(entities, list):
        return None
    found = []
    for one in entities:
        match one:
            case [int(start), int(end), str(label)] if start >= 0:
                words = text[start:end] if isinstance(text, str) else ""
                found.append(Marked("", start, end, _axis(label), words))
            case _:
                return None
    return found


def _axis(label: str) -> str:
    return "" if label == WHOLE_VOTE else label


def _person(who: Any) -> str:
    """Label Studio names a person by a number, or by an object."""
    if not isinstance(who, dict):
        return text_of(who)
    names = f"{text_of(who.get('first_name'))} {text_of(who.get('last_name'))}".strip()
    return names or text_of(who.get("email") or who.get("username") or who.get("id"))


def _by_axis(labels: Sequence[str], options: Options) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label in labels:
        axis, colon, code = label.partition(": ")
        if not colon or options.axis:
            axis, code = options.axis, label
        found.setdefault(axis.strip(), []).append(code.strip())
    return found
