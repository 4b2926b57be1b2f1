"""Parses the files of other tools, doccano and Label Studio, into answers. Pure.

Both count a text's characters as code points, as we do. Spans are passages: their label is the question that they are
for, or `*` for the vote as a whole.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence

from labeling.exchange.rows import AnswerRow, Rejected
from labeling.exchange.values import (
    Found,
    JsonObject,
    Options,
    UnreadableError,
    codes_of,
    confidence_of,
    issue_of,
    objects,
    one_text,
    text_of,
)
from labeling.passages import WHOLE_VOTE, Marked

# The objects that Label Studio shows -> the part of our text.
SHOWN = {"text": "body", "title": "title"}


def doccano(lines: Iterable[str], options: Options) -> Found:
    """doccano's JSON lines for text classification; `entities` are the passages, as [start, end, label]."""
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        annotator = text_of(row.get("annotator") or row.get("annotation_approver") or row.get("username"))
        labels = row.get("label", row.get("labels", ()))
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            yield Rejected(number, "“label” must be a list of texts, as doccano writes for text classification.")
            continue
        passages = _entities(row)
        if passages is None:
            yield Rejected(number, "“entities” must be a list of [start, end, label]; they are skipped.")
            passages = []
        codes_by_axis: dict[str, list[str]] = {}
        for label in labels:
            axis, colon, code = label.partition(": ")
            if not colon or options.axis:
                axis, code = options.axis, label
            codes_by_axis.setdefault(axis.strip(), []).append(code.strip())
        for axis, listed in codes_by_axis.items():
            codes, undecidable = codes_of(listed)
            yield AnswerRow(
                issue_of(row), annotator, axis, codes, undecidable, confidence_of(row.get("confidence")), number,
                evidence=of_axis(passages, axis), text_hash=text_of(row.get("text_hash")), text=one_text(listed),
            )  # fmt: skip
        yield from strays(passages, codes_by_axis, number)


def label_studio(lines: Iterable[str], options: Options) -> Found:
    """A Label Studio export: choices are answers, spans with labels are the passages."""
    try:
        tasks = json.loads("".join(lines))
    except ValueError as error:
        raise UnreadableError(f"This is not valid JSON: {error}.") from error
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


def of_axis(passages: Iterable[Marked], axis: str) -> tuple[Marked, ...]:
    """The passages that an answer on this axis rests on, those of the whole vote too."""
    return tuple(passage for passage in passages if passage.axis in (axis, ""))


def strays(passages: Iterable[Marked], answered: Collection[str], line: int) -> Iterator[Rejected]:
    """A rejection for each axis that has passages and no answer in the vote."""
    for axis in dict.fromkeys(passage.axis for passage in passages):
        if axis and axis not in answered:
            yield Rejected(
                line, f"There are passages for “{axis[:80]}”, which this vote does not answer; they are skipped."
            )


def _annotation(annotation: JsonObject, data: JsonObject, number: int, options: Options) -> Found:
    passages: list[Marked] = []
    has_bad_span = False
    answers: list[tuple[str, Sequence[object]]] = []
    for result in annotation.get("result") or ():
        if not isinstance(result, dict):
            continue
        value = result.get("value") or {}
        if result.get("type") == "labels":
            spans = _spans(result)
            has_bad_span = has_bad_span or not spans
            passages += spans
        elif result.get("type") == "choices" and isinstance(value.get("choices"), list):
            answers.append((options.axis or text_of(result.get("from_name")), value["choices"]))
        elif result.get("type") == "textarea" and isinstance(value.get("text"), (list, str)):
            answers.append((text_of(result.get("from_name")), _as_list(value["text"])))
        elif result.get("type") == "number" and isinstance(value.get("number"), (int, float)):
            answers.append((text_of(result.get("from_name")), [as_number(value["number"])]))
        else:
            yield Rejected(
                number, f"“{result.get('type')}” is no answer; only choices, text areas and numbers can be votes."
            )
    if has_bad_span:
        yield Rejected(number, "A span has no label, or no position in the title or the text; it is skipped.")
    for axis, choices in answers:
        codes, undecidable = codes_of(choices)
        yield AnswerRow(
            issue_of(data), _annotator(annotation.get("completed_by")), axis, codes, undecidable, None, number,
            evidence=of_axis(passages, axis), text_hash=text_of(data.get("text_hash")), text=one_text(choices),
        )  # fmt: skip
    yield from strays(passages, dict(answers), number)


def _as_list(value: Sequence[object]) -> Sequence[object]:
    """Label Studio's texts of one area; several are lines of one answer."""
    texts = [value] if isinstance(value, str) else list(map(text_of, value))
    return ["\n".join(texts)]


def as_number(value: float) -> str:
    """A number of JSON as text, without an exponent."""
    return f"{value:f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _spans(result: JsonObject) -> list[Marked]:
    """A passage for each label of a span; none where it has no label, or no offsets in the title or the text."""
    value = result.get("value") or {}
    part, labels = SHOWN.get(text_of(result.get("to_name"))), value.get("labels")
    start, end, words = value.get("start"), value.get("end"), value.get("text")
    if part is None or not isinstance(labels, list) or not isinstance(start, int) or not isinstance(end, int):
        return []
    if not isinstance(words, str):
        words = ""
    return [Marked(part, start, end, _axis(text_of(label)), words) for label in labels]


def _entities(row: JsonObject) -> list[Marked] | None:
    """Passages in doccano's text, which is the title, an empty line and the body; None where they are malformed."""
    entities, text = row.get("entities", []), row.get("text")
    if not isinstance(entities, list):
        return None
    passages = []
    for entity in entities:
        match entity:
            case [int(start), int(end), str(label)] if start >= 0:
                words = text[start:end] if isinstance(text, str) else ""
                passages.append(Marked("", start, end, _axis(label), words))
            case _:
                return None
    return passages


def _axis(label: str) -> str:
    return "" if label == WHOLE_VOTE else label


def _annotator(person: object) -> str:
    """The name of a person, whom Label Studio gives by a number or an object."""
    if not isinstance(person, dict):
        return text_of(person)
    name = f"{text_of(person.get('first_name'))} {text_of(person.get('last_name'))}".strip()
    return name or text_of(person.get("email") or person.get("username") or person.get("id"))
