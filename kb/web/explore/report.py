"""A report: chosen charts for any words and filters, with method, tables, sources and citation, as a page or one file.

The file needs nobody: styles, figures' library and numbers are in it. Both are made for printing too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw
from kb.charts.evidence import Evidence, gather
from kb.exports import citations
from kb.filters.values import split_values
from kb.http.site import absolute
from kb.models import Source
from kb.selectors.catalogue import scheme_version
from kb.web.explore import query_form as asked
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


@dataclass(frozen=True)
class Part:
    """A chart of the report; `name` is its id on the page."""

    chart: Chart
    drawn: Drawn
    chosen: tuple[str, ...]
    page: str

    @property
    def name(self) -> str:
        """The id of its figure."""
        return f"report-{self.chart.slug}"


@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """`?charts=` names the charts, `?title=` the report; `?format=html` is the file."""
    evidence = gather(request.GET)
    wanted = _wanted(request)
    parts = [] if evidence.errors else [_part(request, BY_SLUG[slug], evidence) for slug in wanted]
    context = {
        "evidence": evidence,
        "errors": [text for texts in evidence.errors.values() for text in texts],
        "title": request.GET.get("title", "").strip()[:MOST_TITLE] or "What is known, in figures",
        "parts": parts,
        "chips": asked.chips(evidence, {"charts": ",".join(wanted)}),
        "clear": asked.address(evidence.params.__class__(""), {"charts": ",".join(wanted)}),
        "sources": _sources(parts),
        "version": scheme_version(slug=evidence.scheme),
        "made_at": timezone.now(),
        "permalink": absolute(request, request.get_full_path()),
        "site": absolute(request, "/"),
        "base": f"{absolute(request, reverse('search'))}?",
        **_citation(request),
    }
    if request.GET.get("format") == "html" and not evidence.errors:
        return _file(context)
    context |= {
        "selects": asked.selects(evidence.params),
        "all_charts": [(chart, chart.slug in wanted) for chart in CHARTS],
        "options": {"charts": ",".join(wanted)} | ({"title": context["title"]} if request.GET.get("title") else {}),
    }
    return render(request, "kb/explore/report.html", context, status=400 if evidence.errors else 200)


def _wanted(request: HttpRequest) -> list[str]:
    """The charts that are asked for, in the catalogue's order."""
    known = [(chart.slug, chart.title) for chart in CHARTS]
    said = split_values(request.GET.get("charts", ""))
    named = {one_of(one.text, known, noun="chart") for one in said}
    return [slug for slug, _ in known if slug in named] or list(USUAL)


def _part(request: HttpRequest, chart: Chart, evidence: Evidence) -> Part:
    options = asked.asked_options(chart, request)
    chosen = choices(chart, options)
    labels = tuple(f"{one.label}: {one.chosen(chosen[one.name]).label}" for one in chart.options)
    page = absolute(request, reverse("chart", args=(chart.slug,)) + asked.address(evidence.params, options))
    return Part(chart, draw(chart, evidence, chosen), labels, page)


def _sources(parts: Sequence[Part]) -> list[Source]:
    """Whose labels were counted, most trusted first."""
    named = {name for part in parts for name, _ in part.drawn.sources}
    return sorted(Source.objects.filter(name__in=named).select_related("study"), key=lambda source: source.by_trust)


def _citation(request: HttpRequest) -> dict[str, str]:
    url = absolute(request, request.get_full_path())
    item = citations.Item(key=citations.item_key("report"), title="Faultbook: a report", page_url=url)
    today = timezone.localdate()
    return {"citation": citations.plain_text(item, accessed=today), "bibtex": citations.bibtex(item, accessed=today)}


def _file(context: dict[str, Any]) -> HttpResponse:
    scripts, styles = (
        [Path(str(finders.find(name))).read_text(encoding="utf-8") for name in names] for names in (SCRIPTS, STYLES)
    )
    html = render_to_string(
        "kb/explore/report_file.html", context | {"styles": _ours(styles), "scripts": [_ours([one]) for one in scripts]}
    )
    return HttpResponse(html, headers={"Content-Disposition": 'attachment; filename="faultbook-report.html"'})


def _ours(texts: Sequence[str]) -> SafeString:
    """Files of ours and of an installed package, as they are."""
    return mark_safe("\n".join(texts).replace("</script", "<\\/script").replace("</style", "<\\/style"))  # noqa: S308
