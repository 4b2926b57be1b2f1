"""Gitee's two lists, issues and pull requests, as the one list of changes that a mirror reads.

A page of changes reaches as far as both lists were read: what the one holds beyond the end of the other's reading comes
again with the next page. Nothing is skipped by that, because each page begins at a moment, not at a number.
"""

import datetime as dt
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from ingest.hosts import HostIssue, Page
from ingest.hosts.errors import UnwellError
from ingest.hosts.gitee.client import MOST_PAGES, Client
from ingest.hosts.gitee.payloads import read_issue, read_pull
from ingest.hosts.payload import read_all

KINDS: dict[str, Callable[[object], HostIssue]] = {"issues": read_issue, "pulls": read_pull}
# Whether the moment asked for is in the answer is not documented; a second earlier it is.
EARLIER = dt.timedelta(seconds=1)
READINGS = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of one list: issues in its order, over how many pages, and whether that was all."""

    issues: tuple[HostIssue, ...]
    unreadable: tuple[str, ...]
    pages: int
    is_last: bool

    @property
    def reach(self) -> dt.datetime | None:
        """Up to when a list in ascending order was read; None when to its end."""
        return None if self.is_last else self.issues[-1].updated_at


def newest(client: Client, *, repository: str, since: dt.datetime | None) -> Page:
    """The first page of what was changed since a moment, newest first, with a mark of our own."""
    readings = [_read(client, repository, kind, since, ascending=False) for kind in KINDS]
    issues = _merged(readings)[::-1]
    mark = hashlib.sha256(repr(issues).encode("utf-8", "surrogatepass")).hexdigest()
    return _page(issues, readings, repository, etag=mark)


def changes(client: Client, *, repository: str, since: dt.datetime | None) -> Page:
    """What was changed since a moment (inclusive), oldest first, beyond that moment unless there is no more."""
    readings = [_settled(client, repository, kind, since) for kind in KINDS]
    issues = _merged(readings)
    reaches = [reading.reach for reading in readings if reading.reach is not None]
    if reaches:
        issues = [issue for issue in issues if issue.updated_at <= min(reaches)]
    return _page(issues, readings, repository)


def _merged(readings: Sequence[Reading]) -> list[HostIssue]:
    issues = [*chain.from_iterable(reading.issues for reading in readings)]
    return sorted(issues, key=lambda issue: (issue.updated_at, issue.node_id))


def _page(issues: Sequence[HostIssue], readings: Sequence[Reading], repository: str, *, etag: str = "") -> Page:
    """A page goes on at its last moment, which the reader knows; the address of the next one only names what for."""
    next_url = "" if all(reading.is_last for reading in readings) else f"/repos/{repository}"
    unreadable = chain.from_iterable(reading.unreadable for reading in readings)
    return Page(tuple(issues), next_url, etag, tuple(unreadable))


def _settled(client: Client, repository: str, kind: str, since: dt.datetime | None) -> Reading:
    """Read one list from a moment on. One that takes several pages is read until it held still meanwhile."""
    reading = _read(client, repository, kind, since, ascending=True)
    for _ in range(READINGS):
        if reading.pages == 1:
            return _in_order(reading)
        again = _read(client, repository, kind, since, ascending=True)
        if again.issues == reading.issues:
            return _in_order(again)
        reading = again
    raise UnwellError("Gitee's list changes faster than it can be read")


def _read(client: Client, repository: str, kind: str, since: dt.datetime | None, *, ascending: bool) -> Reading:
    """Read one list: a page of it, or as many as lead beyond the moment that an ascending one begins at."""
    parameters = {"state": "all", "sort": "updated", "direction": "asc" if ascending else "desc"}
    if since is not None:
        parameters["since"] = (since - EARLIER).astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    issues: list[HostIssue] = []
    unreadable: list[str] = []
    for number in range(1, MOST_PAGES):
        page = client.page(f"/repos/{repository}/{kind}", parameters, number=number)
        readable, reasons = read_all(page.items, KINDS[kind])
        issues += readable
        unreadable += reasons
        is_beyond = bool(issues) and (since is None or issues[-1].updated_at > since)
        if page.is_last or not ascending or is_beyond:
            return Reading(tuple(issues), tuple(unreadable), number, page.is_last)
    raise UnwellError("Gitee's list has no end")


def _in_order(reading: Reading) -> Reading:
    """A list in another order than was asked for would make us believe that we are further than we are."""
    if any(later.updated_at < earlier.updated_at for earlier, later in pairwise(reading.issues)):
        raise UnwellError("Gitee does not list by the last change")
    return reading
