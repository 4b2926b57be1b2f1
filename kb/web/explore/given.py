"""Given a symptom: its likely causes as cards, the same as a file, and every symptom to choose from."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts.cards import Given, given
from kb.charts.crossed import LEVELS
from kb.charts.evidence import Evidence, about_issues, gather
from kb.charts.figures import times, times_range
from kb.charts.given import Cause
from kb.charts.given_words import beside_usual, first_look, median_time
from kb.charts.symptoms import asking_for, offered
from kb.exports import citations
from kb.exports.given import cause_records, given_document
from kb.http.site import absolute
from kb.models import Issue
from kb.selectors.issues import for_list
from kb.web.explore import Context
from kb.web.explore.files import csv_file
from kb.web.explore.query_form import Options, address, form_context, render_counted, switch
from kb.web.parameters import one_by_one

SHOWN_CAUSES = 12
MOST_WORDS = 100


@dataclass(frozen=True)
class Card:
    """A cause as the page shows it; `low`, `middle` and `width` are percents of the bar's scale."""

    cause: Cause
    low: int
    middle: int
    width: int
    lift: str
    lift_range: str
    beside_usual: str
    time: str
    examples: list[Issue]


@require_safe
@one_by_one("pick")
def given_symptom(request: HttpRequest) -> HttpResponse:
    """The causes behind the symptoms of the address: `?format=csv` or `?format=json` is the same as a file."""
    plain = _plain_address(request)
    if plain:
        return redirect(plain)
    evidence = gather(request.GET)
    level = LEVELS.chosen(request.GET.get("level")).value
    options = {"level": level} if request.GET.get("level") == level else {}
    result = given(evidence, int(level))
    file_format = request.GET.get("format")
    if file_format in ("csv", "json"):
        if evidence.errors:
            return JsonResponse({"errors": evidence.errors}, status=400)
        if result:
            return _file(request, evidence, result, level, file_format)
    symptoms = {key: evidence.params[key] for key in ("symptom", "node") if key in evidence.params}
    context = {**form_context(evidence, options), "options": {**options, **symptoms}, "search_url": reverse("search")}
    if result:
        context |= _cards(request, evidence, result, options)
    elif not evidence.errors:
        context |= _choice(request, evidence)
    return render_counted(request, "kb/explore/given.html", evidence, context)


def _plain_address(request: HttpRequest) -> str:
    """The address for symptoms that were picked one by one, or must all be there; empty when it is plain already."""
    picked = request.GET.getlist("pick")
    if not picked and "all" not in request.GET:
        return ""
    stripped = [code.strip() for code in picked or request.GET.get("symptom", "").split(",")]
    codes = list(dict.fromkeys(code for code in stripped if code))
    if not codes:
        return ""
    others = about_issues(request.GET)
    others.pop("symptom", None)
    plain = asking_for(codes, others, gather(others).scheme, every="all" in request.GET)
    for name in ("level", "format"):
        if name in request.GET:
            plain[name] = request.GET[name]
    return f"{reverse('given')}?{plain.urlencode(safe='/,')}"


def _choice(request: HttpRequest, evidence: Evidence) -> Context:
    """Every symptom that issues have, or those that go by the words."""
    words = request.GET.get("find", "").replace("\x00", " ").strip()[:MOST_WORDS]
    symptoms, counted = offered(evidence, words)
    return {
        "symptoms": symptoms,
        "counted": counted,
        "find": words,
        "kept": [(key, value) for key, value in evidence.params.items() if key != "symptom"],
        "all_symptoms": address(evidence.params, {}),
    }


def _cards(request: HttpRequest, evidence: Evidence, result: Given, options: Options) -> Context:
    pks: set[int] = set()
    for cause in result.causes[:SHOWN_CAUSES]:
        pks.update(cause.examples)
    examples = for_list(Issue.objects.all()).in_bulk(pks)
    cards = [_card(cause, examples) for cause in result.causes]
    query = address(evidence.params, options)
    page = absolute(request, f"{reverse('given')}{query}")
    cited = citations.Item(
        key=citations.item_key("given", *_codes(result)),
        title=f"Given {result.symptoms.names}: likely causes",
        page_url=page,
    )
    return {
        "drawn": result,
        "cards": cards[:SHOWN_CAUSES],
        "rare": cards[SHOWN_CAUSES:],
        "first_look": first_look(result.causes),
        "switches": [switch(LEVELS, evidence, LEVELS.chosen(options.get("level")).value, options)],
        "query": query,
        "others_url": address(evidence.asked.without_terms(result.symptoms.terms), options),
        "permalink": page,
        "counted_at": timezone.now(),
        **citations.cite(cited, accessed=timezone.localdate()),
    }


def _codes(result: Given) -> list[str]:
    return [heading.code for heading in result.symptoms.headings]


def _card(cause: Cause, examples: Mapping[int, Issue]) -> Card:
    interval, lift = cause.share.interval, cause.lift
    return Card(
        cause=cause,
        low=round(interval.low * 100),
        middle=round(cause.share.value * 100),
        width=max(1, round((interval.high - interval.low) * 100)),
        lift=times(lift.ratio) if lift else "",
        lift_range=times_range(lift.interval) if lift else "",
        beside_usual=beside_usual(lift),
        time=median_time(cause.hours),
        examples=[examples[pk] for pk in cause.examples if pk in examples],
    )


def _file(request: HttpRequest, evidence: Evidence, result: Given, level: str, file_format: str) -> HttpResponse:
    search_url = absolute(request, reverse("search"))
    if file_format == "csv":
        name = f"faultbook-given-{'-'.join(_codes(result))[:80]}.csv"
        return csv_file(name, cause_records(result.causes, search_url))
    return JsonResponse(given_document(result, evidence, level, search_url))
