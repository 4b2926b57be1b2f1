"""What a git history says of releases and changes, as plain values. Pure.

Histories are read in `ingest.git`, kept in files by `kb.starter.histories`, and written to tables by
`kb.services.histories`.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.version import Version

# The first release without a change and the first with it again; None where there is none before or after.
Run = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """A tag that is a version, and what it marks."""

    tag: str
    version: Version
    released_on: dt.date
    commit: str

    @property
    def order(self) -> tuple[Version, dt.date, str]:
        """Its place among the releases."""
        return self.version, self.released_on, self.tag


@dataclass(frozen=True, slots=True)
class Size:
    """How much a change alters, without generated and vendored files."""

    files: int
    additions: int
    deletions: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Since when the lines stand that a change removes: commits, and the first releases with them, or None."""

    oldest_commit: str
    youngest_commit: str
    oldest: str | None
    youngest: str | None


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """A merged pull request or a commit that closes an issue.

    `bundled`: pull requests that landed as a part of it alone.
    """

    commit: str
    merged_at: dt.datetime
    pull_number: int | None = None
    bundled: tuple[int, ...] = ()
    picks: tuple[str, ...] = ()
    title: str = ""
    closes: tuple[str, ...] = ()
    is_fix: bool = False
    reverted_by: str = ""
    first_releases: tuple[str, ...] = ()
    missing: tuple[Run, ...] = ()


def judged(releases: Sequence[ReleaseFacts]) -> list[ReleaseFacts]:
    """The releases that are asked what they hold, in order: no release candidates, and one of each version."""
    unique: dict[Version, ReleaseFacts] = {}
    for release in sorted(releases, key=lambda release: release.order):
        if not release.version.is_prerelease:
            unique.setdefault(release.version, release)
    return list(unique.values())


def candidates(releases: Sequence[ReleaseFacts]) -> list[ReleaseFacts]:
    """Release candidates and other early releases, in order: they are asked where no release has a change."""
    return sorted((each for each in releases if each.version.is_prerelease), key=lambda release: release.order)


def runs_without(versions: Sequence[Version], has: Sequence[bool]) -> tuple[Run, ...]:
    """The runs of versions, in order, that lack something."""
    runs: list[Run] = []
    begin = -1
    for place, is_there in enumerate(has):
        if is_there and begin >= 0:
            runs.append((str(versions[begin]) if begin else None, str(versions[place])))
            begin = -1
        elif not is_there and begin < 0:
            begin = place
    if begin >= 0:
        runs.append((str(versions[begin]) if begin else None, None))
    return tuple(runs)


def is_within(run: Run, version: Version) -> bool:
    """Whether the version is one of the run's."""
    first, end = run
    return (first is None or version >= Version(first)) and (end is None or version < Version(end))


def missing_any(
    versions: Sequence[Version], missing: Iterable[Sequence[Run]], instead: Iterable[Sequence[Run]] = ()
) -> tuple[Run, ...]:
    """The runs of versions that lack at least one of several changes, each told by its own runs.

    A version that has one of `instead` lacks nothing: these are backports, made for their line alone.
    """
    runs = [run for each in missing for run in each]
    backports = list(instead)

    def lacks(version: Version) -> bool:
        is_spared = any(not _lacks(each, version) for each in backports)
        return not is_spared and _lacks(runs, version)

    return runs_without(versions, [not lacks(version) for version in versions])


def _lacks(runs: Iterable[Run], version: Version) -> bool:
    return any(is_within(run, version) for run in runs)
