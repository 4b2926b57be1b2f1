"""Releases: the tags that are versions, as far as they belong to one line of versions."""

import datetime as dt
from collections import Counter

from ingest.git.graph import Graph, commits_of, refs_below
from ingest.git.running import Git
from kb.core.histories import ReleaseFacts
from kb.core.versions import TAG_PREFIX, version_of_tag

TAGS = "refs/tags/"
MOST_TAG = 120
MOST_VERSION = 60
# Moments outside these days are mistakes of somebody's clock.
EARLIEST = dt.datetime(1990, 1, 1, tzinfo=dt.UTC)
LATEST = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)


def read_releases(git: Git, graph: Graph) -> list[ReleaseFacts]:
    """The releases of a repository, in the order of versions."""
    moments = dict(refs_below(git, TAGS))
    commits = commits_of(git, moments)
    releases: list[ReleaseFacts] = []
    for name, commit in commits.items():
        tag = name.removeprefix(TAGS)
        version = version_of_tag(tag)
        place = graph.places.get(commit)
        if version is None or place is None or len(tag) > MOST_TAG or len(str(version)) > MOST_VERSION:
            continue
        day = (moment_of(moments[name]) or moment_of(graph.times[place]) or EARLIEST).date()
        releases.append(ReleaseFacts(tag, version, day, commit))
    return sorted(_of_one_line(releases), key=lambda release: release.order)


def _of_one_line(releases: list[ReleaseFacts]) -> list[ReleaseFacts]:
    """Those whose tags begin as most do: a repository may hold two products, each with versions of its own."""
    prefixes = Counter(_prefix(release.tag) for release in releases)
    if not prefixes:
        return []
    (most, _), *_ = prefixes.most_common(1)
    return [release for release in releases if _prefix(release.tag) == most]


def _prefix(tag: str) -> str:
    """What stands before the version, besides a `v`."""
    match = TAG_PREFIX.match(tag)
    return match.group(0).lower().removesuffix("v") if match else ""


def moment_of(seconds: int) -> dt.datetime | None:
    """A moment in UTC; None for one that cannot be."""
    if not EARLIEST.timestamp() <= seconds < LATEST.timestamp():
        return None
    return dt.datetime.fromtimestamp(seconds, dt.UTC)
