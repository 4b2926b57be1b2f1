"""Reads everything that a person can read: every address of the URL conf with what fits it, and every link from there.

What differs between two readings of the same page for no reason of ours is taken out (`normal`).
"""

import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import NoReverseMatch

from tests.labeling.permissions.routes import Route, all_routes
from tests.labeling.permissions.world import CLOSED, DRAFT, OPEN, ROLLING, World

SITE = "http://testserver"
MOST_PAGES = 1_500
# Leaving would end the reading; the public API's description is long and says nothing of labels.
LEFT_OUT = ("/account/logout", "/static/", "/admin/logout", "/api/v1/openapi")
NOISE = (
    re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"'),
    re.compile(rb'"X-CSRFToken": ?"[^"]*"'),
    re.compile(rb"<time[^>]*>.*?</time>", re.S),
    re.compile(rb'"(reserved_until|updated_at)":"[^"]*"'),
)


class Links(HTMLParser):
    """Where a page leads by GET: its links, its forms, and what htmx or its charts load."""

    ATTRIBUTES = ("href", "src", "hx-get", "data-url", "data-src")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of an element."""
        values = dict(attrs)
        self.found += [value for name in self.ATTRIBUTES if (value := values.get(name))]
        if tag == "form" and (values.get("method") or "get").lower() == "get":
            self.found += [values.get("action") or ""]


def read_all(client: Client, world: World, more: Iterable[str] = ()) -> dict[str, bytes]:
    """Address -> what the person is shown there, refusals too, in the order of reading."""
    waiting = [*starts(world), *more]
    seen, read = set(waiting), dict[str, bytes]()
    while waiting and len(read) < MOST_PAGES:
        path = waiting.pop(0)
        response = client.get(path)
        body = content_of(response)
        read[path] = b"\n".join(
            [str(response.status_code).encode(), response.headers.get("Location", "").encode(), body]
        )
        for link in links(path, response, body):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    assert len(read) < MOST_PAGES, "the sweep does not come to an end: addresses without end?"
    return read


def starts(world: World) -> list[str]:
    """Every address of the URL conf, with each thing of the project that fits it."""
    return list(dict.fromkeys(path for route in all_routes() for path in paths_of(route, world) if is_read(path)))


def paths_of(route: Route, world: World) -> list[str]:
    """The addresses that a route has in the project; none where it needs something else."""
    found = []
    for values in things(world):
        try:
            found.append(route.path(values))
        except (KeyError, NoReverseMatch):
            continue
    return found


def things(world: World) -> list[Mapping[str, object]]:
    """What addresses may name: every round with every issue of it, and everything that has a number."""
    places = [
        {"project": world.slug, "number": number, "position": position}
        for number, positions in ((DRAFT, 1), (OPEN, 10), (CLOSED, 3), (ROLLING, 3))
        for position in range(1, positions + 1)
    ]
    return [place | more for place in places for more in world.named()]


def is_read(path: str) -> bool:
    """Is the address read at all?"""
    return not path.startswith(LEFT_OUT)


def content_of(response: HttpResponseBase) -> bytes:
    """The whole body."""
    if isinstance(response, StreamingHttpResponse):
        return response.getvalue()
    body: bytes = getattr(response, "content", b"")
    return body


def links(path: str, response: HttpResponseBase, body: bytes) -> list[str]:
    """The addresses of this site that an answer names; of the knowledge base, only what has no query."""
    parser = Links()
    if response.headers.get("Content-Type", "").startswith("text/html"):
        parser.feed(body.decode("utf-8", "replace"))
    elif path.startswith("/api/v1/labeling/"):
        parser.found += re.findall(r'"(http://testserver/[^"]+)"', body.decode())
    parser.found += [response.headers.get("Location", "")]
    inside = []
    for link in parser.found:
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
