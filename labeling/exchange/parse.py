"""Parses files into answers, line by line; lines that cannot be read are rejected by their number. Pure.

What names mean (issues, questions, nodes, people) is checked in `validation`. Other tools' formats are read in `tools`.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence

from kb.exports.tables import original
from labeling.exchange.rows import EVIDENCE_OF, FROM_FILE, AnswerRow, Rejected, from_cell
from labeling.exchange.tools import doccano, label_studio, of_axis, strays
from labeling.exchange.values import (
    ISSUE_COLUMNS,
    MOST_CELL,
    UNREADABLE_PLACES,
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
from labeling.passages import Marked, from_places, from_places_cell

MOST_LINES = 500_000
OTHER_COLUMNS = ("round", "codebook", "title", "text_hash", FROM_FILE)


def read(lines: Iterable[str], format_: str, options: Options) -> Found:
    """The answers in a file. Raises UnreadableError where it cannot be one of this format."""
    for number, row in enumerate(READERS[format_](lines, options)):
        if number >= MOST_LINES:
            raise UnreadableError(f"The file has more than {MOST_LINES:,} answers. Import it in parts.")
        yield row


def _csv_rows(lines: Iterable[str]) -> tuple[Sequence[str], Iterator[tuple[int, dict[str, str]]]]:
    """The column names, and the rows with their line numbers."""
    reader = csv.DictReader(lines, restkey="")
    try:
        names = [original(name).strip() for name in reader.fieldnames or ()]
    except csv.Error as error:
        raise UnreadableError(f"This is not a CSV file: {error}.") from error
    reader.fieldnames = names

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        try:
            for row in reader:
                yield reader.line_num, {name: original(str(value or "")) for name, value in row.items()}
        except csv.Error as error:
            raise UnreadableError(f"Line {reader.line_num}: {error}.") from error

    return names, rows()


def _column(names: Sequence[str], aliases: Sequence[str]) -> str:
    """The file's name for a column, by the first alias that it has; empty where it has none."""
    by_alias = {name.casefold(): name for name in reversed(names)}
    for alias in aliases:
        if alias in by_alias:
            return by_alias[alias]
    return ""


def _long_csv(lines: Iterable[str], options: Options) -> Found:
    names, rows = _csv_rows(lines)
    issue, annotator = _column(names, ISSUE_COLUMNS), _column(names, ("annotator", "user", "coder", "reviewer"))
    axis, nodes = _column(names, ("axis", "question")), _column(names, ("nodes", "node", "label", "labels"))
    if not (issue and (annotator or options.annotator) and nodes and (axis or options.axis)):
        who = "" if options.annotator else " annotator,"
        raise UnreadableError(f"The first line must name the columns issue,{who} axis and nodes.")
    confidence, evidence = _column(names, ("confidence",)), _column(names, ("evidence",))
    text_hash = _column(names, ("text_hash",))
    for line, row in rows:
        codes, undecidable = from_cell(row[nodes][:MOST_CELL])
        row_axis = row[axis].strip() if axis else options.axis
        passages = from_places_cell(row.get(evidence, "")[:MOST_CELL], row_axis)
        yield AnswerRow(
            row[issue].strip(), options.annotator or row[annotator].strip(), row_axis, codes, undecidable,
            confidence_of(row.get(confidence)), line, evidence=passages or (), text_hash=row.get(text_hash, "").strip(),
            text=row[nodes][:MOST_CELL].strip(),
        )  # fmt: skip
        if passages is None:
            yield Rejected(line, UNREADABLE_PLACES)


def _wide_csv(lines: Iterable[str], options: Options) -> Found:
    names, rows = _csv_rows(lines)
    issue, axis = _column(names, ISSUE_COLUMNS), _column(names, ("axis", "question"))
    if not issue:
        raise UnreadableError("The first line must name a column with the issues' addresses, such as “issue” or “url”.")
    if not (axis or options.axis):
        raise UnreadableError("The file has no column “axis”: say which question it answers.")
    text_hash = _column(names, ("text_hash",))
    evidence_columns = [f"{EVIDENCE_OF}{name}" for name in names]
    others = (*options.leave_out, *OTHER_COLUMNS, *evidence_columns, issue, axis)
    left_out = {name.casefold() for name in others}
    people = [name for name in names if name and name.casefold() not in left_out]
    if not people:
        raise UnreadableError("No column with annotators' votes is left.")
    evidence_of = {name: _column(names, (f"{EVIDENCE_OF}{name}".casefold(),)) for name in people}
    for line, row in rows:
        for name in people:
            codes, undecidable = from_cell(row.get(name, "")[:MOST_CELL])
            if not codes and not undecidable:
                continue
            row_axis = row[axis].strip() if axis else options.axis
            passages = from_places_cell(row.get(evidence_of[name], "")[:MOST_CELL], row_axis)
            yield AnswerRow(
                row[issue].strip(), name, row_axis, codes, undecidable, None, line,
                evidence=passages or (), text_hash=row.get(text_hash, "").strip(),
                text=row.get(name, "")[:MOST_CELL].strip(),
            )  # fmt: skip
            if passages is None:
                yield Rejected(line, UNREADABLE_PLACES)


def _long_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        answer = row.get("nodes", row.get("label"))
        codes, undecidable = codes_of(answer)
        passages = from_places(row.get("evidence"))
        axis = text_of(row.get("axis")) or options.axis
        yield AnswerRow(
            issue_of(row), options.annotator or text_of(row.get("annotator")), axis, codes, undecidable,
            confidence_of(row.get("confidence")), number, evidence=passages or (),
            text_hash=text_of(row.get("text_hash")), text=one_text(answer),
        )  # fmt: skip
        if passages is None:
            yield Rejected(number, UNREADABLE_PLACES)


def _wide_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        votes, evidence = row.get("votes"), row.get("evidence")
        if not isinstance(votes, dict):
            yield Rejected(number, "There is no object “votes”: annotator -> question -> nodes.")
            continue
        if not isinstance(evidence, dict):
            evidence = {}
        for annotator, vote in votes.items():
            passages = from_places(evidence.get(annotator))
            if passages is None:
                yield Rejected(number, UNREADABLE_PLACES)
            yield from _wide_vote(row, number, annotator, vote, passages or (), options)


def _wide_vote(
    row: JsonObject, line: int, annotator: str, vote: object, passages: Sequence[Marked], options: Options
) -> Found:
    nodes_by_axis = vote if isinstance(vote, dict) else {options.axis: vote}
    for axis, nodes in nodes_by_axis.items():
        codes, undecidable = codes_of(nodes)
        yield AnswerRow(
            issue_of(row), annotator, axis, codes, undecidable, None, line, evidence=of_axis(passages, axis),
            text_hash=text_of(row.get("text_hash")), text=one_text(nodes),
        )  # fmt: skip
    yield from strays(passages, nodes_by_axis, line)


READERS: dict[str, Callable[[Iterable[str], Options], Found]] = {
    "long_csv": _long_csv,
    "wide_csv": _wide_csv,
    "long_jsonl": _long_jsonl,
    "wide_jsonl": _wide_jsonl,
    "doccano": doccano,
    "label_studio": label_studio,
}
