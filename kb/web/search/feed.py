"""Any search as an Atom feed: its newest issues."""

import datetime as dt
import hashlib

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from kb.http.site import absolute
from kb.search import Card, SearchResult, Sort, search

ENTRIES = 50
FRESH_SECONDS = 300
# For an issue whose host says no date. A feed wants one that never changes.
NO_DATE = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class Feed(Atom1Feed):
    """A feed whose date is its entries', and the same every time when it has none."""

    def latest_post_date(self) -> dt.datetime:
        """When anything in it changed last."""
        return max((item["updateddate"] for item in self.items), default=NO_DATE)


@require_safe
def feed(request: HttpRequest) -> HttpResponse:
    """The newest issues that a search finds; a wrong filter is said and gives no feed."""
    params = request.GET.copy()
    params["sort"] = Sort.NEWEST.value
    params.pop("page", None)
    result = search(params, limit=ENTRIES, with_facets=False)
    if result.errors:
        messages = "\n".join(f"{key}: {' '.join(texts)}" for key, texts in result.errors.items())
        return HttpResponse(messages, status=400, content_type="text/plain; charset=utf-8")
    updated = max((_updated(row.card) for row in result.rows), default=NO_DATE)
    content = _atom(request, result)
    etag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
    response = HttpResponse(content, content_type="application/atom+xml; charset=utf-8")
    response.headers["ETag"] = etag
    response.headers["Last-Modified"] = http_date(updated.timestamp())
    response.headers["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    conditional = get_conditional_response(request, etag, int(updated.timestamp()), response)
    return conditional if isinstance(conditional, HttpResponse) else response


def _atom(request: HttpRequest, result: SearchResult) -> str:
    query = request.META.get("QUERY_STRING", "")
    page = absolute(request, reverse("search") + (f"?{query}" if query else ""))
    here = absolute(request, request.get_full_path())
    text = " ".join(result.query.text.split())
    generator = Feed(
        title=f"Faultbook: {text[:120] or 'issues'}",
        link=page,
        description="",
        subtitle="The newest issues that this search finds.",
        feed_url=here,
        feed_guid=here,
        language="en",
    )
    for card in (row.card for row in result.rows):
        generator.add_item(
            title=card.title,
            link=absolute(request, card.page),
            description=escape(card.start),  # a summary is HTML in an Atom feed of Django
            # The host's address is the for ever, wherever this site moves.
            unique_id=card.url,
            author_name=card.repository,
            pubdate=card.opened_at,
            updateddate=_updated(card),
            categories=[card.framework_name, *(node.name for node in (*card.symptoms, *card.causes, *card.patterns))],
        )
    return str(generator.writeString("utf-8"))


def _updated(card: Card) -> dt.datetime:
    return max(filter(None, (card.opened_at, card.closed_at)), default=NO_DATE)
