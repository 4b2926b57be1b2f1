"""The public pages about mirrors: all at a glance, and each with its runs, what it keeps and what it leaves out.

What is known of a mirror is read in `ingest.selectors.status`; what staff may do here is in `actions.py`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from ingest.hosts.connections import may_ask_much
from ingest.models import Mirror
from ingest.scope.keywords import match
from ingest.selectors import status as read
from ingest.selectors.status import LATE_INTERVALS, MirrorStatus
from ingest.web import wording
from ingest.web.actions import may_act
from ingest.web.sparkline import Sparkline, sparkline
from kb.health.checks import heartbeats, is_fresh
from kb.models import Issue
from kb.search import backends
from kb.selectors.overview import counts
from kb.services.repositories import resolve_repository

Listed = TypeVar("Listed", bound=Model)
PER_PAGE = 20
MOST_WORDS = 200
PLACES = {"title": "in the title", "body": "in the text", "label": "as a label"}
TABS = (("mirror-status", "Runs"), ("mirror-kept", "What is kept"), ("mirror-left-out", "What is excluded"))


@dataclass(frozen=True)
class Progress:
    """How far a reading has come; `share` is of a hundred."""

    done: int
    expected: int
    share: int


@dataclass(frozen=True)
class Row:
    """A mirror as its line and its page show it."""

    status: MirrorStatus
    owner: str
    name: str
    url: str
    state: wording.State
    freshness: str
    seen: str
    next_run: str
    last_when: str
    last_did: str
    late_after: str
    age: Sparkline
    progress: Progress | None


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    """How fresh everything is; what an operator should do about it is for staff.

    While something runs, or is about to, the list of mirrors renews itself; without script, load it again.
    """
    rows = [_row(status) for status in read.all_statuses()]
    is_running = any(row.status.running for row in rows)
    renewed_every = 0
    if is_running:
        renewed_every = 2
    elif any(row.status.is_due for row in rows):
        renewed_every = 5
    seen = heartbeats()
    context = {
        "rows": rows,
        "is_running": is_running,
        "renewed_every": renewed_every,
        "late": sum(row.status.is_late for row in rows),
        "fresh": sum(row.state.mark == "good" for row in rows),
        "has_token": may_ask_much(),
        "has_worker": is_fresh(seen["worker"]) if seen else False,
        "may_act": may_act(request),
        "counts": counts(),
        "is_indexed": backends.index() is None or backends.has_index(),
    }
    is_part = bool(request.htmx) and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    response = render(request, "ingest/_mirrors.html" if is_part else "ingest/status.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _of_mirror(view: Callable[[HttpRequest, MirrorStatus], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give a view the mirror that its address names; an old name of the repository leads on to today's."""

    @require_safe
    @wraps(view)
    def find_and_view(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
        status = _find(host, owner, name)
        match_ = request.resolver_match
        path = reverse(match_.view_name, args=_address(status.mirror)) if match_ else request.path
        if path == request.path:
            return view(request, status)
        query = request.META["QUERY_STRING"]
        return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)

    return find_and_view


def _find(host: str, owner: str, name: str) -> MirrorStatus:
    """The mirror that an address names, by its repository's old names too. Raises `Http404`."""
    with suppress(Mirror.DoesNotExist):
        return read.status_of(host=host, full_name=f"{owner}/{name}")
    with suppress(ValueError, Mirror.DoesNotExist):
        repository = resolve_repository(url=f"https://{host}/{owner}/{name}")
        if repository is not None:
            return read.status_of(host=repository.host, full_name=repository.full_name)
    raise Http404("This repository is not mirrored here.")


@_of_mirror
def mirror_page(request: HttpRequest, status: MirrorStatus) -> HttpResponse:
    """One mirror and its runs."""
    page = _page(request, read.runs_of(mirror=status.mirror))
    runs = [(run, wording.did(run), wording.took(run)) for run in page.object_list]
    return _render(request, "ingest/mirror.html", status, page, runs=runs)


@_of_mirror
def left_out_page(request: HttpRequest, status: MirrorStatus) -> HttpResponse:
    """What a mirror's keywords leave out; staff may say otherwise."""
    page = _page(request, read.left_out_of(mirror=status.mirror, words=_words(request)))
    return _render(request, "ingest/left_out.html", status, page)


@_of_mirror
def kept_page(request: HttpRequest, status: MirrorStatus) -> HttpResponse:
    """What a mirror keeps, and because of which words."""
    page = _page(request, read.kept_by(mirror=status.mirror, words=_words(request)))
    words = status.mirror.keywords.words if status.mirror.keywords else []
    kept: list[tuple[Issue, list[str]]] = []
    for issue in page.object_list:
        because = match(title=issue.title, body=issue.body, labels=issue.host_labels, words=words).because
        kept.append((issue, [f"{word} {PLACES[field]}" for word, field in because]))
    return _render(request, "ingest/kept.html", status, page, kept=kept)


def _render(
    request: HttpRequest, template: str, status: MirrorStatus, page: "Page[Any]", **context: object
) -> HttpResponse:
    address = _address(status.mirror)
    context |= {
        "row": _row(status),
        "mirror": status.mirror,
        "interval": wording.stretch(status.mirror.interval),
        "repository": status.mirror.repository,
        "trail": [("Mirrors", reverse("status"))],
        "tabs": [(reverse(view, args=address), text) for view, text in TABS],
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "words": _words(request),
        "may_act": may_act(request),
    }
    return render(request, template, context)


def _row(status: MirrorStatus) -> Row:
    late_after = LATE_INTERVALS * status.mirror.interval
    host, owner, name = _address(status.mirror)
    return Row(
        status=status,
        owner=owner,
        name=name,
        url=reverse("mirror-status", args=(host, owner, name)),
        state=wording.state(status),
        freshness=wording.freshness(status),
        seen=wording.seen(status) if status.cursor.is_complete else "",
        next_run=wording.next_run(status),
        last_when=wording.ago(status.last.started_at, status.now) if status.last else "",
        last_did=wording.did(status.last) if status.last else "",
        late_after=wording.stretch(late_after),
        age=sparkline(status.day.ages, late_after=late_after),
        progress=_progress(status),
    )


def _progress(status: MirrorStatus) -> Progress | None:
    """How far the first reading has come, as far as the host told how much there is."""
    expected = status.cursor.expected
    if status.cursor.is_complete or not expected:
        return None
    done = min(expected, status.held.issues + status.held.pull_requests + status.left_out)
    return Progress(done, expected, 100 * done // expected)


def _address(mirror: Mirror) -> tuple[str, str, str]:
    owner, name = mirror.repository.full_name.split("/")
    return mirror.repository.host, owner, name


def _page(request: HttpRequest, rows: QuerySet[Listed]) -> "Page[Listed]":
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


def _words(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\x00", " ").strip()[:MOST_WORDS]
