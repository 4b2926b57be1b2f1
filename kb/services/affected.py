"""Ranges of versions that follow from histories: a fault is fixed where a release has all of its fixes.

Records' own ranges are written by the loader of records. Which bound wins is told in `kb.core.setups.known_faults`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from packaging.version import Version

from kb.core.frameworks import package_of
from kb.core.histories import Run, missing_any
from kb.core.versions import as_version
from kb.models import AffectedRange, Change, Fix, Issue, Release, Repository
from kb.services.histories import is_part
from kb.services.rows import Changes, FieldValues, replace_rows

GIT, LINES = AffectedRange.Certainty.GIT, AffectedRange.Certainty.LINES
HISTORY = AffectedRange.Origin.HISTORY


@dataclass(frozen=True)
class Bound:
    """A version, what it rests on, and a link that shows it."""

    version: str = ""
    by: str = ""
    evidence: str = ""


@dataclass(frozen=True)
class HistoryRange:
    """A range of one package by its history."""

    introduced: Bound = Bound()
    introduced_oldest: str = ""
    fixed: Bound = Bound()


@transaction.atomic
def follow_history(*, repository: Repository, changes: Mapping[Fix, Change]) -> Changes:
    """Make the ranges of the repository's package that follow from its history exactly what it says now."""
    package = package_of(repository.full_name)
    finals = Release.objects.filter(repository=repository, is_prerelease=False).order_by("position")
    versions = [_version(text) for text in dict.fromkeys(finals.values_list("version", flat=True))]
    wanted = {}
    for issue_id, fixes in _by_issue(changes).items():
        for number, each in enumerate(_ranges(repository, versions, fixes)):
            wanted[issue_id, number] = _values(issue_id, package, each)
    existing = AffectedRange.objects.filter(origin=HISTORY, package=package).order_by("issue_id", "pk")
    numbers: dict[int, int] = {}
    places: dict[int, tuple[int, int]] = {}
    for row in existing:
        number = numbers[row.issue_id] = numbers.get(row.issue_id, -1) + 1
        places[row.pk] = (row.issue_id, number)
    return replace_rows(
        existing=existing,
        key=lambda row: places[row.pk],
        wanted=wanted,
        create=lambda fields: AffectedRange(**fields),
    )


def _by_issue(changes: Mapping[Fix, Change]) -> dict[int, list[tuple[Fix, Change]]]:
    by_issue: dict[int, list[tuple[Fix, Change]]] = defaultdict(list)
    fixes = {fix.pk: fix for fix in changes}
    for link in Issue.fixes.through.objects.filter(fix__in=fixes).order_by("issue_id", "fix_id"):
        fix = fixes[link.fix_id]
        by_issue[link.issue_id].append((fix, changes[fix]))
    return by_issue


def _ranges(
    repository: Repository, versions: Sequence[Version], changes: Sequence[tuple[Fix, Change]]
) -> Iterator[HistoryRange]:
    """The runs of releases that lack a fix, each as a range."""
    needed, backports = _needed_and_backports(change for _, change in changes)
    runs = missing_any(versions, needed, backports)
    since, oldest = _standing(changes)
    is_taken_back = any(change.reverted_by for _, change in changes)
    for first, end in runs:
        if first is None:
            found = HistoryRange(*_begun(None, end, since, oldest), _fixed(changes, end))
            if found.fixed.version or found.introduced.version or found.introduced_oldest:
                yield found
        elif (end or is_taken_back) and not (oldest and end and not _is_before(oldest, end)):
            lost = Bound(first, GIT, _lost(repository, changes))
            yield HistoryRange(*_begun(lost, end, since, oldest), _fixed(changes, end))


def _begun(lost: Bound | None, end: str | None, since: Bound, oldest: str) -> tuple[Bound, str]:
    """Where a run of releases begins to have the fault, and the version of its oldest line.

    `lost`: where an earlier release has the fix already. Lines that are younger than that begin later.
    """
    first = lost.version if lost else ""
    is_younger = bool(since.version) and (not first or _version(since.version) > _version(first))
    if not is_younger or not _is_before(since.version, end):
        since = lost or Bound()
    if lost and (since is lost or not oldest or _version(oldest) < _version(first)):
        oldest = "" if since is lost else first
    return since, end if oldest and end and not _is_before(oldest, end) else oldest


def _needed_and_backports(changes: Iterable[Change]) -> tuple[list[list[Run]], list[list[Run]]]:
    """The runs of fixes that all are needed, and those of backports: fixes that the newest releases never had."""
    needed: list[list[Run]] = []
    backports: list[list[Run]] = []
    for change in changes:
        runs = [(first, end) for first, end in change.missing]
        is_backport = len(runs) > 1 and runs[-1][1] is None and not change.reverted_by
        (backports if is_backport else needed).append(runs)
    return (needed, backports) if needed else (backports, [])


def _version(text: str) -> Version:
    """A stored version; one that none can read is the lowest, so that no range follows from it."""
    return as_version(text) or Version("0")


def _is_before(version: str, end: str | None) -> bool:
    return end is None or _version(version) < _version(end)


def _standing(changes: Iterable[tuple[Fix, Change]]) -> tuple[Bound, str]:
    """Since when the youngest line stands that the fixes removed, and the version of the oldest."""
    whole = [(fix, change) for fix, change in changes if not is_part(fix, change)]
    blamed = [(fix, change) for fix, change in whole if change.stands_since_oldest]
    if not blamed:
        return Bound(), ""
    oldest = min((change.stands_since_oldest for _, change in blamed), key=_version)
    youngest = [Bound(change.stands_since, LINES, fix.url) for fix, change in blamed if change.stands_since]
    if len(youngest) < len(blamed):
        return Bound(), oldest
    return max(youngest, key=lambda bound: _version(bound.version)), oldest


def _fixed(changes: Sequence[tuple[Fix, Change]], end: str | None) -> Bound:
    """The end of a run, shown by the fix that came last."""
    if end is None:
        return Bound()
    ending = [fix.url for fix, change in changes if any(run[1] == end for run in change.missing)]
    return Bound(end, GIT, (ending or [changes[0][0].url])[-1])


def _lost(repository: Repository, changes: Sequence[tuple[Fix, Change]]) -> str:
    """What shows that releases lack a fix that earlier ones have: its revert, else the fix itself."""
    reverts = [f"{repository.url}/commit/{change.reverted_by}" for _, change in changes if change.reverted_by]
    return (reverts or [changes[0][0].url])[0]


def _values(issue_id: int, package: str, found: HistoryRange) -> FieldValues:
    return {
        "issue_id": issue_id,
        "origin": HISTORY,
        "package": package,
        "introduced": found.introduced.version,
        "introduced_oldest": found.introduced_oldest,
        "introduced_by": found.introduced.by or (LINES if found.introduced_oldest else ""),
        "introduced_evidence": found.introduced.evidence,
        "fixed": found.fixed.version,
        "fixed_by": found.fixed.by,
        "fixed_evidence": found.fixed.evidence,
    }
