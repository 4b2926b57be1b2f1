"""Effort on one page: by category, its spread, small fixes, hard issues, and what study P1 published beside them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.catalogue import EFFORT
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import SECONDS, draw_together
from kb.charts.effort_beside import STUDY, Beside, beside, ours
from kb.charts.effort_shares import SMALL_FIXES
from kb.charts.evidence import Evidence, gather
from kb.charts.scope import Scope
from kb.models import Study
from kb.selectors.catalogue import study_by_code
from kb.selectors.remembered import remembered
from kb.web.explore import query_form as asked

STRATEGIES = 3


@dataclass(frozen=True)
class Panel:
    """A chart with its numbers, its own page with the same filters, and what stands before a query of its issues."""

    chart: Chart
    drawn: Drawn
    url: str
    base: str


@require_safe
def effort(request: HttpRequest) -> HttpResponse:
    """The four charts of effort for one set of words and filters; options are those of the charts."""
    evidence = gather(request.GET)
    first = EFFORT[0]
    options = asked.asked_options(first, request)
    study = study_by_code(code=STUDY)
    panels = () if evidence.errors else _panels(evidence, options)
    context = {
        "evidence": evidence,
        "errors": [text for texts in evidence.errors.values() for text in texts],
        "options": options,
        "selects": asked.selects(evidence.params),
        "chips": asked.chips(evidence, options),
        "clear": asked.address(evidence.params.__class__(""), options),
        "switches": asked.switches(first, evidence, choices(first, options), options),
        "panels": panels,
        "has_figures": any(not panel.drawn.is_empty for panel in panels),
        "study": study,
        "beside": _beside(evidence, study, panels) if study and panels else (),
        "search_url": reverse("search"),
        "counted_at": timezone.now(),
    }
    return render(request, "kb/explore/effort.html", context, status=400 if evidence.errors else 200)


def _panels(evidence: Evidence, options: dict[str, str]) -> tuple[Panel, ...]:
    charts = [(chart, choices(chart, options)) for chart in EFFORT]
    return tuple(
        _panel(chart, drawn, evidence, _said(chart, options))
        for (chart, _), drawn in zip(charts, draw_together(charts, evidence, shared=()), strict=True)
    )


def _said(chart: Chart, options: Mapping[str, str]) -> dict[str, str]:
    """Those of the page's options that the chart has, too."""
    offered = {option.name: {choice.value for choice in option.choices} for option in chart.options}
    return {name: value for name, value in options.items() if value in offered.get(name, ())}


def _panel(chart: Chart, drawn: Drawn, evidence: Evidence, options: dict[str, str]) -> Panel:
    here = reverse("chart", args=(chart.slug,))
    alone = asked.address(evidence.params.__class__(""), options)
    return Panel(
        chart, drawn, f"{here}{asked.address(evidence.params, options)}", f"{here}{alone}{'&' if options else ''}"
    )


def _beside(evidence: Evidence, study: Study, panels: tuple[Panel, ...]) -> tuple[Beside, ...]:
    small = next(panel for panel in panels if panel.chart.slug == SMALL_FIXES.slug)
    records = sorted(small.drawn.records, key=lambda record: -record["issues"])
    named = [str(one["fix_name"]) for one in records if "fix_name" in one and one["issues"]][:STRATEGIES]
    scope = Scope(evidence)
    counted = remembered(f"effort-beside:{evidence.key}", lambda: ours(scope), seconds=SECONDS)
    return beside(counted, scope, study.facts, named)
