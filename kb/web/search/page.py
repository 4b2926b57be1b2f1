"""The search page, what its box offers while a filter is typed, and the page that looks for a draft's like."""

import logging
from dataclasses import asdict
from urllib.parse import quote

from django.core.exceptions import BadRequest
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from kb.core.search.playbooks import asked_playbooks
from kb.core.secrets import mask
from kb.http.site import absolute
from kb.models import Issue
from kb.search import (
    MAX_CHARACTERS,
    MOST_REACHABLE,
    Mention,
    Report,
    SearchResult,
    Sort,
    answer,
    completions,
    mentioned,
    offers,
    place_of,
    read,
    repairs,
    search_draft,
    similar_to_report,
    unknown,
    words_alone,
)
from kb.services.missed_searches import count_missed
from kb.starter import example
from kb.web.rates import within_rate
from kb.web.search import facets, results
from kb.web.search.panel import panels
from kb.web.search.pasted import Pasted, read_pasted

log = logging.getLogger(__name__)

PER_PAGE, MOST_PLAYBOOKS = 20, 2
MOST_DIGITS = 9
# What is less probably the same fault as a draft is listed as the search finds it, without a number.
LIKELY = 0.3
NO_FILE = (
    "This page has no other format. The API has the same results as JSON, with the same parameters: /api/v1/issues/. "
    "As a feed: /issues/feed.atom."
)
SUGGEST_SECONDS = 60
# What a button of the form sets, as `key=text`: the form holds the key's present text in a field of its own.
CHANGE = "change"
# With a longer text, what narrows or turns the page is sent with the search form: links would repeat the text.
LINKED_CHARACTERS, LINKED_BYTES = 1_000, 4_000
# An address that is longer than this is cut off by some servers and mail programs.
MAILED_CHARACTERS = 1_500
SORTS = {
    Sort.RELEVANCE: "best match",
    Sort.NEWEST: "newest",
    Sort.DISCUSSED: "most discussed",
    Sort.QUICKEST: "quickest closed",
}


# A search changes nothing but a counter of words, so that a form of any page may send one: the box needs no token and
# no cookie.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("search")
def search_page(request: HttpRequest) -> HttpResponse:
    """Search results with facets, or the issue that the box names; above them, what is known of a pasted error or log.

    A text too long for an address is sent (POST) and answered in place. Raises `BadRequest` for a file of the results.
    """
    if "format" in request.GET:
        raise BadRequest(NO_FILE)
    request.GET = _params_of(request)  # type: ignore[assignment]
    pasted = read_pasted(request, read(request.GET))
    result, number = _page_of(request.GET, pasted)
    as_you_type = bool(request.htmx) and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    named = result.named[0] if len(result.named) == 1 else None
    address = named.get_absolute_url() if named else _unknown_address(result)
    if address and not as_you_type:
        return redirect(address)
    playbooks = asked_playbooks(result.query.words, most=MOST_PLAYBOOKS) if number == 1 and not pasted.answer else ()
    if number == 1 and request.method != "HEAD" and not (as_you_type or playbooks or pasted.answer):
        _count_missed(result)
    template = "kb/search/_results.html" if as_you_type else "kb/search/search.html"
    context = {**(pasted.answer or {}), **_search_context(request, result, number, named)}
    context |= {"pasted": pasted, "is_partial": as_you_type}
    if number == 1 and not pasted.answer:
        context |= {
            "panels": panels(result),
            "fault_playbooks": playbooks,
        }
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    if result.is_degraded:
        response.headers["Cache-Control"] = "no-store"
    return response


def _count_missed(result: SearchResult) -> None:
    """Count the words of a search that found nothing close, where the whole base was searched for words."""
    is_whole = not (result.errors or result.query.is_empty or result.query.reference)
    is_answered = result.is_degraded or result.is_fallback or (result.total and result.is_close)
    if is_whole and not is_answered:
        try:
            count_missed(text=result.query.words)
        except DatabaseError as error:
            log.warning("A search that found nothing was not counted: %s", type(error).__name__)


def _params_of(request: HttpRequest) -> QueryDict:
    """What is asked for, without the secrets in a paste: no page, link or answer repeats them."""
    params = (request.POST if request.method == "POST" else request.GET).copy()
    if CHANGE in params:
        # No redirect: proxies cut off a header that holds a long text.
        params = _changed(params)
    typed = params.getlist("q")
    masked = [mask(text).text for text in typed]
    if masked != typed:
        params.setlist("q", masked)
        # What repeats the page's address reads it here.
        request.META["QUERY_STRING"] = params.urlencode()
    return params


def _unknown_address(result: SearchResult) -> str:
    """Where the page of an issue would be that is named and not known: it says so, and where the original may be."""
    reference = result.query.reference
    place = place_of(reference) if reference and not result.named else None
    if reference is None or place is None:
        return ""
    host, full_name = place
    owner, name = full_name.split("/")
    return reverse("issue", args=[host, owner, name, reference.ref])


