"""The charts' pages: one chart with its table and the issues behind it, the same as a file, and a frame for others."""

from typing import Any

from csp.decorators import csp_replace, csp_update
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw
from kb.charts.evidence import Evidence, gather
from kb.exports import citations
from kb.exports.tables import as_csv
from kb.http.site import absolute
from kb.search import search
from kb.web.explore import query_form as asked
from kb.web.search.results import rows

SHOWN_ISSUES = 8
ANYBODY = "*"


@require_safe
def charts(request: HttpRequest) -> HttpResponse:
    """Every chart there is."""
    return render(request, "kb/explore/charts.html", {"charts": CHARTS})


# A picture is painted from a blob that the page's own script makes.
@require_safe
@csp_update({"img-src": ["blob:"]})  # type: ignore[arg-type]
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    """One chart: `?format=csv` or `?format=json` is its numbers as a file."""
    shown = _chart(slug)
    evidence = gather(request.GET)
    options = asked.asked_options(shown, request)
    chosen = choices(shown, options)
    drawn = draw(shown, evidence, chosen)
    wanted = request.GET.get("format")
    if wanted in ("csv", "json"):
        return _file(request, shown, evidence, drawn, chosen, wanted)
    context = {
        **_context(request, shown, evidence, drawn, options),
        "selects": asked.selects(evidence.params),
        "chips": asked.chips(evidence, options),
        "clear": asked.address(evidence.params.__class__(""), options),
        "switches": asked.switches(shown, evidence, chosen, options),
        "explained": [option.chosen(chosen[option.name]) for option in shown.options],
        **_issues(evidence),
        **_citation(request, shown),
    }
    return render(request, "kb/explore/chart.html", context, status=400 if evidence.errors else 200)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": [ANYBODY]})  # type: ignore[arg-type]
def embed(request: HttpRequest, slug: str) -> HttpResponse:
    """The chart alone, for a frame in a page of others; a click leads here."""
    shown = _chart(slug)
    evidence = gather(request.GET)
    options = asked.asked_options(shown, request)
    drawn = draw(shown, evidence, choices(shown, options))
    context = _context(request, shown, evidence, drawn, options)
    return render(request, "kb/explore/embed.html", context, status=400 if evidence.errors else 200)


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


def _context(
    request: HttpRequest, shown: Chart, evidence: Evidence, drawn: Drawn, options: dict[str, str]
) -> dict[str, Any]:
    here = reverse("chart", args=(shown.slug,))
    query = asked.address(evidence.params, options)
    return {
        "chart": shown,
        "evidence": evidence,
        "drawn": drawn,
        "errors": [text for texts in evidence.errors.values() for text in texts],
        # Before a query of issues: this page with its options.
        "base": f"{here}{asked.address(evidence.params.__class__(''), options)}&" if options else f"{here}?",
        "permalink": absolute(request, f"{here}{query}".removesuffix("?")),
        "embed_url": absolute(request, f"{reverse('chart-embed', args=(shown.slug,))}{query}".removesuffix("?")),
        "query": query,
        "counted_at": timezone.now(),
    }


def _issues(evidence: Evidence) -> dict[str, Any]:
    """The issues behind the figure, once anything narrows it down."""
    if not evidence.params or evidence.errors:
        return {}
    result = search(evidence.params, limit=SHOWN_ISSUES, with_facets=False)
    return {
        "result": result,
        "rows": rows(result),
        "issues_url": f"{reverse('search')}?{evidence.params.urlencode(safe='/,')}",
    }


def _citation(request: HttpRequest, shown: Chart) -> dict[str, str]:
    item = citations.Item(
        key=citations.item_key("chart", shown.slug),
        title=shown.title,
        page_url=absolute(request, request.get_full_path()),
    )
    today = timezone.localdate()
    return {
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }


def _file(
    request: HttpRequest, shown: Chart, evidence: Evidence, drawn: Drawn, chosen: dict[str, str], wanted: str
) -> HttpResponse:
    if evidence.errors:
        return JsonResponse({"errors": evidence.errors}, status=400)
    records = [{**record, "query": _issues_url(request, str(record["query"]))} for record in drawn.records]
    if wanted == "csv":
        name = f'attachment; filename="faultbook-{shown.slug}.csv"'
        return HttpResponse(
            as_csv(records), content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name}
        )
    return JsonResponse(
        {
            "chart": shown.slug,
            "title": shown.title,
            "method": shown.method,
            "options": chosen,
            "filters": evidence.params.dict(),
            "counted": {"issues": drawn.counted.issues, "of": drawn.counted.all_issues},
            "sources": [{"name": name, "issues": issues} for name, issues in drawn.sources],
            "notes": drawn.notes,
            "records": records,
        }
    )


def _issues_url(request: HttpRequest, query: str) -> str:
    return absolute(request, f"{reverse('search')}?{query}") if query else ""
