"""Packages with known releases or ranges, their releases, and what one release fixes, brings or still has.

What an upgrade from one version to another changes is in `upgrades`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q
from packaging.version import Version

from kb.core.frameworks import package_of, repository_of
from kb.core.setups.known_faults import KnownFault
from kb.core.upgrades import Course, Outcome, standing
from kb.core.versions import as_version, package_name
from kb.models import AffectedRange, Change, History, Kind, Release, Repository
from kb.selectors.faults import FaultLine, faults_of, rows_of, surest_first

# So many releases on either side of a version that is none are named.
NEAREST = 2


@dataclass(frozen=True)
class Package:
    """A package by its name on PyPI, or owner/name; its repository, and how far that repository's history was read."""

    name: str
    repository: Repository | None = None
    history: History | None = None

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """Its releases in the order of versions, one of each version; none where no history was read."""
        if self.history is None:
            return ()
        unique: dict[str, Release] = {}
        for release in Release.objects.filter(repository=self.repository).order_by("position"):
            unique.setdefault(release.version, release)
        return tuple(unique.values())

    @cached_property
    def versions(self) -> tuple[tuple[Version, Release], ...]:
        """The releases that are no early ones, with their versions."""
        pairs = [(as_version(release.version), release) for release in self.releases if not release.is_prerelease]
        return tuple((version, release) for version, release in pairs if version is not None)

    @cached_property
    def faults(self) -> tuple[KnownFault, ...]:
        """Its known faults."""
        return faults_of(self.name)

    @property
    def named(self) -> list[Version]:
        """The versions that its faults' ranges name, the newest first."""
        rows = [row for fault in self.faults for row in rows_of(fault, self.name)]
        bounds = [bound for row in rows for bound in (row.introduced, row.fixed, row.last_affected) if bound]
        return sorted({bound.version for bound in bounds}, reverse=True)

    def release(self, version: Version) -> Release | None:
        """The release with this version."""
        return next((release for release in self.releases if as_version(release.version) == version), None)

    def nearest(self, version: Version) -> tuple[str, ...]:
        """Releases on both sides of a version, as text."""
        below = [release.version for other, release in self.versions if other < version][-NEAREST:]
        above = [release.version for other, release in self.versions if other > version][:NEAREST]
        return (*below, *above)


def find_package(text: str) -> Package | None:
    """The package with this name; None where neither a history nor a range names it."""
    if "\x00" in text:  # PostgreSQL knows no such text.
        return None
    name = package_of(package_name(text))
    repository = Repository.objects.filter(full_name__iexact=repository_of(name)).select_related("history").first()
    history: History | None = getattr(repository, "history", None)
    if history is None and not AffectedRange.objects.filter(package=name).exists():
        return None
    return Package(name, repository, history)


@dataclass(frozen=True)
class PackageCount:
    """A package in the list: its faults with a known range, its releases, and how far its history was read."""

    name: str
    faults: int
    releases: int
    history: History | None


def packages() -> list[PackageCount]:
    """Every package with a history or a range, by name."""
    ranges = AffectedRange.objects.exclude(issue__kind=Kind.PULL_REQUEST).order_by()
    faults = dict(ranges.values_list("package").annotate(Count("issue", distinct=True)))
    histories: dict[str, History] = {}
    counted = Count("repository__releases", filter=Q(repository__releases__is_prerelease=False))
    for history in History.objects.select_related("repository").annotate(release_count=counted):
        histories[package_of(history.repository.full_name)] = history
    counts = []
    for name in sorted({*faults, *histories}):
        read = histories.get(name)
        counts.append(PackageCount(name, faults.get(name, 0), getattr(read, "release_count", 0), read))
    return counts


@dataclass(frozen=True)
class ReleaseFacts:
    """What one version fixes, what was reported or introduced with it, and what it still has or may have."""

    version: Version
    release: Release | None
    before: Release | None
    after: Release | None
    fixed: tuple[FaultLine, ...]
    new: tuple[FaultLine, ...]
    still: tuple[FaultLine, ...]
    maybe: tuple[FaultLine, ...]
    fixes: Sequence[Change]


def release_facts(package: Package, version: Version) -> ReleaseFacts:
    """The facts about one version of a package, which need not be a known release."""
    fixed, new, still = [], [], []
    for fault in package.faults:
        rows = rows_of(fault, package.name)
        ends = [row for row in rows if row.fixed is not None and row.fixed.version == version]
        begins = [row for row in rows if row.introduced is not None and row.introduced.version == version]
        if ends:
            fixed.append(FaultLine(fault, Outcome(Course.FIXED, ends[0], is_sure=True)))
        if begins:
            new.append(FaultLine(fault, Outcome(Course.NEW, begins[0], is_sure=begins[0].has_sure_beginning)))
            continue
        here = standing(rows, version)
        if here.course is Course.OPEN:
            still.append(FaultLine(fault, here))
    below = [release for other, release in package.versions if other < version]
    above = [release for other, release in package.versions if other > version]
    release = package.release(version)
    return ReleaseFacts(
        version=version,
        release=release,
        before=below[-1] if below else None,
        after=above[0] if above else None,
        fixed=surest_first(fixed),
        new=surest_first(new),
        still=surest_first(line for line in still if line.is_sure),
        maybe=surest_first(line for line in still if not line.is_sure),
        fixes=_first_released(release) if release else (),
    )


def _first_released(release: Release) -> Sequence[Change]:
    """The fixes that the release is the first of its line to contain."""
    changes = Change.objects.filter(
        repository=release.repository, is_fix=True, first_releases__contains=[release.version]
    )
    return list(changes.select_related("repository"))
