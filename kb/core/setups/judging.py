"""Which known faults a set-up has, may have, or has behind it, ranked.

A fault without a known fix affects nobody by its version alone, nor does one whose record has no condition. Pure. The
words of a finding are in `wording`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kb.core.setups.answers import Answer
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Package, Place, Setup
from kb.core.setups.known_faults import KnownFault, PackageVersions
from kb.core.setups.wording import first_fixed, missing_versions, question, version_reasons
from kb.core.versions import Allowed, within

Verdict = Literal["affects", "may", "fixed"]

VERDICTS: tuple[Verdict, ...] = ("affects", "may", "fixed")
EVERY_SETUP = "any"
# Kinds of settings that are not called as the package that reads them.
READ_BY = {"megatron-core": "megatron"}
NO_CONDITION = Answer(None)


@dataclass(frozen=True)
class Standing:
    """A package of the set-up beside a fault's versions of it; `is_in` as `kb.core.versions.within` says it."""

    versions: PackageVersions
    package: Package | None
    is_in: bool | None

    @property
    def allowed(self) -> Allowed | None:
        """What is installed; None where that is unknown."""
        return self.package.allowed if self.package else None

    @property
    def is_fixed(self) -> bool:
        """Whether all allowed versions are at or above a fix, and not in another range."""
        fixes, allowed = self.versions.fixes, self.allowed
        return self.is_in is False and bool(fixes) and allowed is not None and allowed.is_from(fixes[0])

    @property
    def is_below_fix(self) -> bool:
        """Whether a release with the fix is known, and the installed version is before it."""
        fixes, allowed = self.versions.fixes, self.allowed
        return bool(fixes) and allowed is not None and allowed.is_below(fixes[-1])

    @property
    def is_named(self) -> bool:
        """Whether it is the very version that a record names, where no end of the fault is known."""
        return self.allowed is not None and self.allowed.exact in self.versions.named


@dataclass(frozen=True)
class Finding:
    """A fault and what is said of it; its words are worked out when they are asked for."""

    fault: KnownFault
    verdict: Verdict
    standing: Standing | None
    condition: Answer

    @cached_property
    def is_weak(self) -> bool:
        """Whether only the version points at it, or too much is unknown: nothing of both is certain."""
        standing, condition = self.standing, self.condition
        if self.verdict != "may":
            return False
        if standing is None:
            return self.fault.kind == "issue"
        if standing.is_in is True:
            return not condition.because
        return condition.holds is not True or (standing.allowed is not None and not standing.is_below_fix)

    @property
    def package(self) -> str:
        """The package with the fault; empty where no versions are known."""
        return self.standing.versions.name if self.standing else ""

    @property
    def installed(self) -> str:
        """Its version or requirement, as it was written; empty when unknown."""
        allowed = self.standing.allowed if self.standing else None
        return allowed.text if allowed else ""

    @property
    def place(self) -> Place | None:
        """Where the package was read."""
        package = self.standing.package if self.standing else None
        return package.place if package else None

    @property
    def first_fixed(self) -> str:
        """The first version above the installed one that has the fix; empty when unknown."""
        return first_fixed(self.standing) if self.standing else ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What decided, with places."""
        return (*version_reasons(self.standing), *self.condition.because)

    @property
    def missing(self) -> tuple[str, ...]:
        """What would have to be told for a certain answer."""
        if self.verdict != "may":
            return ()
        unless = (self.fault.unless,) if self.fault.unless else ()
        return (*unless, *missing_versions(self.standing), *map(question, self.condition.missing))


def findings(setup: Setup, faults: Iterable[KnownFault]) -> list[Finding]:
    """What is to be said of this set-up: what affects it, what may, what is fixed, each the most pressing first."""
    judged = _Judge(setup)
    return sorted(filter(None, map(judged.finding, faults)), key=_rank)


def _rank(finding: Finding) -> tuple[int, bool, int, int, int, str]:
    fault = finding.fault
    holding = len(finding.condition.because)
    return (VERDICTS.index(finding.verdict), finding.is_weak, fault.severity, fault.certainty, -holding, fault.url)


class _Judge:
    """Judges faults for one set-up; many have the same condition."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._answers: dict[str, Answer] = {"": NO_CONDITION}

    def finding(self, fault: KnownFault) -> Finding | None:
        """What is to be said of the fault; None where it is excluded."""
        if not fault.rows:
            return self._without_versions(fault)
        standings = [
            standing for standing in self._standings(fault) if standing.is_in is not False or standing.is_fixed
        ]
        condition = self._condition(fault) if standings else None
        if condition is None or condition.holds is False:
            return None
        nearest = max(standings, key=lambda standing: (standing.is_in is True, standing.is_in is None))
        if nearest.is_in is False:
            return Finding(fault, "fixed", nearest, condition)
        if not (condition.because or nearest.package or self._is_there(nearest.versions.name)):
            return None
        is_there = nearest.is_in is True or (nearest.is_named and fault.condition != EVERY_SETUP)
        return Finding(fault, "affects" if is_there and condition.holds else "may", nearest, condition)

    def _without_versions(self, fault: KnownFault) -> Finding | None:
        """What is wrong in any version, or in versions that nobody could tell, where the condition holds."""
        if fault.condition == EVERY_SETUP or (fault.package and not self._is_there(fault.package)):
            return None
        condition = self._condition(fault)
        is_sure = fault.kind == "incompatibility" and not fault.unless
        return Finding(fault, "affects" if is_sure else "may", None, condition) if condition.holds else None

    def _condition(self, fault: KnownFault) -> Answer:
        if fault.condition not in self._answers:
            self._answers[fault.condition] = compiled(fault.condition)(self._setup)
        return self._answers[fault.condition]

    def _standings(self, fault: KnownFault) -> Iterator[Standing]:
        """The fault's packages that the set-up has, known or not which version."""
        for versions in fault.by_package.values():
            package = self._setup.packages.get(versions.name)
            if package is not None and package.allowed is not None:
                yield Standing(versions, package, within(versions.ranges, package.allowed))
            elif self._is_there(versions.name) or self._is_mentioned(versions.name):
                yield Standing(versions, package, None)

    def _is_there(self, name: str) -> bool:
        """Whether the set-up has the package: it is named, or its configuration was read, or it is the engine."""
        setup = self._setup
        if name in setup.absent:
            return False
        if name in setup.packages or (setup.lists_all_packages and "/" not in name):
            return name in setup.packages
        engine = setup.facts.get("engine")
        is_engine = engine is not None and engine.value == name.rpartition("/")[2]
        return is_engine or READ_BY.get(name, name) in setup.read_kinds

    def _is_mentioned(self, name: str) -> bool:
        """Whether something of the set-up needs the package; the condition must point at the fault as well."""
        return name in self._setup.mentioned and not self._setup.lists_all_packages
