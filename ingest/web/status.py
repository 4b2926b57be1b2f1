"""The public pages about mirrors: all at a glance, and each with its runs, what it keeps and what it leaves out.

What is known of a mirror is read in `ingest.selectors.status`; what staff may do here is in `actions.py`.
"""

from dataclasses import dataclass
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
from kb.services.repositories import resolve_repository

Listed = TypeVar("Listed", bound=Model)
PER_PAGE = 20
MOST_WORDS = 200
TABS = (("mirror-status", "Runs"), ("mirror-kept", "What is kept"), ("mirror-left-out", "What is left out"))


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
    """All mirrors. While something runs, or is about to, the list renews itself; without script, load it again."""
    rows = [_row(one) for one in read.all_statuses()]
    is_running = any(row.status.running for row in rows)
    context = {
        "rows": rows,
        "is_running": is_running,
        "renewed_every": 2 if is_running else 5 if any(row.status.is_due for row in rows) else 0,
        "late": sum(row.status.is_late for row in rows),
        "fresh": sum(row.state.mark == "good" for row in rows),
        "has_token": may_ask_much(),
        "has_worker": _has_worker(),
    }
    is_part = bool(request.htmx) and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    response = render(request, "ingest/_mirrors.html" if is_part else "ingest/status.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def mirror_page(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
    """One mirror and its runs."""
    status = _find(host, owner, name)
    if moved := _moved(request, status.mirror):
        return moved
    page = _page(request, read.runs_of(mirror=status.mirror))
    runs = [(run, wording.did(run), wording.took(run)) for run in page.object_list]
    return render(request, "ingest/mirror.html", _context(request, status, page) | {"runs": runs})


@require_safe
def left_out_page(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
    """What a mirror's keywords leave out; staff may say otherwise."""
    status = _find(host, owner, name)
    if moved := _moved(request, status.mirror):
        return moved
    page = _page(request, read.left_out_of(mirror=status.mirror, words=_words(request)))
    return render(request, "ingest/left_out.html", _context(request, status, page))


@require_safe
def kept_page(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
    """What a mirror keeps, and because of which words."""
    status = _find(host, owner, name)
    if moved := _moved(request, status.mirror):
        return moved
    page = _page(request, read.kept_by(mirror=status.mirror, words=_words(request)))
    words = status.mirror.keywords.words if status.mirror.keywords else []
    kept = [(issue, _because(issue, words)) for issue in page.object_list]
    return render(request, "ingest/kept.html", _context(request, status, page) | {"kept": kept})


def _because(issue: Issue, words: list[str]) -> list[str]:
    """`prefill in the title`, for each word that is why the issue is kept."""
    found = match(title=issue.title, body=issue.body, labels=issue.host_labels, words=words)
    places = {"title": "in the title", "body": "in the text", "label": "as a label"}
    return [f"{word} {places[where]}" for word, where in found.because]


def _context(request: HttpRequest, status: MirrorStatus, page: "Page[Any]") -> dict[str, object]:
    address = _address(status.mirror)
    return {
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
        "has_token": may_ask_much(),
    }


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


def _find(host: str, owner: str, name: str) -> MirrorStatus:
    """The mirror that an address names, by its repository's old names too. Raises `Http404`."""
    try:
        return read.status_of(host=host, full_name=f"{owner}/{name}")
    except Mirror.DoesNotExist:
        repository = _formerly(f"https://{host}/{owner}/{name}")
    if repository is None:
        raise Http404("This repository is not mirrored here.")
    return repository


def _formerly(url: str) -> MirrorStatus | None:
    try:
        repository = resolve_repository(url=url)
        return read.status_of(host=repository.host, full_name=repository.full_name) if repository else None
    except (ValueError, Mirror.DoesNotExist):
        return None


def _moved(request: HttpRequest, mirror: Mirror) -> HttpResponse | None:
    """A permanent redirect where the address bears an old name of the repository."""
    match_ = request.resolver_match
    today = reverse(match_.view_name, args=_address(mirror)) if match_ else request.path
    if today == request.path:
        return None
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{today}?{query}" if query else today)


def _address(mirror: Mirror) -> tuple[str, str, str]:
    owner, name = mirror.repository.full_name.split("/")
    return mirror.repository.host, owner, name


def _page(request: HttpRequest, rows: QuerySet[Listed]) -> "Page[Listed]":
    return Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))


def _words(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\x00", " ").strip()[:MOST_WORDS]


def _has_worker() -> bool:
    seen = heartbeats()
    return is_fresh(seen["worker"]) if seen else False
