"""Studies' published tables, and studies compared, as records and as a JSON document."""

from collections.abc import Iterator

from kb.charts.chart import Record
from kb.charts.crosswalked import Side
from kb.charts.study_comparison import StudyComparison, Subject
from kb.charts.study_tables import StudyTable
from kb.core.intervals import bounds
from kb.exports import Document


def table_records(shown: StudyTable) -> Iterator[Record]:
    """A record for each cell; what is not known is None."""
    names = {heading.key: heading.name for heading in shown.columns if heading.key}
    for line in shown.lines:
        for cell in line.cells:
            row, column = cell.key
            printed = cell.printed
            yield {
                "row": row,
                "row_name": line.heading.name,
                "column": column,
                "column_name": names.get(column, "Sum"),
                "published": printed.count if printed else None,
                "published_percent": printed.percent if printed else None,
                "doubtful": printed.is_doubtful if printed else None,
                "recounted": cell.recounted,
                "recounted_percent": None if cell.recounted_percent is None else round(cell.recounted_percent, 4),
                "difference": cell.difference,
                "issues_on_this_site": cell.issues,
                "unit": shown.table.unit,
                "trust": shown.table.trust,
            }


def table_document(shown: StudyTable, *, url: str) -> Document:
    """A table with its title, unit and trust mark. `url`: of its place on our page."""
    row = shown.table
    return {
        "study": row.study.slug,
        "table": row.slug,
        "title": row.title,
        "place": row.place,
        "unit": row.unit,
        "part_of": row.part_of or None,
        "trust": row.trust,
        "total": row.total,
        "total_is_doubtful": row.total_is_doubtful,
        "misprints": row.misprints,
        "note": row.note or None,
        "is_imported": shown.is_imported,
        "not_given": [heading.key for heading in shown.not_given],
        "not_recounted": row.not_recounted_reason or None,
        "verdict": shown.said or None,
        "cells": list(table_records(shown)),
        "url": url,
    }


def comparison_records(comparison: StudyComparison | None) -> list[Record]:
    """A record for each house category; shares are between 0 and 1, unknown is None."""
    records: list[Record] = []
    for row in comparison.rows if comparison else ():
        difference = row.difference
        low, high = bounds(difference.interval)
        records.append(
            {
                "axis": comparison.axis if comparison else "",
                "category": row.node.code,
                "name": row.node.name,
                **_side_fields("a", row.first),
                **_side_fields("b", row.second),
                "difference": difference.share,
                "difference_low": low,
                "difference_high": high,
                "verdict": difference.verdict.value,
                "allows": difference.allows,
                "why": difference.why,
            }
        )
    return records


def comparison_document(first: Subject, second: Subject, comparison: StudyComparison | None) -> Document:
    """The comparison; without one, the two studies have no question in common."""
    if comparison is None:
        return {
            "a": first.slug,
            "b": second.slug,
            "axis": None,
            "axes": [],
            "shared_issues": None,
            "not_comparable": "no question in common",
            "rows": [],
        }
    return {
        "a": first.slug,
        "b": second.slug,
        "axis": comparison.axis,
        "axes": list(comparison.axes),
        "shared_issues": comparison.shared,
        "not_comparable": comparison.hindrance or None,
        "rows": comparison_records(comparison),
    }


def _side_fields(letter: str, side: Side) -> Record:
    low, high = bounds(side.interval)
    return {
        f"{letter}_categories": "; ".join(side.names),
        f"{letter}_cases": side.cases,
        f"{letter}_of": side.of,
        f"{letter}_share": side.share,
        f"{letter}_low": low,
        f"{letter}_high": high,
    }
