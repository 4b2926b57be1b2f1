"""An audit's findings as CSV, a line for each number, and as values for JSON."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse

from kb.audit import Finding, Share, Table
from kb.audit.findings import Cell
from kb.audit.panels import LabelSet
from kb.exports.tables import csv_lines

HEADER = (
    "check", "verdict", "p", "adjusted_p", "table", "line", "column", "value", "cases", "of", "share", "low", "high",
)  # fmt: skip


def csv_file(findings: tuple[Finding, ...], *, name: str) -> HttpResponse:
    """A line with each check's sentence, then one for each cell of its tables; shares with 95 % Wilson intervals."""
    content = "".join(csv_lines([HEADER, *_lines(findings)]))
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def as_values(one: LabelSet, axis: str, findings: tuple[Finding, ...]) -> dict[str, Any]:
    """The set and what was found, as JSON takes it."""
    return {
        "set": {
            "slug": one.slug, "name": one.name, "kind": one.kind, "items": one.items, "columns": one.columns,
            "trust": one.trust, "trust_note": one.trust_note, "licence": one.licence, "url": one.url,
            "no_votes": one.no_votes,
        },
        "axis": axis,
        "findings": [
            {
                "check": one.about.key, "title": one.about.title, "question": one.about.question,
                "verdict": one.verdict.value, "said": one.said, "measured": one.measured,
                "p": one.p, "adjusted_p": one.adjusted, "expected": one.about.expected,
                "proves": one.about.proves, "proves_not": one.about.proves_not,
                "tables": [_table(table) for table in one.tables],
            }
            for one in findings
        ],
    }  # fmt: skip


def _table(table: Table) -> dict[str, Any]:
    lines = ({"name": line.name, "cells": [_value(cell) for cell in line.cells]} for line in table.lines)
    return {"title": table.title, "first": table.first, "columns": list(table.columns), "lines": list(lines)}


def _value(cell: Cell) -> Any:
    if not isinstance(cell, Share):
        return cell
    span = cell.interval
    return {
        "cases": cell.cases, "of": cell.of, "share": cell.value,
        "low": span.low if span else None, "high": span.high if span else None,
    }  # fmt: skip


def _lines(findings: tuple[Finding, ...]) -> Iterator[tuple[Any, ...]]:
    for finding in findings:
        head = (finding.about.key, finding.verdict.value, finding.p, finding.adjusted)
        yield (*head, "", "", "finding", finding.said)
        for table in finding.tables:
            yield from ((*head, *row) for row in _rows(table))


def _rows(table: Table) -> Iterator[tuple[Any, ...]]:
    for line in table.lines:
        for column, cell in zip(table.columns, line.cells, strict=True):
            value = _value(cell)
            parts = ("", *value.values()) if isinstance(value, dict) else (value, "", "", "", "", "")
            yield (table.title, line.name, column, *parts)
