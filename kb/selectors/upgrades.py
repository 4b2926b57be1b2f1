"""What an upgrade of a package from one version to another fixes, brings, loses and leaves open.

Versions are compared in `kb.core.upgrades`; single releases are in `releases`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q
from packaging.version import Version

from kb.core.secrets import mask
from kb.core.setups.facts import Setup
from kb.core.upgrades import Course, has_change, meets, outcome
from kb.models import Change, Fix, Issue
from kb.selectors.faults import FaultLine, rows_of, surest_first
from kb.selectors.releases import Package


@dataclass(frozen=True)
class FixLine:
    """A fix of the history: its commit's title without secrets, or our own description; described issues it closes."""

    change: Change
    title: str
    description: str
    first_release: str
    issues: tuple[Issue, ...] = ()

    @property
    def url(self) -> str:
        """The pull request or commit on its host."""
        return _address(self.change)

    @property
    def name(self) -> str:
        """`#123`, or the beginning of the commit."""
        return f"#{self.change.pull_number}" if self.change.pull_number else self.change.commit[:9]


def _address(change: Change) -> str:
    if change.pull_number:
        return f"{change.repository.url}/pull/{change.pull_number}"
    return f"{change.repository.url}/commit/{change.commit}"


@dataclass(frozen=True)
class SymptomCount:
    """A family of symptoms and how many faults with it are fixed, new, open and maybe open."""

    code: str
    name: str
    fixed: int
    new: int
    open: int
    maybe: int


@dataclass(frozen=True)
class Upgrade:
    """All that changes between two versions, the lower one first.

    `open`: certainly in the second one; `maybe`: nobody knows since when; `excluded`: left out for the set-up.
    """

    package: Package
    start: Version
    target: Version
    fixed: tuple[FaultLine, ...]
    new: tuple[FaultLine, ...]
    open: tuple[FaultLine, ...]
    maybe: tuple[FaultLine, ...]
    passed: int
    excluded: int
    lost: tuple[FixLine, ...]
    fixes: tuple[FixLine, ...]

    @property
    def symptoms(self) -> list[SymptomCount]:
        """The faults by the family of their symptoms, the worst family first."""
        lists = (self.fixed, self.new, self.open, self.maybe)
        groups = [Counter(line.fault.family for line in lines) for lines in lists]
        worst = {line.fault.family: line.fault.severity for lines in lists for line in lines}
        families = sorted(worst, key=lambda family: (worst[family], family[1]))
        return [SymptomCount(*family, *(group[family] for group in groups)) for family in families]

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known to change, or to stay open."""
        return not (self.fixed or self.new or self.open or self.maybe or self.lost or self.fixes)


def upgrade(package: Package, start: Version, target: Version, setup: Setup | None = None) -> Upgrade:
    """What changes from one version to a higher one, without faults whose condition the set-up does not meet."""
    lines: dict[Course, list[FaultLine]] = {course: [] for course in Course}
    excluded = 0
    for fault in package.faults:
        line = FaultLine(fault, outcome(rows_of(fault, package.name), start, target))
        if setup and line.outcome.course is not Course.ABSENT and meets(fault, setup) is False:
            excluded += 1
            continue
        lines[line.outcome.course].append(line)
    lost, fixes = _fixes_between(package, start, target)
    return Upgrade(
        package=package,
        start=start,
        target=target,
        fixed=surest_first(lines[Course.FIXED]),
        new=surest_first(lines[Course.NEW]),
        open=surest_first(line for line in lines[Course.OPEN] if line.is_sure),
        maybe=surest_first(line for line in lines[Course.OPEN] if not line.is_sure),
        passed=len(lines[Course.PASSED]),
        excluded=excluded,
        lost=lost,
        fixes=fixes,
    )


def _fixes_between(
    package: Package, start: Version, target: Version
) -> tuple[tuple[FixLine, ...], tuple[FixLine, ...]]:
    """The history's fixes that only the first version has, and those that only the second one has."""
    between = [release.version for version, release in package.versions if start < version <= target]
    if not between:
        return (), ()
    # What both have, or neither, need not be read: a fix that is new at the target has its first release in between.
    # One that is missing again was taken back, or is missing on a later line of releases.
    is_missing_again = Q(reverted_by__gt="") | Q(missing__1__isnull=False)
    changes = Change.objects.filter(
        Q(first_releases__overlap=between) | is_missing_again, repository=package.repository, is_fix=True
    ).select_related("repository")
    lost, gained = [], []
    for change in changes:
        before, after = has_change(change.missing, start), has_change(change.missing, target)
        if before and not after:
            lost.append(change)
        elif after and not before:
            gained.append(change)
    lines = _lines([*lost, *gained], between)
    return lines[: len(lost)], lines[len(lost) :]


def _lines(changes: Sequence[Change], releases: Sequence[str]) -> tuple[FixLine, ...]:
    """The changes with the first of these releases that has each, and what is known here of them."""
    urls = {url for change in changes for url in change.closes}
    described = Issue.objects.curated().select_related("repository").defer("body", "search_vector", "label_terms")
    closed = {issue.url: issue for issue in described.filter(url__in=urls)}
    linked = Fix.objects.filter(url__in=map(_address, changes))
    fixes = {fix.url: fix for fix in linked.prefetch_related(Prefetch("issues", described, to_attr="described"))}
    lines = []
    for change in changes:
        fix = fixes.get(_address(change))
        issues = {issue.pk: issue for issue in getattr(fix, "described", ())}
        issues |= {closed[url].pk: closed[url] for url in change.closes if url in closed}
        lines.append(
            FixLine(
                change=change,
                title=mask(change.title).text,
                description=fix.description if fix else "",
                first_release=next((version for version in releases if version in change.first_releases), ""),
                issues=tuple(issues.values()),
            )
        )
    return tuple(lines)


def fix_lines(changes: Sequence[Change], version: str) -> tuple[FixLine, ...]:
    """The fixes that one release is the first to contain."""
    return _lines(changes, [version])
