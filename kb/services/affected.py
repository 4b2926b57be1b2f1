"""Ranges of versions that follow from histories: a fault is fixed where a release has all of its fixes.

Records' own ranges are written by the loader of records; a bound that a record states wins over the history's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from packaging.version import Version

from kb.core.frameworks import package_of
from kb.core.histories import Run, missing_any
from kb.core.versions import as_version
from kb.models import AffectedRange, Change, Fix, Issue, Release, Repository
from kb.services.histories import changes_by_fix, is_part
from kb.services.rows import Changes, FieldValues, replace_rows

GIT, LINES = AffectedRange.Certainty.GIT, AffectedRange.Certainty.LINES
REPORTED = AffectedRange.Certainty.REPORTED
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
    reported: tuple[str, ...] = ()


@transaction.atomic
def follow_histories(*, repository: Repository) -> Changes:
    """Make the ranges of the repository's package that follow from its history exactly what it says now."""
    package = package_of(repository.full_name)
    finals = Release.objects.filter(repository=repository, is_prerelease=False).order_by("position")
    versions = [_version(text) for text in dict.fromkeys(finals.values_list("version", flat=True))]
    wanted = {}
    stated = _stated(package)
    for issue_id, changes in _changes_by_issue(repository).items():
        ranges = list(_ranges(repository, versions, changes))
        for number, each in enumerate(_with_stated(ranges, stated.get(issue_id, ()))):
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


def _changes_by_issue(repository: Repository) -> dict[int, list[tuple[Fix, Change]]]:
    changes = changes_by_fix(repository)
    by_issue: dict[int, list[tuple[Fix, Change]]] = defaultdict(list)
    links = Issue.fixes.through.objects.filter(fix__in=changes).select_related("fix").order_by("issue_id", "fix_id")
    for link in links:
        by_issue[link.issue_id].append((link.fix, changes[link.fix_id]))
    return by_issue


def _ranges(
    repository: Repository, versions: Sequence[Version], changes: Sequence[tuple[Fix, Change]]
) -> Iterator[HistoryRange]:
    """The runs of releases that lack a fix, each as a range."""
    runs = missing_any(versions, [[_run(run) for run in change.missing] for _, change in changes])
    since, oldest = _standing(changes)
    for first, end in runs:
        fixed = _fixed(changes, end)
        if first is None:
            introduced = Bound(since[0], LINES, since[1]) if since[0] and _is_before(since[0], end) else Bound()
            oldest_here = oldest if not end or not oldest or _version(oldest) <= _version(end) else end
            if fixed.version or introduced.version or oldest_here:
                yield HistoryRange(introduced, oldest_here, fixed)
        elif end is not None or any(change.reverted_by for _, change in changes):
            yield HistoryRange(Bound(first, GIT, _lost(repository, changes)), "", fixed)


def _run(run: Sequence[str | None]) -> Run:
    first, end = run
    return first, end


def _version(text: str) -> Version:
    """A stored version; one that none can read is the lowest, so that no range follows from it."""
    return as_version(text) or Version("0")


def _is_before(version: str, end: str | None) -> bool:
    return end is None or _version(version) < _version(end)


def _standing(changes: Iterable[tuple[Fix, Change]]) -> tuple[tuple[str, str], str]:
    """Since when the youngest line stands that the fixes removed, with its evidence; and the oldest."""
    whole = [(fix, change) for fix, change in changes if not is_part(fix, change)]
    blamed = [(fix, change) for fix, change in whole if change.stands_since_oldest]
    if not blamed:
        return ("", ""), ""
    oldest = min((change.stands_since_oldest for _, change in blamed), key=_version)
    youngest = [(change.stands_since, fix.url) for fix, change in blamed if change.stands_since]
    if len(youngest) < len(blamed):
        return ("", ""), oldest
    return max(youngest, key=lambda pair: _version(pair[0])), oldest


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


def _stated(package: str) -> dict[int, list[AffectedRange]]:
    stated: dict[int, list[AffectedRange]] = defaultdict(list)
    for row in AffectedRange.objects.filter(package=package, origin=AffectedRange.Origin.RECORD):
        stated[row.issue_id].append(row)
    return stated


def _with_stated(ranges: Sequence[HistoryRange], stated: Sequence[AffectedRange]) -> list[HistoryRange]:
    """A history's ranges with the bounds that the record states; none where the record says all of it by itself."""
    if not stated or not ranges:
        return list(ranges)
    row, first = stated[0], ranges[0]
    is_begun = bool(row.introduced) and row.introduced_by != REPORTED
    if len(stated) > 1 or row.last_affected or (is_begun and row.fixed):
        return []
    if is_begun:
        introduced = Bound(row.introduced, row.introduced_by, row.introduced_evidence)
        first = replace(first, introduced=introduced, introduced_oldest=row.introduced_oldest)
    elif row.introduced:
        first = _with_reported(first, Bound(row.introduced, REPORTED))
    first = replace(first, reported=tuple(row.reported))
    if row.fixed:
        return [replace(first, fixed=Bound(row.fixed, row.fixed_by, row.fixed_evidence))]
    return [first, *ranges[1:]]


def _with_reported(found: HistoryRange, reported: Bound) -> HistoryRange:
    """Who reports a fault has it: lines that are younger than the report do not say when it began."""
    version = _version(reported.version)
    is_younger = not found.introduced.version or _version(found.introduced.version) > version
    is_contradicted = bool(found.introduced_oldest) and _version(found.introduced_oldest) > version
    if found.fixed.version and version >= _version(found.fixed.version):
        return found
    return replace(
        found,
        introduced=reported if is_younger else found.introduced,
        introduced_oldest="" if is_contradicted else found.introduced_oldest,
    )


def _values(issue_id: int, package: str, found: HistoryRange) -> FieldValues:
    return {
        "issue_id": issue_id,
        "origin": HISTORY,
        "package": package,
        "reported": list(found.reported),
        "introduced": found.introduced.version,
        "introduced_oldest": found.introduced_oldest,
        "introduced_by": found.introduced.by or (LINES if found.introduced_oldest else ""),
        "introduced_evidence": found.introduced.evidence,
        "fixed": found.fixed.version,
        "fixed_by": found.fixed.by,
        "fixed_evidence": found.fixed.evidence,
    }
