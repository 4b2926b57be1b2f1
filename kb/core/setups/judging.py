"""Which known faults a set-up has, may have, or has behind it, ranked; why, and what would have to be told.

A fault without a known fix affects nobody by its version alone, nor does one whose record has no condition. Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kb.core.setups.answers import Answer
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Package, Place, Setup
from kb.core.setups.known_faults import BY, Bound, KnownFault, Row
from kb.core.setups.vocabulary import vocabulary
from kb.core.versions import Allowed, Range, within

Verdict = Literal["affects", "may", "fixed"]

VERDICTS: tuple[Verdict, ...] = ("affects", "may", "fixed")
EVERY_SETUP = "any"
NO_CONDITION = Answer(None)


@dataclass(frozen=True)
class Finding:
    """A fault and what is said of it.

    `is_by_version_only`: nothing else is known to point at it. `holding`: how many conditions are known to hold.
    `place`: where the package was read.
    """

    fault: KnownFault
    verdict: Verdict
    package: str
    installed: str
    first_fixed: str
    reasons: tuple[str, ...]
    missing: tuple[str, ...]
    is_by_version_only: bool
    holding: int
    place: Place | None = None


@dataclass(frozen=True)
class _Placed:
    """A package of the set-up beside a fault's ranges; `is_in` as `kb.core.versions.within` says it."""

    name: str
    rows: Sequence[Row]
    package: Package | None
    is_in: bool | None

    @property
    def allowed(self) -> Allowed | None:
        return self.package.allowed if self.package else None

    @property
    def is_fixed(self) -> bool:
        """Whether all allowed versions are at or above a fix, and not in another range."""
        allowed = self.allowed
        fixes = [row.fixed.version for row in self.rows if row.fixed]
        return self.is_in is False and allowed is not None and any(allowed.is_from(version) for version in fixes)

    @property
    def is_named(self) -> bool:
        """Whether it is the very version that a record names, where no end of the fault is known."""
        exact = self.allowed.exact if self.allowed else None
        open_ones = [row for row in self.rows if not row.has_end]
        named = {row.introduced.version for row in open_ones if row.introduced}.union(
            *(row.reported for row in open_ones)
        )
        return exact is not None and exact in named


def findings(setup: Setup, faults: Iterable[KnownFault]) -> list[Finding]:
    """What is to be said of this set-up: what affects it, what may, what is fixed, each the most pressing first."""
    judged = [finding for fault in faults if (finding := _judged(setup, fault)) is not None]
    return sorted(judged, key=_rank)


def _rank(finding: Finding) -> tuple[int, bool, int, int, int, str]:
    fault = finding.fault
    verdict = VERDICTS.index(finding.verdict)
    return (verdict, finding.is_by_version_only, fault.severity, fault.certainty, -finding.holding, fault.url)


def _judged(setup: Setup, fault: KnownFault) -> Finding | None:
    condition = compiled(fault.condition)(setup) if fault.condition else NO_CONDITION
    if condition.holds is False:
        return None
    is_pointed_at = condition.holds is True and fault.condition != EVERY_SETUP
    if not fault.rows:
        return _without_versions(fault, condition) if is_pointed_at else None
    placed = list(_placed(setup, fault, is_pointed_at=is_pointed_at))
    open_ones = [place for place in placed if place.is_in is not False]
    if open_ones:
        nearest = max(open_ones, key=lambda place: place.is_in is True)
        return _finding(fault, _verdict(nearest, condition, is_pointed_at=is_pointed_at), nearest, condition)
    fixed = [place for place in placed if place.is_fixed]
    return _finding(fault, "fixed", fixed[0], condition) if fixed else None


def _verdict(place: _Placed, condition: Answer, *, is_pointed_at: bool) -> Verdict:
    is_there = place.is_in is True or (place.is_named and is_pointed_at)
    return "affects" if is_there and condition.holds else "may"


