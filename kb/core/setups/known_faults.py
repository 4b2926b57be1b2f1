"""A known fault as it is judged: versions of packages that it is in, by what each bound rests on, and its condition.

A record and a repository's history may both say something of one package; `combined` makes one answer of it. Not here:
whether a set-up has the fault (`judging`), and where rows come from.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import groupby
from typing import Literal

from packaging.version import Version

from kb.core.versions import Range

Certainty = Literal["git", "package", "stated", "lines", "date", "reported", ""]

# What a bound rests on, in words, the surest first.
BY: Mapping[str, str] = {
    "git": "from git",
    "package": "from published packages",
    "stated": "stated in the thread",
    "lines": "lines stand since",
    "date": "by date",
    "reported": "reported on",
}
SURENESS = {by: rank for rank, by in enumerate(BY)}
# A beginning by these is the first version with the fault; by others it is a bound.
SURE_BEGINNINGS = frozenset({"git", "package", "stated"})


class Severity(IntEnum):
    """How bad a fault is for who has it, the worst first."""

    SILENT = 0
    HANG = 1
    CRASH = 2
    SETUP = 3
    OTHER = 4


# The house codebook's families of symptoms, and symptoms that weigh otherwise than their family.
SEVERITIES = {
    "wrong-report": Severity.OTHER,
    "wrong-result": Severity.SILENT,
    "hang": Severity.HANG,
    "crash": Severity.CRASH,
    "memory": Severity.CRASH,
    "setup-failure": Severity.SETUP,
}


@dataclass(frozen=True)
class Bound:
    """A version at which a fault begins or ends, what that rests on, and where it can be seen."""

    version: Version
    by: Certainty = ""
    evidence: str = ""


@dataclass(frozen=True)
class Row:
    """What a record or a history says of one package.

    `oldest`: below it, no version has the fault. `reported`: versions that reports name.
    """

    package: str
    is_of_record: bool
    introduced: Bound | None = None
    oldest: Version | None = None
    fixed: Bound | None = None
    last_affected: Bound | None = None
    reported: tuple[Version, ...] = ()

    @property
    def has_end(self) -> bool:
        """Whether it says where the fault ends."""
        return self.fixed is not None or self.last_affected is not None

    @property
    def has_sure_beginning(self) -> bool:
        """Whether it says with which version the fault came."""
        return self.introduced is not None and self.introduced.by in SURE_BEGINNINGS

    @property
    def end(self) -> Version | None:
        """The version where it ends, for the order of ranges."""
        bound = self.fixed or self.last_affected
        return bound.version if bound else None

    def versions(self) -> Range:
        """The versions with the fault, by what is certain. Without an end, a report is of its own version alone."""
        first = self.introduced
        absent_below = self.oldest
        if first is not None and first.by != "reported" and absent_below is None:
            absent_below = first.version
        return Range(
            absent_below=absent_below,
            present_from=first.version if first else None,
            fixed=self.fixed.version if self.fixed else None,
            last_affected=self.last_affected.version if self.last_affected else None,
        )


@dataclass(frozen=True)
class KnownFault:
    """A fault, as far as judging needs it.

    An empty `condition` is not known; `any` is met by every set-up. `package` is the one that its repository releases,
    where no version can be told. `fix_line`: what to do now. `unless`: what no set-up can show. `family`: code and name
    of its symptom's family.
    """

    url: str
    title: str
    rows: tuple[Row, ...]
    condition: str = ""
    severity: Severity = Severity.OTHER
    symptom: str = ""
    fix_line: str = ""
    resolution: str = ""
    workaround: str = ""
    kind: Literal["issue", "incompatibility"] = "issue"
    page: str = ""
    short_name: str = ""
    family: tuple[str, str] = ("", "")
    unless: str = ""
    package: str = ""

    @cached_property
    def certainty(self) -> int:
        """How sure its ends are: 0 is the surest."""
        ends = [row.fixed or row.last_affected for row in self.rows]
        return min((SURENESS.get(bound.by, len(BY)) for bound in ends if bound is not None), default=len(BY))

    @cached_property
    def by_package(self) -> Mapping[str, "PackageVersions"]:
        """What is known of each package, in the order of its rows."""
        names = dict.fromkeys(row.package for row in self.rows)
        return {name: PackageVersions(name, tuple(row for row in self.rows if row.package == name)) for name in names}


@dataclass(frozen=True)
class PackageVersions:
    """The rows of one package, and what follows from them: worked out once, asked for every set-up."""

    name: str
    rows: tuple[Row, ...]

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """The versions with the fault."""
        return tuple(row.versions() for row in self.rows)

    @cached_property
    def fixes(self) -> tuple[Version, ...]:
        """The first versions with the fix, in order."""
        return tuple(sorted(row.fixed.version for row in self.rows if row.fixed))

    @cached_property
    def named(self) -> frozenset[Version]:
        """Versions that are named, where no end of the fault is known."""
        unended = [row for row in self.rows if not row.has_end]
        firsts = {row.introduced.version for row in unended if row.introduced}
        return frozenset(firsts.union(*(row.reported for row in unended)))


def combined(rows: Iterable[Row]) -> tuple[Row, ...]:
    """One answer for every package: a record's bound wins over history's, a stated or git's one over others."""
    in_order = sorted(rows, key=lambda row: row.package)
    by_package = groupby(in_order, key=lambda row: row.package)
    return tuple(row for _, several in by_package for row in _of_one_package(list(several)))


def _of_one_package(rows: Sequence[Row]) -> list[Row]:
    of_record = [row for row in rows if row.is_of_record]
    of_history = [row for row in rows if not row.is_of_record]
    sources = ([row for row in of_record if row.has_end], of_history, of_record)
    ranges = sorted(next(filter(None, sources)), key=_place)
    beginnings = [row for row in (*of_record, *of_history) if row.introduced is not None or row.oldest is not None]
    reports = sorted({version for row in rows for version in row.reported})
    ranges[0] = _with_beginning(ranges[0], beginnings)
    previous_ends = [None, *(row.end for row in ranges[:-1])]
    return [_with_reports(row, reports, after) for row, after in zip(ranges, previous_ends, strict=True)]


def _place(row: Row) -> tuple[bool, Version]:
    return (row.end is None, row.end or Version("0"))


def _with_beginning(row: Row, beginnings: Sequence[Row]) -> Row:
    """The earliest range, with the surest beginning that is known; reports are added later."""
    if row.has_sure_beginning:
        return row
    others = [other for other in beginnings if other.introduced is not None and _begins_before(other, row)]
    others = [other for other in others if other.introduced is not None and other.introduced.by != "reported"]
    if not others:
        return row
    surest = min(others, key=lambda other: not other.has_sure_beginning)
    return replace(row, introduced=surest.introduced, oldest=surest.oldest)


def _begins_before(other: Row, row: Row) -> bool:
    return row.end is None or (other.introduced is not None and other.introduced.version <= row.end)


def _with_reports(row: Row, reports: Sequence[Version], after: Version | None) -> Row:
    """The range with the fault from its oldest report on, unless it is known when it came."""
    first = row.introduced
    own = [version for version in reports if not (after and version < after) and not (row.end and version > row.end)]
    if not own or row.has_sure_beginning or (first is not None and first.version <= own[0]):
        return row
    oldest = row.oldest if row.oldest is not None and row.oldest <= own[0] else None
    return replace(row, introduced=Bound(own[0], "reported"), oldest=oldest)
