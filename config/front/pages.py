"""Pages that are the same for all readers: kept as they were sent, until a row changes that such a page may show.

What changes without a row, such as "two hours ago", is at most SECONDS old. What only a crowd shares is in `crowds`.
"""

import functools
import gzip
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import cache
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import get_conditional_response, patch_cache_control

from config.front.crowds import STAMP, is_crowded
from config.front.express import CROWD_SECONDS, EXPRESS, NOTE_KEPT, PERSONAL
from kb.health.numbers import KEPT_PAGES
from kb.http.spans import span
from kb.web.parameters import drop_unread

SECONDS = 60
LONGEST_ADDRESS = 500
# Of what lies below these nothing is kept, so the cache is not asked for it.
ELSEWHERE = (settings.STATIC_URL, "/api/")
# By the names of their addresses. None has a form that writes, or a word about who reads it. Audits are not
# among them: they read votes of closed rounds, whose tables have no trigger.
PAGES = frozenset(
    {
        "home", "search", "issue", "fault", "learn", "codebook", "node", "playbooks", "fault-playbook", "playbook",
        "studies",
        "study-compare", "study-claims", "study-examples", "study", "explore", "charts", "chart", "given", "effort",
        "compare", "priorities", "upgrade", "upgrade-between", "releases", "release", "package",
        "about", "faq", "cookbook", "agents", "record-agreement", "quality",
    }
)  # fmt: skip
# The stamp of a page that was made while somebody wrote: good for a crowd's moment alone.
UNSETTLED = "unsettled"


@dataclass(frozen=True)
class Kept:
    """An answer as it was sent, and the stamp of what it was made from."""

    stamp: str
    made_at: float
    etag: str
    headers: dict[str, str]
    content: bytes

    def response(self) -> HttpResponse:
        """The answer, once more."""
        return HttpResponse(self.content, headers=self.headers)

    def is_new(self, request: HttpRequest) -> bool:
        """Would the page be the same if it were made now? In a crowd, that of a moment ago will do."""
        if request.META.get(EXPRESS):
            return True
        if is_crowded(request) and time.time() - self.made_at < CROWD_SECONDS:
            return True
        return self.is_current()

    def is_current(self) -> bool:
        """Has nothing changed since that it may show?"""
        return self.stamp == _revision("SELECT last_value FROM kb_page_revision")


class KeptPages:
    """Middleware around all others, so that a kept page is not compressed again either."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The kept page, if there is one of now, or what the site answers."""
        if request.path_info.startswith(ELSEWHERE):
            return self._get_response(request)
        drop_unread(request)
        if not _may_share(request):
            return self._get_response(request)
        key = _key(request)
        with span("kept page"):
            kept: Kept | None = cache.get(key)
            is_new = kept is not None and kept.is_new(request)
        if kept is not None and is_new:
            KEPT_PAGES.labels("hit").inc()
        else:
            response = self._get_response(request)
            kept = _keep(key, request, response)
            if kept is None:
                return response
            KEPT_PAGES.labels("miss").inc()
        _tell_front(request, kept)
        answer = kept.response()
        conditional = get_conditional_response(request, etag=kept.etag, response=answer)
        return conditional if isinstance(conditional, HttpResponse) else answer

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _kwargs: Any) -> None:
        """Note what the page is going to be made from, before its first query."""
        match = request.resolver_match
        if match is not None and match.view_name in PAGES and _may_share(request):
            request.META[STAMP] = _stamp()


def _tell_front(request: HttpRequest, kept: Kept) -> None:
    """Say for how many seconds the page may be sent as it is, if there is a front that wants to know."""
    note: Callable[[float], None] | None = request.META.get(NOTE_KEPT)
    if note is None:
        return
    age = time.time() - kept.made_at
    is_express = bool(request.META.get(EXPRESS))
    # One that is older than what a crowd may get was checked, unless it came by the express lane.
    if kept.is_current() if is_express else age >= CROWD_SECONDS:
        note(min(CROWD_SECONDS, SECONDS - age))
    elif not is_express:
        note(CROWD_SECONDS - age)


def _may_share(request: HttpRequest) -> bool:
    """Does the request say nothing of who asks? In an open transaction one sees rows that no stamp tells of."""
    return (
        request.method == "GET"
        and not settings.DEBUG
        and not connection.in_atomic_block
        and len(request.META.get("QUERY_STRING", "")) <= LONGEST_ADDRESS
        and not any(request.headers.get(name) for name in PERSONAL)
    )


def _key(request: HttpRequest) -> str:
    """One for each address, and for those who take it compressed and those who do not."""
    takes_gzip = bool(re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")))
    address = (request.scheme, request.META.get("HTTP_HOST", ""), request.get_full_path(), takes_gzip, _assets())
    return "page:" + hashlib.sha256(repr(address).encode()).hexdigest()


@functools.cache
def _assets() -> str:
    """Another one where code, templates, scripts or styles differ: during an upgrade two versions share the cache."""
    digest = hashlib.sha256(str(getattr(staticfiles_storage, "manifest_hash", "")).encode())
    for room in ("config", "kb", "ingest", "labeling", "templates"):
        for path in sorted((settings.BASE_DIR / room).rglob("*")):
            if path.suffix in (".py", ".html"):
                digest.update(f"{path.relative_to(settings.BASE_DIR)} {path.stat().st_size}\n".encode())
    return digest.hexdigest()


def _stamp() -> str:
    """The revision of what pages show (kb/migrations/sql/page_revision.sql). Empty where nobody can tell."""
    return _revision("SELECT kb_settled_revision()")


def _revision(query: str) -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            (revision,) = cursor.fetchone()
    except Error:
        return ""
    return UNSETTLED if revision is None else str(revision)


def _keep(key: str, request: HttpRequest, response: HttpResponseBase) -> Kept | None:
    """The page as it will be sent, kept for others; None where it is not for others."""
    stamp = request.META.get(STAMP, "")
    if not stamp or not isinstance(response, HttpResponse) or response.status_code != 200:
        return None
    if response.cookies or response.has_header("Cache-Control"):
        return None
    # Browsers ask whether it is still the same before they show it again.
    patch_cache_control(response, no_cache=True)
    text = response.content
    if response.get("Content-Encoding") == "gzip":
        text = gzip.decompress(text)  # Compressed twice it has other bytes: padding is random.
    etag = f'W/"{hashlib.sha256(text).hexdigest()[:32]}"'
    response["ETag"] = etag
    kept = Kept(stamp, time.time(), etag, dict(response.items()), response.content)
    cache.set(key, kept, SECONDS)
    return kept
