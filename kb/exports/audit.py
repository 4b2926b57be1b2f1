"""An audit's findings as lines of CSV, one for each number, and as a JSON document."""

from collections.abc import Iterator, Sequence

from kb.audit import Finding, Share, Table
from kb.audit.findings import Cell
from kb.audit.panels import LabelSet
from kb.core.intervals import bounds
from kb.exports import Document, Json

HEADER = (
    "check", "verdict", "p", "adjusted_p", "table", "line", "column", "value", "cases", "of", "share", "low", "high",
)  # fmt: skip

Value = str | int | float | None


def audit_lines(findings: Sequence[Finding]) -> Iterator[Sequence[Value]]:
    """The header, each check's sentence, then one line for each cell of its tables; shares with 95 % intervals."""
    yield HEADER
    for finding in findings:
        check = (finding.about.key, finding.verdict.value, finding.p, finding.adjusted)
        yield (*check, "", "", "finding", finding.said)
        for table in finding.tables:
            for line in table.lines:
                for column, cell in zip(table.columns, line.cells, strict=True):
                    yield (*check, table.title, line.name, column, *_cell_values(cell))


def _cell_values(cell: Cell) -> Sequence[Value]:
    if not isinstance(cell, Share):
        return (cell, "", "", "", "", "")
    return ("", cell.cases, cell.of, cell.value, *bounds(cell.interval))


def audit_document(label_set: LabelSet, axis: str, findings: Sequence[Finding]) -> Document:
    """The label set and its findings."""
    return {
        "set": {
            "slug": label_set.slug, "name": label_set.name, "kind": label_set.kind, "items": label_set.items,
            "columns": label_set.columns, "trust": label_set.trust, "trust_note": label_set.trust_note,
            "licence": label_set.licence, "url": label_set.url, "no_votes": label_set.no_votes,
        },
        "axis": axis,
        "findings": [_finding(finding) for finding in findings],
    }  # fmt: skip


def _finding(finding: Finding) -> Document:
    about = finding.about
    return {
        "check": about.key, "title": about.title, "question": about.question,
        "verdict": finding.verdict.value, "said": finding.said, "measured": finding.measured,
        "p": finding.p, "adjusted_p": finding.adjusted, "expected": about.expected,
        "proves": about.proves, "proves_not": about.proves_not,
        "tables": [_table(table) for table in finding.tables],
    }  # fmt: skip


def _table(table: Table) -> Document:
    lines = [{"name": line.name, "cells": [_cell(cell) for cell in line.cells]} for line in table.lines]
    return {"title": table.title, "first": table.first, "columns": table.columns, "lines": lines}


def _cell(cell: Cell) -> Json:
    if not isinstance(cell, Share):
        return cell
    _, cases, of, share, low, high = _cell_values(cell)
    return {"cases": cases, "of": of, "share": share, "low": low, "high": high}
