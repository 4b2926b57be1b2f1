"""Two studies compared through the crosswalk, or one with our own records: a page, CSV and JSON."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.crosswalked import MARGIN, MOST_SHARED, Side, Standing
from kb.charts.figures import percent, percent_range
from kb.charts.own_records import RECORDS, OwnRecords, query_of
from kb.charts.study_comparison import Row, StudyComparison, Subject, compare_studies
from kb.exports import citations
from kb.exports.studies import comparison_document, comparison_records
from kb.http.site import absolute
from kb.models import Trust
from kb.selectors import crosswalks
from kb.web.explore import Context
from kb.web.explore.files import csv_file
from kb.web.parameters import chosen


@dataclass(frozen=True)
class ShownSide:
    """A study's share as the page writes it; without a share, only the categories that come near.

    `query`: of the issues behind a share of our own records.
    """

    share: str
    interval: str
    counts: str
    names: str
    is_computed: bool
    query: str = ""


@dataclass(frozen=True)
class ShownRow:
    """A house category's row as the page writes it."""

    row: Row
    sides: tuple[ShownSide, ShownSide]
    difference: str
    interval: str


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """`?a=` and `?b=`: slugs of studies, or `records`; `?axis=`: a house axis; `?format=csv`, `json`: as a file.

    400 for a study or question that there is not, and for a study beside itself.
    """
    studies: dict[str, Subject] = {}
    for study in crosswalks.studies():
        # Without a study there is nothing to compare records with.
        studies.setdefault(RECORDS.slug, RECORDS)
        studies[study.slug] = study
    named = [(slug, str(study)) for slug, study in studies.items()]
    a = chosen(request.GET, "a", named, noun="study")
    b = chosen(request.GET, "b", named, noun="study")
    trail = [("Studies", reverse("studies"))]
    context: Context = {"studies": list(studies.values()), "a": a, "b": b, "trail": trail}
    if not a or not b:
        return render(request, "kb/explore/compare.html", context)
    if a == b:
        context["problem"] = "Choose two different studies."
        return render(request, "kb/explore/compare.html", context, status=400)
    first, second = studies[a], studies[b]
    axis = chosen(request.GET, "axis", crosswalks.house_axes().items(), noun="axis")
    try:
        comparison = compare_studies(first=first, second=second, axis=axis)
    except KeyError as error:
        raise BadRequest(f"These studies do not have the axis “{axis}” in common.") from error
    file_format = request.GET.get("format")
    if file_format == "csv":
        return csv_file(f"faultbook-{a}-{b}.csv", comparison_records(comparison))
    if file_format == "json":
        return JsonResponse(comparison_document(first, second, comparison))
    context |= _comparison_context(request, first, second, comparison)
    return render(request, "kb/explore/compare.html", context)


def _comparison_context(
    request: HttpRequest, first: Subject, second: Subject, comparison: StudyComparison | None
) -> Context:
    cited = citations.Item(
        key=citations.item_key("compare", first.slug, second.slug),
        title=f"{first.code} and {second.code} compared",
        page_url=absolute(request, request.get_full_path()),
    )
    return {
        "first": first,
        "second": second,
        "found": comparison,
        "query": urlencode({"a": first.slug, "b": second.slug}),
        "shown_rows": [_shown(row, comparison) for row in comparison.rows] if comparison else [],
        "may_overlap": _may_overlap(first, second),
        "margin": round(MARGIN * 100),
        "most_shared": round(MOST_SHARED * 100),
        "trust_marks": Trust.choices,
        **citations.cite(cited, accessed=timezone.localdate()),
    }


def _may_overlap(first: Subject, second: Subject) -> bool:
    """Whether the samples are said to share issues; our records are chosen from everywhere."""
    if isinstance(first, OwnRecords) or isinstance(second, OwnRecords):
        return True
    return second in first.overlaps.all()


def _shown(row: Row, comparison: StudyComparison) -> ShownRow:
    """The row in words; a difference in percentage points with one digit, since many are small."""
    query = query_of(axis=comparison.axis, code=row.node.code)
    sides = (
        _shown_side(row.first, query if isinstance(comparison.first.study, OwnRecords) else ""),
        _shown_side(row.second, query if isinstance(comparison.second.study, OwnRecords) else ""),
    )
    share, interval = row.difference.share, row.difference.interval
    if share is None or interval is None:
        return ShownRow(row, sides, "", "")
    return ShownRow(row, sides, _points(share), f"{_points(interval.low)} to {_points(interval.high)}")


def _shown_side(side: Side, query: str) -> ShownSide:
    names = ", ".join(side.names)
    if side.standing is not Standing.MEANT or side.share is None or side.interval is None:
        return ShownSide("", "", "", names, is_computed=False)
    counts = f"{side.cases:,} of {side.of:,}"
    return ShownSide(percent(side.share), percent_range(side.interval), counts, names, side.is_computed, query)


def _points(share: float) -> str:
    points = round(share * 100, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"
