"""Answers out of a file, line by line; what cannot be read is told with its line. Pure.

What names mean (issues, questions, nodes, people) is checked in `checking`. Other tools' formats are read in `tools`.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kb.exports.tables import original
from labeling.exchange.rows import EVIDENCE_OF, FROM_FILE, Answered, Rejected, from_cell
from labeling.exchange.tools import doccano, label_studio, strays
from labeling.exchange.values import (
    ISSUE_COLUMNS,
    MOST_CELL,
    UNREADABLE_PLACES,
    Found,
    Options,
    UnreadableError,
    codes_of,
    confidence_of,
    issue_of,
    objects,
    text_of,
)
from labeling.passages import Marked, from_places, from_places_cell

MOST_LINES = 500_000
OTHER_COLUMNS = ("round", "codebook", "title", "text_hash", FROM_FILE)


def read(lines: Iterable[str], format_: str, options: Options) -> Found:
    """The answers in a file. Raises UnreadableError where it cannot be one of this format."""
    for number, one in enumerate(READERS[format_](lines, options)):
        if number >= MOST_LINES:
            raise UnreadableError(f"The file has more than {MOST_LINES:,} answers. Import it in parts.")
        yield one


def _csv_rows(lines: Iterable[str]) -> tuple[Sequence[str], Iterator[tuple[int, dict[str, str]]]]:
    reader = csv.DictReader(lines, restkey="")
    try:
        names = [original(name).strip() for name in reader.fieldnames or ()]
    except csv.Error as error:
        raise UnreadableError(f"This is no CSV file: {error}.") from error
    reader.fieldnames = names

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        try:
            for row in reader:
                yield reader.line_num, {name: original(str(value or "")) for name, value in row.items()}
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
    confidence, evidence = _column(names, ("confidence",)), _column(names, ("evidence",))
    text_hash = _column(names, ("text_hash",))
    for line, row in rows:
        codes, undecidable = from_cell(row[nodes][:MOST_CELL])
        asked = row[axis].strip() if axis else options.axis
        marked, faults = _marked(row.get(evidence, ""), asked, line)
        yield Answered(
            row[issue].strip(), row[annotator].strip(), asked, codes, undecidable,
            confidence_of(row.get(confidence)), line, evidence=marked, text_hash=row.get(text_hash, "").strip(),
        )  # fmt: skip
        yield from faults


def _marked(text: str, axis: str, line: int) -> tuple[tuple[Marked, ...], Sequence[Rejected]]:
    found = from_places_cell(text[:MOST_CELL], axis)
    return ((), [Rejected(line, UNREADABLE_PLACES)]) if found is None else (found, ())


def _wide_csv(lines: Iterable[str], options: Options) -> Found:
    names, rows = _csv_rows(lines)
    issue, axis = _column(names, ISSUE_COLUMNS), _column(names, ("axis", "question"))
    if not issue:
        raise UnreadableError("The first line must name a column with the issues' addresses, such as “issue” or “url”.")
    if not (axis or options.axis):
        raise UnreadableError("The file has no column “axis”: say which question it answers.")
    text_hash = _column(names, ("text_hash",))
    beside = [f"{EVIDENCE_OF}{name}".casefold() for name in names]
    left_out = {one.casefold() for one in (*options.leave_out, *OTHER_COLUMNS, *beside, issue, axis)}
    people = [name for name in names if name and name.casefold() not in left_out]
    if not people:
        raise UnreadableError("No column is left for the annotators' votes.")
    columns = {name: _column(names, (f"{EVIDENCE_OF}{name}".casefold(),)) for name in people}
    for line, row in rows:
        for name in people:
            codes, undecidable = from_cell(row.get(name, "")[:MOST_CELL])
            if codes or undecidable:
                asked = row[axis].strip() if axis else options.axis
                marked, faults = _marked(row.get(columns[name], ""), asked, line)
                yield Answered(
                    row[issue].strip(), name, asked, codes, undecidable, None, line,
                    evidence=marked, text_hash=row.get(text_hash, "").strip(),
                )  # fmt: skip
                yield from faults


def _long_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        codes, undecidable = codes_of(row.get("nodes", row.get("label")))
        marked = from_places(row.get("evidence"))
        yield Answered(
            issue_of(row), text_of(row.get("annotator")), text_of(row.get("axis")) or options.axis, codes, undecidable,
            confidence_of(row.get("confidence")), number, evidence=marked or (),
            text_hash=text_of(row.get("text_hash")),
        )  # fmt: skip
        if marked is None:
            yield Rejected(number, UNREADABLE_PLACES)


def _wide_jsonl(lines: Iterable[str], options: Options) -> Found:
    for number, row in objects(lines):
        votes = row if isinstance(row, Rejected) else row.get("votes")
        if isinstance(votes, Rejected):
            yield votes
        elif isinstance(row, Rejected) or not isinstance(votes, dict):
            yield Rejected(number, "There is no object “votes”: annotator -> question -> nodes.")
        else:
            evidence = row.get("evidence")
            for annotator, said in votes.items():
                marked = from_places(evidence.get(annotator)) if isinstance(evidence, dict) else ()
                if marked is None:
                    yield Rejected(number, UNREADABLE_PLACES)
                yield from _wide_vote(row, number, annotator, said, marked or (), options)


def _wide_vote(
    row: dict[str, Any], line: int, annotator: str, said: Any, marked: Sequence[Marked], options: Options
) -> Found:
    by_axis = said if isinstance(said, dict) else {options.axis: said}
    for axis, nodes in by_axis.items():
        codes, undecidable = codes_of(nodes)
        mine = tuple(one for one in marked if one.axis in (axis, ""))
        text_hash = text_of(row.get("text_hash"))
        yield Answered(
            issue_of(row), annotator, axis, codes, undecidable, None, line, evidence=mine, text_hash=text_hash
        )
    yield from strays(marked, by_axis, line)


READERS: dict[str, Callable[[Iterable[str], Options], Found]] = {
    "long_csv": _long_csv,
    "wide_csv": _wide_csv,
    "long_jsonl": _long_jsonl,
    "wide_jsonl": _wide_jsonl,
    "doccano": doccano,
    "label_studio": label_studio,
}
