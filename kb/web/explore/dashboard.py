"""Where Explore begins: six cards for the words and filters of the address, the same for a frame, and all charts."""

from collections.abc import Mapping
from dataclasses import dataclass

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from kb.charts.catalogue import BY_SLUG, GROUPS
from kb.charts.chart import Chart, choices
from kb.charts.crossed import CrossedChart
from kb.charts.drawings import draw
from kb.charts.effort import EffortChart
from kb.charts.effort_shares import SharesChart
from kb.charts.effort_spread import SpreadChart
from kb.charts.evidence import Evidence, gather
from kb.charts.flow import FlowChart
from kb.charts.over_time import OverTime
from kb.charts.overview import overview
from kb.charts.states import States
from kb.http.site import absolute
from kb.web.explore import Context
from kb.web.explore.charts import ANYBODY
from kb.web.explore.query_form import address, form_context, render_counted

RISING = "hot-spots"
# What a chart's thumbnail shows; the others have bars.
THUMBNAILS: Mapping[type, str] = {
    CrossedChart: "grid",
    FlowChart: "flow",
    OverTime: "columns",
    States: "stack",
    EffortChart: "spread",
    SpreadChart: "spread",
    SharesChart: "dots",
}


@dataclass(frozen=True)
class Entry:
    """A chart of the catalogue with its page and the kind of its thumbnail."""

    chart: Chart
    url: str
    thumbnail: str


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """The cards, and below them every other chart, for the same words and filters."""
    evidence = gather(request.GET)
    context = {**_context(request, evidence), **form_context(evidence, {}), "groups": _groups(evidence)}
    return render_counted(request, "kb/explore/dashboard.html", evidence, context)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": [ANYBODY]})
def dashboard_embed(request: HttpRequest) -> HttpResponse:
    """The cards alone, for a frame in a page of others; a click leads here."""
    evidence = gather(request.GET)
    context = {**_context(request, evidence), **form_context(evidence, {})}
    return render_counted(request, "kb/explore/dashboard_embed.html", evidence, context)


@require_safe
def charts(request: HttpRequest) -> HttpResponse:
    """Every chart there is, by question."""
    return render(request, "kb/explore/charts.html", {"groups": _groups(gather(request.GET))})


def _context(request: HttpRequest, evidence: Evidence) -> Context:
    """What page and frame show alike."""
    page, query = reverse("explore"), _query(evidence)
    context: Context = {
        "base": f"{page}?",
        "query": query,
        "permalink": absolute(request, page + query),
        "embed_url": absolute(request, reverse("explore-embed") + query),
        "counted_at": timezone.now(),
    }
    if not evidence.errors:
        context["overview"] = overview(evidence)
        # To look for rises takes longer than to count all cards, so a click does not wait for it.
        if not evidence.params:
            rising = BY_SLUG[RISING]
            context["rising"] = draw(rising, evidence, choices(rising, {}))
        context["rising_url"] = reverse("chart", args=(RISING,)) + query
    return context


def _groups(evidence: Evidence) -> list[tuple[str, list[Entry]]]:
    """The catalogue, with the words and filters kept."""
    query = _query(evidence)
    groups = []
    for group in GROUPS:
        entries = []
        for chart in group.charts:
            url = reverse("chart", args=(chart.slug,)) + query
            entries.append(Entry(chart, url, THUMBNAILS.get(type(chart), "bars")))
        groups.append((group.question, entries))
    return groups


def _query(evidence: Evidence) -> str:
    return address(evidence.params, {}) if evidence.params else ""