def _without_versions(fault: KnownFault, condition: Answer) -> Finding:
    """What is wrong in any version, or in versions that nobody could tell."""
    is_sure = fault.kind == "incompatibility" and not fault.unless
    verdict: Verdict = "affects" if is_sure else "may"
    missing = (fault.unless,) if fault.unless else ()
    return Finding(fault, verdict, "", "", "", condition.because, missing, False, len(condition.because))


def _placed(setup: Setup, fault: KnownFault, *, is_pointed_at: bool) -> Iterator[_Placed]:
    """The fault's packages that the set-up has or may have."""
    for name, (rows, ranges) in fault.by_package.items():
        package = setup.packages.get(name)
        if package is not None:
            yield _Placed(name, rows, package, _is_in(ranges, package.allowed))
        elif _may_be_there(setup, name, is_pointed_at=is_pointed_at):
            yield _Placed(name, rows, None, None)


def _is_in(ranges: Sequence[Range], allowed: Allowed | None) -> bool | None:
    return within(ranges, allowed) if allowed is not None else None


def _may_be_there(setup: Setup, name: str, *, is_pointed_at: bool) -> bool:
    """Whether a package that is not named is known to be there all the same. No list names what is run from a clone."""
    if setup.lists_all_packages and "/" not in name:
        return False
    engine = setup.facts.get("engine")
    return is_pointed_at or name in setup.read_kinds or (engine is not None and engine.value == name)


def _finding(fault: KnownFault, verdict: Verdict, place: _Placed, condition: Answer) -> Finding:
    return Finding(
        fault=fault,
        verdict=verdict,
        package=place.name,
        installed=place.allowed.text if place.allowed else "",
        first_fixed=_first_fixed(place),
        reasons=(*_version_reasons(place), *condition.because),
        missing=(*_missing_versions(place), *map(_question, condition.missing)) if verdict == "may" else (),
        is_by_version_only=not condition.because,
        holding=len(condition.because),
        place=place.package.place if place.package else None,
    )


def _first_fixed(place: _Placed) -> str:
    """The smallest fixed version above what is installed, or that it has; the last one where that is not known."""
    fixes = sorted(row.fixed.version for row in place.rows if row.fixed)
    low = place.allowed.low if place.allowed else None
    if not fixes:
        return ""
    if place.is_fixed:
        return str(max(version for version in fixes if low is not None and version <= low))
    above = [version for version in fixes if low is not None and version > low]
    return str(above[0] if above else fixes[-1])


def _version_reasons(place: _Placed) -> Iterator[str]:
    if place.package is not None and place.allowed is not None:
        installed = f"{place.name} {place.allowed.text} ({place.package.place})"
        yield f"{installed} is {_where(place, place.allowed)}"


def _where(place: _Placed, allowed: Allowed) -> str:
    """Where the installed version lies, in words, by the bounds next to it."""
    if place.is_fixed:
        return f"{_first_fixed(place)} or later, which has the fix"
    for row in place.rows:
        if row.fixed is not None and not allowed.is_from(row.fixed.version):
            return (
                f"{_since(row, allowed)}older than {row.fixed.version}, the first release with the fix{_by(row.fixed)}"
            )
        if row.last_affected is not None:
            return f"{_since(row, allowed)}not known to be free of it: {row.last_affected.version} still has it"
    return "a version of a package with this fault; no release with a fix is known"


def _since(row: Row, allowed: Allowed) -> str:
    first = row.introduced
    if first is None or not allowed.is_from(first.version):
        return ""
    return f"{first.version} or later, which has the fault{_by(first)}, and "


def _by(bound: Bound) -> str:
    return f" ({BY[bound.by]})" if bound.by in BY else ""


def _missing_versions(place: _Placed) -> Iterator[str]:
    if place.allowed is None:
        yield f"the version of {place.name}"
    elif place.allowed.exact is None and place.is_in is None:
        yield f"the exact version of {place.name}"


def _question(name: str) -> str:
    kind = vocabulary().get(name)
    return f"{kind.ask} ({name}: {kind.meaning.rstrip('.')})" if kind is not None else name
