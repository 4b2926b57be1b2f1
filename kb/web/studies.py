"""The published studies: their facts, claims and tables, and how their categories relate to the house codebook."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.claims import claims, code_of, tally
from kb.charts.study_tables import StudyTable, study_tables
from kb.codebook.examples import cited
from kb.exports import citations
from kb.exports.studies import table_document, table_records
from kb.exports.tables import as_csv
from kb.http.downloads import download
from kb.http.site import absolute
from kb.models import Axis, Node, Study, Trust
from kb.selectors import codebook as read
from kb.web import json_ld
from kb.web.parameters import reads


@dataclass(frozen=True)
class CategoryRow:
    """A study's category with its imported issues and its depth in the tree."""

    node: Node
    depth: int
    imported: int | None
    is_partial: bool = False

    @property
    def difference(self) -> int | None:
        """Imported minus published; None unless both are known of the same data."""
        published = self.node.published_count
        if self.imported is None or published is None or self.is_partial:
            return None
        return self.imported - published

    @property
    def fewer(self) -> int:
        """How many fewer were imported than published."""
        return -min(0, self.difference or 0)


@dataclass(frozen=True)
class AxisRows:
    """An axis of a study with its categories."""

    axis: Axis
    rows: tuple[CategoryRow, ...]


@reads()
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """Every study with its size and what is imported of it."""
    return render(request, "kb/studies/studies.html", {"studies": read.studies(), "trust_marks": Trust.choices})


@reads()
@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """One study: its facts and tables, and its categories with imported counts and house categories."""
    row = _study(slug)
    imported = read.imported_counts(study=row)
    item = citations.Item(
        key=citations.item_key("study", row.slug),
        title=f"{row.code}: {row.title}",
        page_url=absolute(request, row.get_absolute_url()),
        original_url=row.url,
    )
    today = timezone.localdate()
    found = claims([row])
    tables = study_tables(study=row, is_imported=bool(imported.issues))
    is_partial = any(shown.not_given for shown in tables)
    context = {
        "study": row,
        "trail": [("Studies", reverse("studies"))],
        "facts": row.facts,
        "imported_issues": imported.issues,
        "tables": tables,
        "claims": [claim for claim in found if claim.is_asked],
        "examples": len({example.url for example in cited().get(slug, ())}),
        "unasked": [claim for claim in found if not claim.is_asked],
        "tally": [(name, code_of(name), number) for name, number in tally(found)],
        "axes": _axes(row, imported.by_node, is_partial=is_partial),
        "mapping": mapping_of(row),
        "trust_marks": Trust.choices,
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
        "json_ld": json_ld.of_study(request, row),
    }
    return render(request, "kb/studies/study.html", context)


@require_safe
def table_csv(request: HttpRequest, slug: str, table: str) -> HttpResponse:  # noqa: ARG001
    """A table's cells as CSV, a line for each: published, recounted, difference."""
    return download(f"faultbook-{slug}-{table}.csv", as_csv(list(table_records(_table(slug, table)))))


@require_safe
def table_json(request: HttpRequest, slug: str, table: str) -> HttpResponse:
    """A table's cells as JSON, with its title, unit and trust mark."""
    shown = _table(slug, table)
    return JsonResponse(table_document(shown, url=absolute(request, shown.table.get_absolute_url())))


def _study(slug: str) -> Study:
    try:
        return read.study_detail(slug=slug)
    except Study.DoesNotExist as error:
        raise Http404("There is no such study.") from error


def _table(slug: str, table: str) -> StudyTable:
    row = _study(slug)
    tables = study_tables(study=row, is_imported=bool(read.imported_counts(study=row).issues))
    for shown in tables:
        if shown.table.slug == table:
            return shown
    raise Http404("The study has no such table.")


def _axes(study: Study, counts: Mapping[int, int], *, is_partial: bool) -> list[AxisRows]:
    """The categories by axis. Published counts may include pull requests, so imported ones do, too."""
    nodes = read.study_nodes(study=study)
    parents = {node.pk: node.parent_id for node in nodes}
    axes = []
    for axis, members in groupby(nodes, key=attrgetter("axis")):
        rows = []
        for node in members:
            imported = counts.get(node.pk, 0) if counts else None
            rows.append(CategoryRow(node, _depth(node.pk, parents), imported, is_partial))
        axes.append(AxisRows(axis, tuple(rows)))
    return axes


def _depth(pk: int, parents: Mapping[int, int | None]) -> int:
    parent = parents[pk]
    return 0 if parent is None else 1 + _depth(parent, parents)


def mapping_of(study: Study) -> str:
    """The name of the study's data set for `import_study`; empty when none was published."""
    return study.slug.removeprefix(f"{study.code.lower()}-") if study.data_url else ""
