"""Effort on one page: its four charts for the same words and filters, and what study P1 published beside them."""

from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.caption import Caption, caption
from kb.charts.catalogue import EFFORT
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import SECONDS, draw_together
from kb.charts.effort_beside import STUDY, Beside, beside, ours
from kb.charts.effort_shares import SMALL_FIXES
from kb.charts.evidence import Evidence, gather
from kb.charts.scope import Scope
from kb.http.site import absolute
from kb.models import Study
from kb.selectors.catalogue import study_by_code
from kb.selectors.remembered import remembered
from kb.web.explore.captions import origin_of
from kb.web.explore.query_form import Options, address, form_context, given_options, render_counted, switches

STRATEGIES = 3


@dataclass(frozen=True)
class Panel:
    """A chart with its numbers and caption, its own page with the same filters, and what comes before its queries."""

    chart: Chart
    drawn: Drawn
    about: Caption
    url: str
    base: str


@require_safe
def effort(request: HttpRequest) -> HttpResponse:
    """The four charts of effort for one set of words and filters; options are those of the charts."""
    evidence = gather(request.GET)
    first = EFFORT[0]
    options = given_options(first, request.GET)
    study = study_by_code(code=STUDY)
    panels = [] if evidence.errors else _panels(request, evidence, options)
    context = {
        **form_context(evidence, options),
        "options": options,
        "switches": switches(first, evidence, choices(first, options), options),
        "panels": panels,
        "has_figures": any(not panel.drawn.is_empty for panel in panels),
        "study": study,
        "beside": _beside(evidence, study, panels) if study and panels else (),
        "search_url": reverse("search"),
        "counted_at": timezone.now(),
    }
    return render_counted(request, "kb/explore/effort.html", evidence, context)


def _panels(request: HttpRequest, evidence: Evidence, options: Options) -> list[Panel]:
    charts = [(chart, choices(chart, options)) for chart in EFFORT]
    origin = origin_of(request, evidence, request.path)
    panels = []
    for (chart, chosen), drawn in zip(charts, draw_together(charts, evidence), strict=True):
        # Those of the page's options that the chart has, too.
        own = {name: value for name, value in options.items() if chosen.get(name) == value}
        page = reverse("chart", args=(chart.slug,))
        base = f"{page}{address(QueryDict(), own)}"
        url = f"{page}{address(evidence.params, own)}"
        about = caption(chart.title, drawn, replace(origin, url=absolute(request, url).removesuffix("?")))
        panels.append(Panel(chart, drawn, about, url, f"{base}&" if own else base))
    return panels


def _beside(evidence: Evidence, study: Study, panels: list[Panel]) -> tuple[Beside, ...]:
    small_fixes = next(panel.drawn for panel in panels if panel.chart.slug == SMALL_FIXES.slug)
    scope = Scope(evidence)
    counted = remembered(f"effort-beside:{evidence.key}", lambda: ours(scope), seconds=SECONDS)
    # Where the rows are those of another question, no fix pattern is named.
    records = [record for record in small_fixes.records if "fix_name" in record and record["issues"]]
    records.sort(key=lambda record: -int(record["issues"] or 0))
    commonest = [str(record["fix_name"]) for record in records[:STRATEGIES]]
    return beside(counted, scope, study.facts, commonest)
