"""Frameworks, components or years side by side: a page whose address is the comparison, and the same as a file."""

from csp.decorators import csp_update
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.charts.caption import Origin, caption
from kb.charts.chart import Heading
from kb.charts.evidence import Evidence, gather
from kb.charts.side_by_side import METHOD, MOST_SIDES, OPTIONS, SideBySide, offered, side_by_side
from kb.core.search.filter_values import split_values
from kb.exports import Document, citations
from kb.exports.charts import chart_records
from kb.http.site import absolute
from kb.web.explore import Context
from kb.web.explore.captions import cite_chart, origin_of
from kb.web.explore.files import csv_file
from kb.web.explore.query_form import Options, address, form_context, issues_url, render_counted, switch
from kb.web.parameters import one_by_one, one_of

LEAST_SIDES = 2


# A picture is painted from a blob that the page's own script makes.
@require_safe
@csp_update({"img-src": ["blob:"]})
@one_by_one("side")
def compare_sides(request: HttpRequest) -> HttpResponse:
    """`by`, `side` (several), `rows`, `level`; `?format=csv` or `?format=json` is the same as a file."""
    evidence = gather(request.GET)
    chosen = {option.name: option.chosen(request.GET.get(option.name)).value for option in OPTIONS}
    known = [] if evidence.errors else offered(evidence, chosen["by"])
    wanted = [] if evidence.errors else _wanted(request, known)
    options = {**_given(request, chosen), **({"side": ",".join(wanted)} if wanted else {})}
    page = reverse("compare") + address(evidence.params, options)
    context: Context = {
        **form_context(evidence, options),
        "options": options,
        "switches": [switch(option, evidence, chosen[option.name], _kept(option.name, options)) for option in OPTIONS],
        "by": OPTIONS[0].chosen(chosen["by"]).label,
        "offered": [(heading, heading.code in wanted) for heading in known if heading.issues or heading.code in wanted],
        "most_sides": MOST_SIDES,
        "kept": [item for item in (*evidence.params.items(), *options.items()) if item[0] != "side"],
    }
    if len(wanted) >= LEAST_SIDES and not evidence.errors:
        comparison = side_by_side(evidence, wanted, chosen)
        origin = origin_of(request, evidence, page)
        file_format = request.GET.get("format")
        if file_format in ("csv", "json"):
            return _file(request, comparison, chosen, origin, file_format)
        context |= _comparison_context(evidence, comparison, options, origin)
    elif wanted:
        context["problem"] = "Choose at least two."
    return render_counted(request, "kb/explore/side_by_side.html", evidence, context)


def _comparison_context(evidence: Evidence, comparison: SideBySide, options: Options, origin: Origin) -> Context:
    drawn = comparison.drawn
    names = [heading.name for heading in (*comparison.sides.sides, *comparison.sides.left_out)]
    title = f"{', '.join(names[:-1])} and {names[-1]} compared"
    return {
        "title": title,
        "drawn": drawn,
        "about": caption(title, drawn, origin),
        "method": METHOD,
        "base": f"{reverse('search')}?",
        "query": address(evidence.params, options),
        "issues_url": issues_url(evidence),
        "permalink": origin.url,
        **cite_chart(citations.item_key("compare", *names), title, origin),
    }


def _wanted(request: HttpRequest, known: list[Heading]) -> list[str]:
    """The codes of the sides that the address names, each once. Raises `BadRequest`."""
    pairs = [(heading.code, heading.name) for heading in known]
    codes: dict[str, None] = {}
    for text in request.GET.getlist("side"):
        for value in split_values(text):
            codes[one_of(value.text, pairs, noun="side")] = None
    if len(codes) > MOST_SIDES:
        raise BadRequest(f"At most {MOST_SIDES} can be compared at once.")
    return list(codes)


def _given(request: HttpRequest, chosen: Options) -> dict[str, str]:
    """The options that the address names with a known value."""
    return {name: value for name, value in chosen.items() if request.GET.get(name) == value}


def _kept(name: str, options: Options) -> Options:
    """What a switch keeps: all, but other sides are compared after a change of what sides are."""
    return {key: value for key, value in options.items() if name != "by" or key != "side"}


def _file(
    request: HttpRequest, comparison: SideBySide, chosen: Options, origin: Origin, file_format: str
) -> HttpResponse:
    drawn = comparison.drawn
    records = chart_records(drawn, absolute(request, reverse("search")))
    if file_format == "csv":
        return csv_file("faultbook-compare.csv", records)
    document: Document = {
        "finding": drawn.sentence,
        "options": chosen,
        "counted": {"issues": drawn.counted.issues, "of": drawn.counted.all_issues},
        "codebook": {"scheme": origin.codebook, "version": origin.version},
        "counted_on": origin.day.isoformat(),
        "sample": "not a random sample",
        "method": METHOD,
        "url": origin.url,
        "notes": drawn.notes,
        "records": records,
    }
    return JsonResponse(document)
