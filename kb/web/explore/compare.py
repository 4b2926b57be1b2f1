"""Two studies compared through the crosswalk: a page, CSV and JSON."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.crosswalked import MARGIN, MOST_SHARED, Difference, Side, Standing
from kb.charts.figures import percent, percent_range
from kb.charts.study_comparison import Row, StudyComparison, compare_studies, records
from kb.exports import citations
from kb.exports.tables import as_csv
from kb.http.site import absolute
from kb.models import Study, Trust
from kb.selectors import crosswalks
from kb.web.parameters import chosen


@dataclass(frozen=True)
class ShownSide:
    """A study's share as the page writes it; without a share, only the categories that come near."""

    share: str
    interval: str
    counts: str
    names: str
    is_computed: bool


@dataclass(frozen=True)
class ShownRow:
    """A house category's row as the page writes it."""

    row: Row
    sides: tuple[ShownSide, ShownSide]
    difference: str
    interval: str


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """`?a=` and `?b=`: slugs of studies; `?axis=`: a house axis; `?format=csv` and `?format=json`: the same as a file.

    400 for a study or question that there is not, and for a study beside itself.
    """
    studies = crosswalks.studies()
    named = [(study.slug, str(study)) for study in studies]
    slugs = [chosen(request.GET, name, named, noun="study") for name in ("a", "b")]
    context: dict[str, Any] = {"studies": studies, "a": slugs[0], "b": slugs[1], "trail": [_above()]}
    if not all(slugs):
        return render(request, "kb/explore/compare.html", context)
    first, second = (next(study for study in studies if study.slug == slug) for slug in slugs)
    if first == second:
        context["problem"] = "Choose two different studies."
        return render(request, "kb/explore/compare.html", context, status=400)
    axis = chosen(request.GET, "axis", crosswalks.house_axes().items(), noun="axis")
    try:
        found = compare_studies(first=first, second=second, axis=axis)
    except KeyError as error:
        raise BadRequest(f"These studies do not have the axis “{axis}” in common.") from error
    wanted = request.GET.get("format")
    if wanted in ("csv", "json"):
        return _file(first, second, found, wanted)
    context |= _context(request, first, second, found)
    return render(request, "kb/explore/compare.html", context)


def _above() -> tuple[str, str]:
    return "Studies", reverse("studies")


def _context(request: HttpRequest, first: Study, second: Study, found: StudyComparison | None) -> dict[str, Any]:
    item = citations.Item(
        key=citations.item_key("compare", first.slug, second.slug),
        title=f"{first.code} and {second.code} compared",
        page_url=absolute(request, request.get_full_path()),
    )
    today = timezone.localdate()
    query = urlencode({"a": first.slug, "b": second.slug})
    return {
        "first": first,
        "second": second,
        "found": found,
        "query": query,
        "shown_rows": [_shown(row) for row in found.rows] if found else [],
        "may_overlap": second in first.overlaps.all(),
        "margin": round(MARGIN * 100),
        "most_shared": round(MOST_SHARED * 100),
        "trust_marks": Trust.choices,
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }


def _shown(row: Row) -> ShownRow:
    difference, interval = _points(row.difference)
    return ShownRow(row, (_shown_side(row.first), _shown_side(row.second)), difference, interval)


def _shown_side(side: Side) -> ShownSide:
    names = ", ".join(side.names)
    if side.standing is not Standing.MEANT or side.share is None or side.interval is None:
        return ShownSide("", "", "", names, is_computed=False)
    counts = f"{side.cases:,} of {side.of:,}"
    return ShownSide(percent(side.share), percent_range(side.interval), counts, names, side.is_computed)


def _points(difference: Difference) -> tuple[str, str]:
    """The difference in percentage points with its interval: one digit, since many are small."""
    if difference.share is None or difference.interval is None:
        return "", ""
    return _signed(difference.share), f"{_signed(difference.interval.low)} to {_signed(difference.interval.high)}"


def _signed(share: float) -> str:
    points = round(share * 100, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def _file(first: Study, second: Study, found: StudyComparison | None, wanted: str) -> HttpResponse:
    rows = records(found) if found else []
    if wanted == "csv":
        name = f'attachment; filename="faultbook-{first.slug}-{second.slug}.csv"'
        return HttpResponse(as_csv(rows), content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
    return JsonResponse(
        {
            "a": first.slug,
            "b": second.slug,
            "axis": found.axis if found else None,
            "axes": list(found.axes) if found else [],
            "shared_issues": found.shared if found else None,
            "not_comparable": (found.hindrance or None) if found else "no question in common",
            "rows": rows,
        }
    )
