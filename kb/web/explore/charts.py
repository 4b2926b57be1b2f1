"""The charts' pages: one chart with its table and the issues behind it, the same as a file, and a frame for others."""

from csp.decorators import csp_replace, csp_update
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from kb.charts.caption import caption
from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Chart, choices
from kb.charts.drawings import draw
from kb.charts.evidence import Evidence, gather
from kb.exports import citations
from kb.exports.charts import chart_document, chart_records
from kb.http.site import absolute
from kb.search import search
from kb.web.explore import Context
from kb.web.explore.captions import cite_chart, origin_of
from kb.web.explore.files import csv_file
from kb.web.explore.query_form import (
    Options,
    address,
    errors_of,
    form_context,
    given_options,
    render_counted,
    switches,
)
from kb.web.search.results import rows

SHOWN_ISSUES = 8
ANYBODY = "*"


# A picture is painted from a blob that the page's own script makes.
@require_safe
@csp_update({"img-src": ["blob:"]})  # type: ignore[arg-type]
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """One chart: `?format=csv` or `?format=json` is its numbers as a file."""
    shown = _chart(slug)
    evidence = gather(request.GET)
    options = given_options(shown, request.GET)
    chosen = choices(shown, options)
    file_format = request.GET.get("format")
    if file_format in ("csv", "json"):
        return _file(request, shown, evidence, chosen, file_format)
    about = _context(request, shown, evidence, options)
    context = {
        **about,
        **form_context(evidence, options),
        "switches": switches(shown, evidence, chosen, options),
        "explained": [option.chosen(chosen[option.name]) for option in shown.options],
        **cite_chart(citations.item_key("chart", shown.slug), shown.title, about["origin"]),
    }
    # The issues behind the figure, once anything narrows it down.
    if evidence.params and not evidence.errors:
        result = search(evidence.params, limit=SHOWN_ISSUES, with_facets=False)
        context |= {
            "result": result,
            "rows": rows(result),
        }
    return render_counted(request, "kb/explore/chart.html", evidence, context)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": [ANYBODY]})  # type: ignore[arg-type]
def embed(request: HttpRequest, slug: str) -> HttpResponse:
    """The chart alone, for a frame in a page of others; a click leads here."""
    shown = _chart(slug)
    evidence = gather(request.GET)
    context = _context(request, shown, evidence, given_options(shown, request.GET))
    return render_counted(request, "kb/explore/embed.html", evidence, context)


@require_safe
def old_map(request: HttpRequest) -> HttpResponse:
    """The map of symptoms and causes moved."""
    query = request.GET.urlencode()
    address = reverse("chart", args=("symptom-cause",))
    return redirect(f"{address}?{query}" if query else address, permanent=True)


def _chart(slug: str) -> Chart:
    if slug not in BY_SLUG:
        raise Http404(f"There is no chart called {slug}.")
    return BY_SLUG[slug]


def _context(request: HttpRequest, shown: Chart, evidence: Evidence, options: Options) -> Context:
    """What page and frame show alike."""
    page = reverse("chart", args=(shown.slug,))
    query = address(evidence.params, options)
    origin = origin_of(request, evidence, f"{page}{query}")
    drawn = draw(shown, evidence, choices(shown, options))
    return {
        "chart": shown,
        "evidence": evidence,
        "drawn": drawn,
        "origin": origin,
        "about": caption(shown.title, drawn, origin),
        "errors": errors_of(evidence),
        # Before a query of issues: this page with its options.
        "base": f"{page}{address(QueryDict(), options)}&" if options else f"{page}?",
        "permalink": origin.url,
        "embed_url": absolute(request, f"{reverse('chart-embed', args=(shown.slug,))}{query}".removesuffix("?")),
        "query": query,
        "counted_at": timezone.now(),
    }


def _file(request: HttpRequest, shown: Chart, evidence: Evidence, chosen: Options, file_format: str) -> HttpResponse:
    if evidence.errors:
        return JsonResponse({"errors": evidence.errors}, status=400)
    drawn = draw(shown, evidence, chosen)
    search_url = absolute(request, reverse("search"))
    if file_format == "csv":
        return csv_file(f"faultbook-{shown.slug}.csv", chart_records(drawn, search_url))
    page = reverse("chart", args=(shown.slug,)) + address(evidence.params, chosen)
    origin = origin_of(request, evidence, page)
    return JsonResponse(chart_document(shown, evidence, drawn, chosen, search_url, origin))
