"""Answers out of a file, line by line; what cannot be read is told with its line. Pure.

What names mean (issues, questions, nodes, people) is checked in `checking`.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.exchange.rows import Answered, Rejected, from_cell

MOST_LINES = 500_000
MOST_CELL = 20_000
ISSUE_COLUMNS = ("issue", "issue_url", "url", "link", "html_url")
OTHER_COLUMNS = ("round", "codebook", "title")
Found = Iterator[Answered | Rejected]


class UnreadableError(Exception):
    """A file that is not of its format at all; the message says what is missing."""


@dataclass(frozen=True)
class Options:
    """What a file does not say itself: the question that it answers, and columns that are nobody's votes."""

    axis: str = ""
    leave_out: tuple[str, ...] = ()


def read(lines: Iterable[str], format_: str, options: Options) -> Found:
    """The answers in a file. Raises UnreadableError where it cannot be one of this format."""
    for number, one in enumerate(READERS[format_](lines, options)):
        if number >= MOST_LINES:
            raise UnreadableError(f"The file has more than {MOST_LINES:,} answers. Import it in parts.")
        yield one


def _csv_rows(lines: Iterable[str]) -> tuple[Sequence[str], Iterator[tuple[int, dict[str, str]]]]:
    reader = csv.DictReader(lines, restkey="")
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
    except csv.Error as error:
        raise UnreadableError(f"This is no CSV file: {error}.") from error
    reader.fieldnames = names

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        try:
            for row in reader:
                yield reader.line_num, {name: str(value or "") for name, value in row.items()}
        except csv.Error as error:
            raise UnreadableError(f"Line {reader.line_num}: {error}.") from error

    return names, rows()


def _column(names: Sequence[str], wanted: Sequence[str]) -> str:
    known = {name.casefold(): name for name in reversed(names)}
    return next((known[one] for one in wanted if one in known), "")


def _long_csv(lines: Iterable[str], options: Options) -> Found:
    names, rows = _csv_rows(lines)
    issue, annotator = _column(names, ISSUE_COLUMNS), _column(names, ("annotator", "user", "coder", "reviewer"))
    axis, nodes = _column(names, ("axis", "question")), _column(names, ("nodes", "node", "label", "labels"))
    if not (issue and annotator and nodes and (axis or options.axis)):
        raise UnreadableError("The first line must name the columns issue, annotator, axis and nodes.")
    confidence = _column(names, ("confidence",))
    for line, row in rows:
        codes, undecidable = from_cell(row[nodes][:MOST_CELL])
        yield Answered(
            row[issue].strip(), row[annotator].strip(), row[axis].strip() if axis else options.axis, codes, undecidable,
            _confidence(row.get(confidence)), line,
        )  # fmt: skip


def _wide_csv(lines: Iterable[str], options: Options) -> Found:
    names, rows = _csv_rows(lines)
    issue, axis = _column(names, ISSUE_COLUMNS), _column(names, ("axis", "question"))
    if not issue:
        raise UnreadableError("The first line must name a column with the issues' addresses, such as “issue” or “url”.")
    if not (axis or options.axis):
        raise UnreadableError("The file has no column “axis”: say which question it answers.")
    left_out = {one.casefold() for one in (*options.leave_out, *OTHER_COLUMNS, issue, axis)}
    people = [name for name in names if name and name.casefold() not in left_out]
    if not people:
        raise UnreadableError("No column is left for the annotators' votes.")
    for line, row in rows:
        for name in people:
            codes, undecidable = from_cell(row.get(name, "")[:MOST_CELL])
            if codes or undecidable:
                asked = row[axis].strip() if axis else options.axis
                yield Answered(row[issue].strip(), name, asked, codes, undecidable, None, line)


def _objects(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | Rejected]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            yield number, Rejected(number, "This line is no JSON.")
            continue
        yield number, value if isinstance(value, dict) else Rejected(number, "This line is no JSON object.")


def _long_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in _objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        codes, undecidable = _codes(row.get("nodes", row.get("label")))
        yield Answered(
            _issue(row), _text(row.get("annotator")), _text(row.get("axis")) or options.axis, codes, undecidable,
            _confidence(row.get("confidence")), number,
        )  # fmt: skip


def _wide_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in _objects(lines):
        votes = row if isinstance(row, Rejected) else row.get("votes")
        if isinstance(votes, Rejected):
            yield votes
        elif isinstance(row, Rejected) or not isinstance(votes, dict):
            yield Rejected(number, "There is no object “votes”: annotator -> question -> nodes.")
        else:
            for annotator, said in votes.items():
                by_axis = said if isinstance(said, dict) else {options.axis: said}
                for axis, nodes in by_axis.items():
                    codes, undecidable = _codes(nodes)
                    yield Answered(_issue(row), annotator, axis, codes, undecidable, None, number)


def _doccano(lines: Iterable[str], options: Options) -> Found:
    for number, row in _objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        annotator = _text(row.get("annotator") or row.get("annotation_approver") or row.get("username"))
        labels = row.get("label", row.get("labels", ()))
        if not isinstance(labels, list) or any(not isinstance(one, str) for one in labels):
            yield Rejected(number, "“label” must be a list of texts, as doccano writes for text classification.")
            continue
        for axis, codes in _by_axis(labels, options).items():
            told, undecidable = _codes(codes)
            yield Answered(_issue(row), annotator, axis, told, undecidable, _confidence(row.get("confidence")), number)


def _label_studio(lines: Iterable[str], options: Options) -> Found:
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
                yield from _annotation(annotation, _issue(data), number, options)


def _annotation(annotation: Mapping[str, Any], issue: str, number: int, options: Options) -> Found:
    annotator = _person(annotation.get("completed_by"))
    for result in annotation.get("result") or ():
        value = result.get("value") or {}
        if result.get("type") != "choices" or not isinstance(value.get("choices"), list):
            yield Rejected(number, f"“{result.get('type')}” is no choice; only choices can be votes.")
            continue
        codes, undecidable = _codes(value["choices"])
        axis = options.axis or _text(result.get("from_name"))
        yield Answered(issue, annotator, axis, codes, undecidable, None, number)


def _person(who: Any) -> str:
    """Label Studio names a person by a number, or by an object."""
    if not isinstance(who, dict):
        return _text(who)
    names = f"{_text(who.get('first_name'))} {_text(who.get('last_name'))}".strip()
    return names or _text(who.get("email") or who.get("username") or who.get("id"))


def _by_axis(labels: Sequence[str], options: Options) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label in labels:
        axis, colon, code = label.partition(": ")
        if not colon or options.axis:
            axis, code = options.axis, label
        found.setdefault(axis.strip(), []).append(code.strip())
    return found


def _issue(row: Mapping[str, Any]) -> str:
    known = {str(name).casefold(): value for name, value in row.items()}
    return next((_text(known[one]) for one in ISSUE_COLUMNS if one in known), "")


def _codes(value: Any) -> tuple[tuple[str, ...], bool]:
    if isinstance(value, str):
        return from_cell(value)
    if not isinstance(value, list):
        return (), False
    codes = tuple(_text(one) for one in value if _text(one))
    return ((), True) if codes == ("?",) else (codes, False)


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value).strip()[:MOST_CELL]


def _confidence(value: Any) -> int | None:
    return int(str(value)) if str(value).strip() in ("1", "2", "3") else None


READERS: dict[str, Callable[[Iterable[str], Options], Found]] = {
    "long_csv": _long_csv,
    "wide_csv": _wide_csv,
    "long_jsonl": _long_jsonl,
    "wide_jsonl": _wide_jsonl,
    "doccano": _doccano,
    "label_studio": _label_studio,
}