def _page_of_mention(mention: Mention) -> str:
    """Its page, which says what is known of an issue that is not held, too."""
    owner, name = mention.full_name.split("/")
    return (
        mention.issue.get_absolute_url()
        if mention.issue
        else reverse("issue", args=[mention.host, owner, name, mention.ref])
    )


def _changed(params: QueryDict) -> QueryDict:
    """The search with what a button of its form sets anew, one thing or several, on its first page."""
    changed = params.copy()
    for change in changed.pop(CHANGE)[-1].split("&"):
        key, _, text = change.partition("=")
        changed.pop(key, None)
        if text:
            changed[key] = text
    changed.pop("page", None)
    return changed


def _page_of(params: QueryDict, pasted: Pasted) -> tuple[SearchResult, int]:
    """The page that is asked for, and its number; beyond the last one, the last one."""
    typed = params.get("page", "1")
    number = max(1, int(typed)) if typed.isdecimal() and len(typed) <= MOST_DIGITS else 1
    result = answer(pasted.asked, offset=(number - 1) * PER_PAGE, limit=PER_PAGE, known=pasted.known)
    last = max(1, -(-min(result.total, MOST_REACHABLE) // PER_PAGE))
    if number > last:
        return answer(pasted.asked, offset=(last - 1) * PER_PAGE, limit=PER_PAGE, known=pasted.known), last
    return result, number


def _search_context(request: HttpRequest, result: SearchResult, number: int, named: Issue | None) -> dict[str, object]:
    rows = results.rows(result)
    # As it was sent: blanks that count for nothing would be repeated too.
    sent = len(request.GET.urlencode())
    as_links = len(result.query.text) <= LINKED_CHARACTERS and sent <= LINKED_BYTES
    page = results.CountedPaginator(result.rows, PER_PAGE, result.total).page(number)
    return {
        "result": result,
        "q": result.query.text,
        "example": example.NAME,
        "words_alone": words_alone(result.query),
        "most_characters": MAX_CHARACTERS,
        "named": named,
        "reference_note": result.reference_note,
        "mentions": [] if result.is_degraded else [(each, _page_of_mention(each)) for each in mentioned(result.query)],
        "fit": results.fit(result),
        "errors": results.said_errors(result.errors),
        "repairs": repairs(result),
        "unknown": unknown(result),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "rows": rows,
        "as_links": as_links,
        "quick": facets.quick_filters(result),
        "facets": facets.facet_views(result.facets, as_links=as_links),
        "chips": results.chips(result.asked),
        "kept": results.kept_fields(result.asked.params),
        "sorts": [(sort.value, name, sort is result.sort) for sort, name in SORTS.items()],
        "ways_out": results.ways_out(result),
        "suggestions_url": results.suggestions_url(result.asked),
        "mail_url": _mail_url(request, result),
        "reported_title": result.query.words.partition("\n")[0],
    }


def _mail_url(request: HttpRequest, result: SearchResult) -> str:
    """A letter with this search's address; nothing where the address is too long for one."""
    address = absolute(request, f"{request.path}?{request.GET.urlencode()}")
    if len(address) > MAILED_CHARACTERS:
        return ""
    subject = f"Faultbook: {result.query.text or 'issues'}"
    return f"mailto:?subject={quote(subject[:200])}&body={quote(address)}"


@require_safe
@within_rate("search")
@cache_control(public=True, max_age=SUGGEST_SECONDS)
def suggest(request: HttpRequest) -> JsonResponse:
    """How the text in the box can go on at the caret, and pages to open for it, in groups, as JSON.

    Places are counted in characters (code points). `issues=no`: only pages of the codebook.
    """
    text = request.GET.get("text", "")[:MAX_CHARACTERS]
    typed = request.GET.get("caret", "")
    caret = int(typed) if typed.isdecimal() and len(typed) <= MOST_DIGITS else None
    going_on = [asdict(completion) for completion in completions(text, caret)]
    groups = offers(text, with_issues=request.GET.get("issues") != "no")
    return JsonResponse({"completions": going_on, "groups": [asdict(group) for group in groups]})


@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("search")
def reported(request: HttpRequest) -> HttpResponse:
    """Has this been reported? The known issues that come closest to a draft's title and body."""
    draft = request.POST if request.method == "POST" else request.GET
    title, body = (draft.get(name, "").replace("\x00", " ").strip()[:MAX_CHARACTERS] for name in ("title", "body"))
    context = {"title": title, "body": body, "most_characters": MAX_CHARACTERS}
    if not title and not body:
        return render(request, "kb/search/reported.html", context)
    result = search_draft(title, body)
    search_url = f"{reverse('search')}?q={quote(title)}" if title else reverse("search")
    # Texts are compared from the database, which may be away.
    matches = [] if result.is_degraded else similar_to_report(Report(title, body), str)["matches"]
    likely = [match for match in matches if (match["same_fault"] or 0.0) >= LIKELY]
    close = {"result": result, "rows": results.rows(result), "search_url": search_url, "likely": likely}
    return render(request, "kb/search/reported.html", context | close)
