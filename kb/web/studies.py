"""The published studies: what each one is, what it counted, and how its categories relate to ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.study_tables import StudyTable, study_tables
from kb.exports import citations
from kb.exports.studies import table_records
from kb.exports.tables import as_csv
from kb.http.site import absolute
from kb.models import Axis, Node, Study, Trust
from kb.selectors import codebook as read


@dataclass(frozen=True)
class CategoryRow:
    """A study's category: as it was published, as it was imported, and how deep it stands in the tree."""

    node: Node
    depth: int
    imported: int | None

    @property
    def difference(self) -> int | None:
        """Imported minus published; None unless both are known."""
        published = self.node.published_count
        return None if self.imported is None or published is None else self.imported - published

    @property
    def fewer(self) -> int:
        """How many fewer were imported than published."""
        return -min(0, self.difference or 0)


@dataclass(frozen=True)
class AxisRows:
    """An axis of a study with its categories."""

    axis: Axis
    rows: tuple[CategoryRow, ...]


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """Every study with its size and what is imported of it."""
    return render(request, "kb/studies/studies.html", {"studies": read.studies(), "trust_marks": Trust.choices})


@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """One study, with its categories beside what was imported and the house codebook."""
    found = _study(slug)
    imported = read.imported_counts(study=found)
    context = {
        "study": found,
        "trail": [("Studies", reverse("studies"))],
        "facts": found.facts,
        "imported_issues": imported.issues,
        "tables": study_tables(study=found, is_imported=bool(imported.issues)),
        "axes": tuple(_axes(found, imported.by_node)),
        "mapping": mapping_of(found),
        "trust_marks": Trust.choices,
        **_citation(request, found),
    }
    return render(request, "kb/studies/study.html", context)


@require_safe
def table_csv(request: HttpRequest, slug: str, table: str) -> HttpResponse:  # noqa: ARG001
    """A table's cells as CSV, a line for each: published, recounted, difference."""
    name = f'attachment; filename="faultbook-{slug}-{table}.csv"'
    return HttpResponse(
        as_csv(list(table_records(_table(slug, table)))),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": name},
    )


@require_safe
def table_json(request: HttpRequest, slug: str, table: str) -> HttpResponse:
    """The same as JSON, with what the table is and how far to trust it."""
    shown = _table(slug, table)
    row = shown.table
    return JsonResponse(
        {
            "study": slug,
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
            "not_recounted": row.not_recounted_reason or None,
            "verdict": shown.said or None,
            "cells": list(table_records(shown)),
            "url": absolute(request, row.get_absolute_url()),
        }
    )


def _study(slug: str) -> Study:
    try:
        return read.study_detail(slug=slug)
    except Study.DoesNotExist as error:
        raise Http404("There is no such study.") from error


def _table(slug: str, table: str) -> StudyTable:
    found = _study(slug)
    tables = study_tables(study=found, is_imported=bool(read.imported_counts(study=found).issues))
    shown = next((shown for shown in tables if shown.table.slug == table), None)
    if shown is None:
        raise Http404("The study has no such table.")
    return shown


def _citation(request: HttpRequest, found: Study) -> dict[str, str]:
    item = citations.Item(
        key=citations.item_key("study", found.slug),
        title=f"{found.code}: {found.title}",
        page_url=absolute(request, found.get_absolute_url()),
        original_url=found.url,
    )
    today = timezone.localdate()
    return {
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }


def _axes(found: Study, counts: Mapping[int, int]) -> Iterator[AxisRows]:
    """The categories by axis. Published counts may hold pull requests, so imported ones do here, too."""
    nodes = read.study_nodes(study=found)
    if not nodes:
        # It may have no scheme at all.
        return
    parents = {node.pk: node.parent_id for node in nodes}
    for axis, members in groupby(nodes, key=lambda node: node.axis):
        rows = (
            CategoryRow(node, _depth(node.pk, parents), counts.get(node.pk, 0) if counts else None) for node in members
        )
        yield AxisRows(axis, tuple(rows))


def _depth(node: int, parents: Mapping[int, int | None]) -> int:
    above = parents[node]
    return 0 if above is None else 1 + _depth(above, parents)


def mapping_of(found: Study) -> str:
    """The name under which `import_study` knows the study's data set; empty when none was published."""
    return found.slug.removeprefix(f"{found.code.lower()}-") if found.data_url else ""
