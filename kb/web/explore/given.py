"""Given a symptom: its likely causes as cards, the same as a file, and every symptom to choose from."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.charts import given_records
from kb.charts.cards import Given, given
from kb.charts.crossed import LEVELS
from kb.charts.evidence import Evidence, about_issues, gather
from kb.charts.figures import times, times_range
from kb.charts.given import Cause
from kb.charts.given_words import beside_usual, first_look, median_time
from kb.charts.symptoms import asking_for, offered
from kb.exports import citations
from kb.exports.tables import as_csv
from kb.http.site import absolute
from kb.models import Issue
from kb.selectors.issues import for_list
from kb.web.explore import query_form as asked
from kb.web.parameters import one_by_one

SHOWN_CAUSES = 12
MOST_WORDS = 100


@require_safe
@one_by_one("pick")
def given_symptom(request: HttpRequest) -> HttpResponse:
    """The causes behind the symptoms of the address: `?format=csv` or `?format=json` is the same as a file."""
    if address := _said_plainly(request):
        return redirect(address)
    evidence = gather(request.GET)
    level = LEVELS.chosen(request.GET.get("level"))
    options = {"level": level.value} if request.GET.get("level") == level.value else {}
    found = given(evidence, int(level.value))
    wanted = request.GET.get("format")
    if wanted in ("csv", "json") and (found or evidence.errors):
        return _file(request, evidence, found, level.value, wanted)
    context = {
        "evidence": evidence,
        "errors": [text for texts in evidence.errors.values() for text in texts],
        "selects": asked.selects(evidence.params),
        "chips": asked.chips(evidence, options),
        "clear": asked.address(evidence.params.__class__(""), options),
        "options": options | {key: evidence.params[key] for key in ("symptom", "node") if key in evidence.params},
        "search_url": reverse("search"),
        **(_cards(request, evidence, found, options) if found else _choice(request, evidence)),
    }
    return render(request, "kb/explore/given.html", context, status=400 if evidence.errors else 200)


def _said_plainly(request: HttpRequest) -> str:
    """The address for symptoms that were chosen one by one, or are to be there together; nothing when it is plain."""
    picked = request.GET.getlist("pick")
    codes = picked or request.GET.get("symptom", "").split(",")
    codes = list(dict.fromkeys(code.strip() for code in codes if code.strip()))
    if not codes or not (picked or "all" in request.GET):
        return ""
    kept = about_issues(request.GET)
    kept.pop("symptom", None)
    plain = asking_for(codes, kept, gather(kept).scheme, every="all" in request.GET)
    for name in ("level", "format"):
        if name in request.GET:
            plain[name] = request.GET[name]
    return f"{reverse('given')}?{plain.urlencode(safe='/,')}"


def _choice(request: HttpRequest, evidence: Evidence) -> dict[str, Any]:
    """Every symptom that issues have, or those that go by the words."""
    if evidence.errors:
        return {}
    words = request.GET.get("find", "").replace("\x00", " ").strip()[:MOST_WORDS]
    symptoms, counted = offered(evidence, words)
    return {
        "symptoms": symptoms,
        "counted": counted,
        "find": words,
        "kept": [(key, value) for key, value in evidence.params.items() if key != "symptom"],
        "all_symptoms": asked.address(evidence.params, {}),
    }


def _cards(request: HttpRequest, evidence: Evidence, found: Given, options: dict[str, str]) -> dict[str, Any]:
    examples = _examples(found.causes[:SHOWN_CAUSES])
    cards = [_card(one, examples) for one in found.causes]
    query = asked.address(evidence.params, options)
    here = absolute(request, f"{reverse('given')}{query}")
    title = f"Given {found.symptoms.names}: likely causes"
    today = timezone.localdate()
    item = citations.Item(key=citations.item_key("given", *_codes(found)), title=title, page_url=here)
    return {
        "drawn": found,
        "cards": cards[:SHOWN_CAUSES],
        "rare": cards[SHOWN_CAUSES:],
        "first_look": first_look(found.causes),
        "switches": [_levels(evidence, options)],
        "query": query,
        "issues_url": f"{reverse('search')}?{evidence.params.urlencode(safe='/,')}",
        "others_url": asked.address(evidence.asked.without_said(found.symptoms.said), options),
        "permalink": here,
        "counted_at": timezone.now(),
        "citation": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }


def _codes(found: Given) -> list[str]:
    return [one.code for one in found.symptoms.headings]


def _levels(evidence: Evidence, options: Mapping[str, str]) -> asked.Switch:
    now = LEVELS.chosen(options.get("level"))
    return asked.Switch(
        LEVELS.label,
        tuple(
            (one, asked.address(evidence.params, {"level": one.value}), one.value == now.value)
            for one in LEVELS.choices
        ),
    )


def _examples(causes: Iterable[Cause]) -> dict[int, Issue]:
    wanted = {pk for one in causes for pk in one.examples}
    return for_list(Issue.objects.all()).in_bulk(wanted)


def _card(one: Cause, examples: Mapping[int, Issue]) -> dict[str, Any]:
    """A cause as the page shows it."""
    return {
        "cause": one,
        "low": round(one.share.interval.low * 100),
        "middle": round(one.share.value * 100),
        "width": max(1, round((one.share.interval.high - one.share.interval.low) * 100)),
        "lift": times(one.lift.ratio) if one.lift else "",
        "lift_range": times_range(one.lift.interval) if one.lift else "",
        "beside_usual": beside_usual(one.lift),
        "time": median_time(one.hours),
        "examples": [examples[pk] for pk in one.examples if pk in examples],
    }


def _file(request: HttpRequest, evidence: Evidence, found: Given | None, level: str, wanted: str) -> HttpResponse:
    if not found:
        return JsonResponse({"errors": evidence.errors}, status=400)
    records = [_with_address(request, record) for record in given_records.records(found.causes)]
    if wanted == "csv":
        name = f'attachment; filename="faultbook-given-{"-".join(_codes(found))[:80]}.csv"'
        headers = {"Content-Disposition": name}
        return HttpResponse(as_csv(records), content_type="text/csv; charset=utf-8", headers=headers)
    whole = [
        record | {part: _with_addresses(request, given_records.likely(getattr(one, part))) for part in PARTS}
        for record, one in zip(records, found.causes, strict=True)
    ]
    return JsonResponse(
        {
            "symptoms": [[{"code": one.code, "name": one.name} for one in group] for group in found.symptoms.groups],
            "level": level,
            "filters": evidence.params.dict(),
            "counted": {"issues": found.counted.issues, "of": found.counted.all_issues},
            "cause_unknown": found.unknown,
            "cause_known_as_group_only": found.coarse,
            "sources": [{"name": name, "issues": issues} for name, issues in found.sources],
            "first_look": first_look(found.causes),
            "causes": whole,
        }
    )


PARTS = ("fixes", "stages")


def _with_addresses(request: HttpRequest, records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_with_address(request, record) for record in records]


def _with_address(request: HttpRequest, record: dict[str, Any]) -> dict[str, Any]:
    return record | {"query": absolute(request, f"{reverse('search')}?{record['query']}")}
