"""Reads everything that a person can read: every address of the URL conf with what fits it, and every link from there.

What differs between two readings of the same page for no reason of ours is taken out (`normal`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.core.cache import cache
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import NoReverseMatch, Resolver404, resolve

from tests.labeling.permissions.routes import Route, all_routes
from tests.labeling.permissions.world import CLOSED, CODED, CODING, DRAFT, OPEN, OPEN_ISSUES, ROLLING, World

SITE = "http://testserver"
MOST_PAGES = 1_500
# Of one address with different queries (filters, pages, axes), so many are read.
MOST_QUERIES = 3
# Leaving would end the reading; the public API's description is long and says nothing of labels.
LEFT_OUT = ("/account/logout", "/static/", "/admin/logout", "/api/v1/openapi")
# What members may be shown other than anybody else; all other pages know nothing of who reads them.
OF_MEMBERS = ("/labeling", "/api/v1/labeling", "/account")
# Views that said to whoever asked first that they know no GET: nobody is asked to read them again.
_only_written: set[str] = set()
# Where a page leads: its links, its forms, and what htmx or its charts load.
LINK = re.compile(rb'\s(?:href|src|action|formaction|hx-get|data-url|data-src)="([^"]+)"')
NOISE = (
    re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"'),
    re.compile(rb'name="ticket" value="[^"]*"'),
    re.compile(rb'"X-CSRFToken": ?"[^"]*"'),
    re.compile(rb"<time[^>]*>.*?</time>", re.S),
    re.compile(rb'"(reserved_until|updated_at)":"[^"]*"'),
)


def read_all(
    client: Client, world: World, more: Iterable[str] = (), *, within: tuple[str, ...] = ("/",)
) -> dict[str, bytes]:
    """Address -> what the person is shown there, refusals too, as read; `within`: how addresses begin."""
    # What was computed for an earlier reading would be shown at once in a later one.
    cache.clear()
    waiting = [path for path in (*starts(world), *more) if path.startswith(within)]
    seen, read, queries = set(waiting), dict[str, bytes](), Counter[str]()
    while waiting and len(read) < MOST_PAGES:
        path = waiting.pop(0)
        if view_of(path) in _only_written:
            continue
        response = client.get(path)
        if response.status_code == 405:
            _only_written.add(view_of(path))
            continue
        body = content_of(response)
        read[path] = b"\n".join(
            [str(response.status_code).encode(), response.headers.get("Location", "").encode(), body]
        )
        for link in links(path, response, body):
            base = link.partition("?")[0]
            if link not in seen and link.startswith(within) and ("?" not in link or queries[base] < MOST_QUERIES):
                queries[base] += "?" in link
                seen.add(link)
                waiting.append(link)
    assert len(read) < MOST_PAGES, "the sweep does not come to an end: addresses without end?"
    return read


def starts(world: World) -> list[str]:
    """Every address of the URL conf, with each thing of the project that fits it."""
    some = things(world)
    return list(dict.fromkeys(path for route in all_routes() for path in paths_of(route, some) if is_read(path)))


def paths_of(route: Route, some: Sequence[Mapping[str, object]]) -> list[str]:
    """The addresses that a route has for these things; none where it needs something else."""
    names = sorted(route.parameters)
    found = []
    for values in dict.fromkeys(
        tuple(thing[name] for name in names) for thing in some if route.parameters <= thing.keys()
    ):
        with suppress(NoReverseMatch):
            found.append(route.path(dict(zip(names, values, strict=True))))
    return found


def things(world: World) -> Sequence[Mapping[str, object]]:
    """What addresses may name: every round with every issue of it, and everything that has a number."""
    places = [
        {"number": number, "position": position}
        for number, positions in ((DRAFT, 1), (OPEN, OPEN_ISSUES), (CLOSED, 3), (ROLLING, 3), (CODED, 1), (CODING, 1))
        for position in range(1, positions + 1)
    ]
    usual, named = world.values(), world.named()
    # The place comes last: a project's things say a number too, and it would stand for every round's.
    placed = [one | place for place in places for one in named]
    # Releases, imports and jobs go by numbers, as rounds do, but hold no issues.
    numbered = [usual | {"number": number} for number in sorted(set(world.things().values()))]
    return placed + numbered


def is_read(path: str) -> bool:
    """Is the address read at all?"""
    return not path.startswith(LEFT_OUT)


def view_of(path: str) -> str:
    """The name of what answers there, if anything does."""
    try:
        return resolve(urlsplit(path).path).view_name
    except Resolver404:
        return ""


def content_of(response: HttpResponseBase) -> bytes:
    """The whole body."""
    if isinstance(response, StreamingHttpResponse):
        return response.getvalue()
    body: bytes = getattr(response, "content", b"")
    return body


def links(path: str, response: HttpResponseBase, body: bytes) -> list[str]:
    """The addresses of this site that an answer names; of the knowledge base, only what has no query."""
    found = [response.headers.get("Location", "")]
    if response.headers.get("Content-Type", "").startswith("text/html"):
        found += [unescape(link.decode("utf-8", "replace")) for link in LINK.findall(body)]
    elif path.startswith("/api/v1/labeling/"):
        found += re.findall(r'"(http://testserver/[^"]+)"', body.decode())
    inside = []
    for link in found:
        parts = urlsplit(urljoin(SITE + path, link))
        here = parts.path + (f"?{parts.query}" if parts.query else "")
        wanted = "labeling" in parts.path or not parts.query
        if f"{parts.scheme}://{parts.netloc}" == SITE and wanted and is_read(here):
            inside.append(here)
    return inside


def normal(body: bytes) -> bytes:
    """The body without what differs between two readings."""
    for pattern in NOISE:
        body = pattern.sub(b"", body)
    return body
