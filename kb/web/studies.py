"""The published studies: what each one is, what it counted, and how its categories relate to ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

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
    return render(request, "kb/studies.html", {"studies": read.studies(), "trust_marks": Trust.choices})


@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """One study, with its categories beside what was imported and the house codebook."""
    try:
        found = read.study_detail(slug=slug)
    except Study.DoesNotExist as error:
        raise Http404("There is no such study.") from error
    context = {
        "study": found,
        "trail": [("Studies", reverse("studies"))],
        "facts": found.facts,
        "axes": tuple(_axes(found)),
        "mapping": mapping_of(found),
        "trust_marks": Trust.choices,
    }
    return render(request, "kb/study.html", context)


def _axes(found: Study) -> Iterator[AxisRows]:
    """The categories by axis. Published counts may hold pull requests, so imported ones do here, too."""
    nodes = read.study_nodes(study=found)
    if not nodes:
        # It may have no scheme at all.
        return
    counts = read.issue_counts(scheme=found.scheme, all_kinds=True)
    depths: dict[int, int] = {}
    for node in nodes:
        depths[node.pk] = depths[node.parent_id] + 1 if node.parent_id else 0
    for axis, members in groupby(nodes, key=lambda node: node.axis):
        rows = (CategoryRow(node, depths[node.pk], counts.get(node.pk, 0) if counts else None) for node in members)
        yield AxisRows(axis, tuple(rows))


def mapping_of(found: Study) -> str:
    """The name under which `import_study` knows the study's data set; empty when none was published."""
    return found.slug.removeprefix(f"{found.code.lower()}-") if found.data_url else ""
