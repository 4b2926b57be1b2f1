"""Where Explore begins: the charts that say most, side by side, for the words and filters of the address."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw_together
from kb.charts.evidence import Evidence, gather
from kb.web.explore.query_form import address, form_context, issues_url, render_counted

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
    """A chart of the page; `base` comes before a query of issues, `url` is the chart's page with the filters."""

    chart: Chart
    drawn: Drawn
    base: str
    url: str

    @property
    def is_wide(self) -> bool:
        """Whether its figure needs the whole width."""
        return bool(self.drawn.figure.get("min_width", 0) > HALF)


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """All panels, narrowed alike."""
    evidence = gather(request.GET)
    panels = [] if evidence.errors else _panels(evidence)
    context = {
        **form_context(evidence, {}),
        "panels": panels,
        "first": panels[0].drawn if panels else None,
        "is_empty": all(panel.drawn.is_empty for panel in panels),
        "issues_url": issues_url(evidence),
        "counted_at": timezone.now(),
    }
    return render_counted(request, "kb/explore/dashboard.html", evidence, context)


def _panels(evidence: Evidence) -> list[Panel]:
    charts = [BY_SLUG[slug] for slug in PANELS]
    drawn = draw_together([(chart, choices(chart, {})) for chart in charts], evidence)
    query = address(evidence.params, {}) if evidence.params else ""
    panels = []
    for chart, chart_drawn in zip(charts, drawn, strict=True):
        page = reverse("chart", args=(chart.slug,))
        panels.append(Panel(chart, chart_drawn, f"{page}?", f"{page}{query}"))
    return panels
