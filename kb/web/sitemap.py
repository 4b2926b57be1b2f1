"""The sitemap: an index, and parts of as many addresses as are quickly made (sitemaps.org allows 50,000)."""

import datetime as dt
from collections.abc import Iterable
from xml.sax.saxutils import escape

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from kb.http.site import absolute
from kb.selectors.sitemap import changed_last, codebook_pages, issue_pages

FRESH_SECONDS = 3_600
PART = 10_000
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
STANDING = (
    "home", "search", "reported", "diagnose", "check", "check-report", "learn", "codebook", "playbooks", "studies",
    "study-compare", "study-claims", "explore", "charts", "given", "effort", "priorities", "audits", "signals",
    "upgrade", "releases", "about", "faq", "cookbook", "record-agreement", "quality", "api-docs",
)  # fmt: skip
Entry = tuple[str, dt.datetime | None]


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def index(request: HttpRequest) -> HttpResponse:
    """The addresses of all parts: one of pages about what is known, and those of issues."""
    last = changed_last()
    parts: list[Entry] = [(reverse("sitemap-pages"), None)]
    parts += [
        (reverse("sitemap-issues", args=(part,)), last) for part in range(1, -(-issue_pages().count() // PART) + 1)
    ]
    return _xml(request, "sitemapindex", "sitemap", parts)


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def pages(request: HttpRequest) -> HttpResponse:
    """Pages that always stand, and those about categories, playbooks and studies."""
    paths = [*map(reverse, STANDING), *codebook_pages()]
    return _xml(request, "urlset", "url", [(path, None) for path in paths])


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def issues(request: HttpRequest, part: int) -> HttpResponse:
    """The pages of so many issues, from the first part on. Raises `Http404` beyond the last one."""
    rows = issue_pages()[(part - 1) * PART : part * PART] if 0 < part <= PART else ()
    entries = [(issue.get_absolute_url(), issue.changed_at) for issue in rows]
    if not entries:
        raise Http404
    return _xml(request, "urlset", "url", entries)


def _xml(request: HttpRequest, root: str, entry: str, entries: Iterable[Entry]) -> HttpResponse:
    site = absolute(request, "/").rstrip("/")
    lines = [
        f"<{entry}><loc>{escape(site + path)}</loc>"
        + (f"<lastmod>{changed.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed else "")
        + f"</{entry}>"
        for path, changed in entries
    ]
    text = "\n".join(
        ('<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{NAMESPACE}">', *lines, f"</{root}>\n")
    )
    return HttpResponse(text, content_type="application/xml; charset=utf-8")
