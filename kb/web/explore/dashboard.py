"""Where Explore begins: the charts that say most, side by side, for the words and filters of the address."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw_together
from kb.charts.evidence import Evidence, gather
from kb.web.explore import query_form as asked

# The most useful first.
PANELS = (
    "hot-spots",
    "issues-over-time",
    "stages",
    "state",
    "symptom-cause",
    "framework-symptom",
    "component-cause",
    "theme-framework",
    "distributed-share",
)
# Figures that need more pixels than this get a row for themselves.
HALF = 480


@dataclass(frozen=True)
class Panel:
    """A chart of the page; `base` stands before a query of issues, and `url` leads to the chart with the filters."""

    chart: Chart
    drawn: Drawn
    base: str
    url: str

    @property
    def is_wide(self) -> bool:
        """Does its figure need the whole width?"""
        return bool(self.drawn.figure.get("min_width", 0) > HALF)


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """All panels, narrowed alike."""
    evidence = gather(request.GET)
    panels = () if evidence.errors else _panels(evidence)
    context = {
        "evidence": evidence,
        "errors": [text for texts in evidence.errors.values() for text in texts],
        "panels": panels,
        "first": panels[0].drawn if panels else None,
        "is_empty": all(panel.drawn.is_empty for panel in panels),
        "selects": asked.selects(evidence.params),
        "chips": asked.chips(evidence, {}),
        "clear": "?",
        "issues_url": f"{reverse('search')}?{evidence.params.urlencode(safe='/,')}",
        "counted_at": timezone.now(),
    }
    return render(request, "kb/explore/dashboard.html", context, status=400 if evidence.errors else 200)


def _panels(evidence: Evidence) -> tuple[Panel, ...]:
    charts = [BY_SLUG[slug] for slug in PANELS]
    drawn = draw_together([(chart, choices(chart, {})) for chart in charts], evidence)
    query = asked.address(evidence.params, {}) if evidence.params else ""
    return tuple(
        Panel(chart, one, f"{_page(chart)}?", f"{_page(chart)}{query}")
        for chart, one in zip(charts, drawn, strict=True)
    )


def _page(chart: Chart) -> str:
    return reverse("chart", args=(chart.slug,))
