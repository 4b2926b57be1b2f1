"""A report: chosen charts for any words and filters, with method, tables, sources and citation, as a page or one file.

The file needs nobody: styles, figures' library and numbers are in it. Both are made for printing too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from kb.charts.caption import Caption, caption
from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw
from kb.charts.evidence import Evidence, gather
from kb.core.search.filter_values import split_values
from kb.exports import citations
from kb.http.site import absolute
from kb.models import Source
from kb.web.explore import Context
from kb.web.explore.captions import cite_chart, origin_of
from kb.web.explore.query_form import address, form_context, given_options, render_counted
from kb.web.parameters import one_of

USUAL = ("symptom-cause", "cause-fix", "framework-symptom")
MOST_TITLE = 120
STYLES = (
    "css/bootstrap.min.css",
    "css/tokens.css",
    "css/faultbook.css",
    "css/focus.css",
    "css/explore.css",
    "css/chart.css",
    "css/report.css",
)
SCRIPTS = ("plotly/plotly.min.js", "js/chart.js")
FONTS = re.compile(r"@font-face\s*{[^}]*}")


@dataclass(frozen=True)
class Part:
    """A chart of the report with its caption and the options that were chosen, in words."""

    chart: Chart
    drawn: Drawn
    about: Caption
    chosen: tuple[str, ...]

    @property
    def name(self) -> str:
        """The id of its figure on the page."""
        return f"report-{self.chart.slug}"


@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """`?charts=` names the charts, `?title=` the report; `?format=html` is the file."""
    evidence = gather(request.GET)
    slugs = _slugs(request)
    title = request.GET.get("title", "").strip()[:MOST_TITLE] or "What is known, in figures"
    options = {"charts": ",".join(slugs)}
    parts = [] if evidence.errors else [_part(request, BY_SLUG[slug], evidence) for slug in slugs]
    url = absolute(request, request.get_full_path())
    origin = origin_of(request, evidence, request.get_full_path())
    context: Context = {
        **form_context(evidence, options),
        "title": title,
        "parts": parts,
        "sources": _sources(parts),
        "origin": origin,
        "most_counted": max((part.drawn.counted.all_issues for part in parts), default=0),
        "made_at": timezone.now(),
        "permalink": url,
        "site": absolute(request, "/"),
        "base": f"{absolute(request, reverse('search'))}?",
        "all_charts": [(chart, chart.slug in slugs) for chart in CHARTS],
        "options": options,
        **cite_chart(citations.item_key("report"), title, origin),
    }
    if request.GET.get("format") == "html" and not evidence.errors:
        return _file(context)
    if request.GET.get("title"):
        context["options"] = {**options, "title": title}
    return render_counted(request, "kb/explore/report.html", evidence, context)


def _slugs(request: HttpRequest) -> list[str]:
    """The charts that the address names, in the catalogue's order, else the usual ones."""
    known = [(chart.slug, chart.title) for chart in CHARTS]
    values = split_values(request.GET.get("charts", ""))
    named = {one_of(value.text, known, noun="chart") for value in values}
    return [chart.slug for chart in CHARTS if chart.slug in named] or list(USUAL)


def _part(request: HttpRequest, chart: Chart, evidence: Evidence) -> Part:
    options = given_options(chart, request.GET)
    chosen = choices(chart, options)
    labels = tuple(f"{option.label}: {option.chosen(chosen[option.name]).label}" for option in chart.options)
    drawn = draw(chart, evidence, chosen)
    origin = origin_of(request, evidence, reverse("chart", args=(chart.slug,)) + address(evidence.params, options))
    return Part(chart, drawn, caption(chart.title, drawn, origin), labels)


def _sources(parts: Sequence[Part]) -> list[Source]:
    """The sources that were counted, most trusted first."""
    names: set[str] = set()
    for part in parts:
        names.update(name for name, _ in part.drawn.sources)
    return sorted(Source.objects.filter(name__in=names).select_related("study"), key=lambda source: source.by_trust)


def _file(context: Context) -> HttpResponse:
    files = {"styles": _static_text(*STYLES), "scripts": [_static_text(name) for name in SCRIPTS]}
    html = render_to_string("kb/explore/report_file.html", context | files)
    return HttpResponse(html, headers={"Content-Disposition": 'attachment; filename="faultbook-report.html"'})


def _static_text(*names: str) -> SafeString:
    """Files of ours and of an installed package, as they may stand in an element of a page."""
    texts = [Path(str(finders.find(name))).read_text(encoding="utf-8") for name in names]
    # A typeface of the site's would be asked for; the reader's own stands in.
    text = FONTS.sub("", "\n".join(texts))
    return mark_safe(text.replace("</script", "<\\/script").replace("</style", "<\\/style"))  # noqa: S308
