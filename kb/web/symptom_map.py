"""The symptom × cause map: a heat map and its table, both from one selector, for one source at a time."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.charts.figures import FEW, is_few
from kb.charts.intervals import Interval
from kb.charts.symptom_map import MANY_COLUMNS, Grid, Heading, Measure, Pair, heat_map, pair_rows, table
from kb.models import Source
from kb.selectors import cause_links as read
from kb.web.issue_links import pair_url

MEASURES = {
    Measure.COUNT: ("Issues", "How many issues have both the symptom and the cause."),
    Measure.SHARE: ("Share", "P(cause | symptom): of the issues with the symptom, the share that has the cause."),
    Measure.LIFT: (
        "Lift",
        "How many times more often the cause stands behind this symptom than behind any issue of the source: "
        "1× is no more than usual.",
    ),
}
LEVELS = {1: "Groups", 2: "Categories"}


@require_safe
def symptom_map(request: HttpRequest) -> HttpResponse:
    """Which causes stand behind which symptoms: `?source=`, `?measure=` and `?level=` are the state."""
    sources = read.sources_with_links()
    wanted = request.GET.get("source", "")
    source = next((row.source for row in sources if wanted in ("", row.source.slug)), None)
    if source is None:
        status = 404 if wanted else 200
        return render(request, "kb/map.html", {"sources": sources, "source": None, "wanted": wanted}, status=status)
    measure = _known(Measure, request.GET.get("measure"), Measure.COUNT)
    level = 2 if request.GET.get("level") == "2" else 1
    matrix = read.cause_matrix(source=source, level=level)
    grid = as_grid(matrix, source)
    many = len(grid.causes) > MANY_COLUMNS
    context = {
        "sources": sources,
        "source": source,
        "known": next(row.issues for row in sources if row.source == source),
        "matrix": matrix,
        "rows": () if many else table(grid, measure),
        "pairs": pair_rows(grid) if many else (),
        "grid": grid,
        "figure": heat_map(grid, measure),
        "measure": {"value": measure.value, "name": MEASURES[measure][0], "explained": MEASURES[measure][1]},
        "switches": _switches(request.GET, sources, source, measure, level),
        "changed": read.links_last_changed(source=source),
        "few": FEW,
        "weak": [symptom for symptom in grid.symptoms if is_few(symptom.issues)],
        "groups_url": _changed(request.GET, "level", "1"),
    }
    return render(request, "kb/map.html", context)


def as_grid(matrix: read.CauseMatrix, source: Source) -> Grid:
    """The matrix as a chart's plain values, every pair with the address of its issues."""
    return Grid(
        symptoms=_headings(matrix.symptoms),
        causes=_headings(matrix.causes),
        pairs={
            (link.symptom.code, link.cause.code): Pair(
                issues=link.issues,
                symptom_issues=link.symptom_issues,
                cause_issues=link.cause_issues,
                all_issues=link.all_issues,
                interval=Interval(link.probability_low, link.probability_high),
                url=pair_url(link.symptom, link.cause, source),
            )
            for link in matrix.links
        },
    )


def _headings(rows: Iterable[read.MatrixNode]) -> tuple[Heading, ...]:
    return tuple(Heading(row.node.code, row.node.name, row.issues, row.node.get_absolute_url()) for row in rows)


def _known(kind: type[Measure], text: str | None, default: Measure) -> Measure:
    return kind(text) if text in {member.value for member in kind} else default


def _changed(params: QueryDict, key: str, value: str) -> str:
    """The page's address with one thing changed."""
    changed = params.copy()
    changed[key] = value
    return f"?{changed.urlencode()}"


def _switches(
    params: QueryDict, sources: Iterable[read.LinkedSource], source: Source, measure: Measure, level: int
) -> list[dict[str, Any]]:
    """Each switch with its choices as links that keep the rest of the address."""

    def choice(key: str, value: str, name: str, selected: bool) -> dict[str, Any]:
        return {"name": name, "url": _changed(params, key, value), "selected": selected}

    return [
        {
            "label": "Source",
            "choices": [
                choice("source", row.source.slug, f"{row.source.name} (n = {row.issues})", row.source == source)
                for row in sources
            ],
        },
        {
            "label": "Show",
            "choices": [choice("measure", m.value, MEASURES[m][0], m is measure) for m in Measure],
        },
        {"label": "Level", "choices": [choice("level", str(n), name, n == level) for n, name in LEVELS.items()]},
    ]
