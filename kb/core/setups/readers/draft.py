"""The set-up while it is read: what each source says, by how much it counts, until all that agrees is taken over."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from kb.core.setups.facts import Fact, Package, Place, Source, Value
from kb.core.versions import Allowed, allowed_by, package_name


class Rank(IntEnum):
    """Which source counts where two say different things: the higher one."""

    DEFAULT = 0
    TOLD = 1
    IMAGE = 2
    FILE = 3
    INSTALLED = 4
    COMMAND = 5
    RUNNING = 6


# Packages that are one under several names.
ALIASES = {
    "pytorch": "torch",
    "pytorch-gpu": "torch",
    "pytorch-cpu": "torch",
    "flashinfer": "flashinfer-python",
    "transformer-engine-cu12": "transformer-engine",
    "transformer-engine-cu13": "transformer-engine",
    "nccl": "nvidia/nccl",
    "hf-transformers": "transformers",
}
NCCL_WHEEL = "nvidia-nccl-cu"
MAX_ENTRIES = 20_000


@dataclass(frozen=True)
class Claim:
    """A value that one source names, and how much that source counts."""

    value: Value
    place: Place
    rank: Rank

    @property
    def fact(self) -> Fact:
        """The claim as a fact of the set-up."""
        return Fact(self.value, self.place, is_default=self.rank is Rank.DEFAULT)


@dataclass(frozen=True)
class Reference:
    """A file of a kind that a configuration or command names, such as DeepSpeed's."""

    kind: str
    path: str
    place: Place


Claims = dict[str, list[Claim]]


def _claims() -> Claims:
    return defaultdict(list)


@dataclass
class Draft:
    """What was read so far."""

    packages: dict[str, list[tuple[Allowed | None, Place, Rank]]] = field(default_factory=lambda: defaultdict(list))
    settings: Claims = field(default_factory=_claims)
    flags: Claims = field(default_factory=_claims)
    variables: Claims = field(default_factory=_claims)
    facts: Claims = field(default_factory=_claims)
    references: list[Reference] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    # Modules that scripts import, without what is below them.
    imports: set[str] = field(default_factory=set)
    read_kinds: set[str] = field(default_factory=set)
    # Settings and kinds that are set to something which cannot be read: their defaults do not count.
    unread: set[str] = field(default_factory=set)
    # Packages that an environment says are not there.
    absent: dict[str, Place] = field(default_factory=dict)
    programs: set[str] = field(default_factory=set)
    sources: dict[tuple[str, str], Source] = field(default_factory=dict)
    lists_all_packages: bool = False
    lists_all_variables: bool = False
    hides_flags: bool = False
    has_command: bool = False
    has_script: bool = False
    entries: int = 0

    def add_source(self, name: str, form: str, note: str = "") -> None:
        """A form was recognised in this text."""
        self.sources.setdefault((name, form), Source(name, form, note))

    def add_package(self, name: str, requirement: str | None, place: Place, rank: Rank) -> None:
        """A package by what its source allows; None where it comes from a branch, folder or URL."""
        if not self._has_room():
            return
        normal = package_name(name)
        allowed = None if requirement is None else allowed_by(requirement.strip() or ">=0")
        for each in _names(normal):
            self.packages[each].append((allowed, place, rank))

    def add_setting(self, kind: str, key: str, value: Value, place: Place, rank: Rank = Rank.FILE) -> None:
        """A key of a configuration of this kind."""
        if self._has_room():
            self.settings[f"{kind}.{key}"].append(Claim(value, place, rank))

    def add_flag(self, name: str, value: Value, place: Place) -> None:
        """A flag of a command, under both spellings: programs take `--nproc_per_node` for `--nproc-per-node`."""
        for spelling in {name, name.replace("_", "-"), name.replace("-", "_")}:
            if self._has_room():
                self.flags[spelling].append(Claim(value, place, Rank.COMMAND))

    def add_variable(self, name: str, value: str, place: Place, rank: Rank = Rank.FILE) -> None:
        """A variable of the environment."""
        if self._has_room():
            self.variables[name].append(Claim(value, place, rank))

    def add_fact(self, name: str, value: Value, place: Place, rank: Rank = Rank.FILE) -> None:
        """A fact of the vocabulary."""
        if self._has_room():
            self.facts[name].append(Claim(value, place, rank))

    def _has_room(self) -> bool:
        self.entries += 1
        return self.entries <= MAX_ENTRIES


def _names(normal: str) -> list[str]:
    names = [ALIASES.get(normal, normal)]
    if normal.startswith(NCCL_WHEEL):
        names.append("nvidia/nccl")
    return names


def agreed(claims: Iterable[Claim]) -> Claim | None:
    """What the sources that count most agree on; None where they do not."""
    ordered = sorted(claims, key=lambda claim: -claim.rank)
    if not ordered:
        return None
    best = [claim for claim in ordered if claim.rank == ordered[0].rank]
    fullest = max(best, key=lambda claim: len(str(claim.value)))
    return best[0] if all(_is_same(claim.value, best[0].value) for claim in best) else _refined(fullest, best)


VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,4}")


def _refined(fullest: Claim, others: Iterable[Claim]) -> Claim | None:
    """The fullest of versions that differ in how much they tell: 12.4 and 12.4.1."""
    text = str(fullest.value)
    agree = VERSION.fullmatch(text) and all(f"{text}.".startswith(f"{claim.value}.") for claim in others)
    return fullest if agree else None


def last(claims: list[Claim]) -> Claim:
    """What counts where a later one replaces an earlier one: flags and variables."""
    best = max(claim.rank for claim in claims)
    return [claim for claim in claims if claim.rank == best][-1]


def _is_same(value: Value, other: Value) -> bool:
    return value == other or str(value).lower() == str(other).lower()


def agreed_package(name: str, entries: list[tuple[Allowed | None, Place, Rank]]) -> Package:
    """The package as those sources have it that count most; between two versions it may be either."""
    best = max(rank for _, _, rank in entries)
    told: dict[Allowed | None, Place] = {}
    for allowed, place, rank in entries:
        if rank == best:
            told.setdefault(allowed, place)
    (allowed, place), *others = told.items()
    for other, _ in others:
        allowed = _either(allowed, other)
    return Package(name, allowed, place)


def _either(allowed: Allowed | None, other: Allowed | None) -> Allowed | None:
    """All that one or the other allows."""
    if allowed is None or other is None:
        return None
    if (allowed.low, allowed.high) == (other.low, other.high):
        return allowed
    lower = allowed if _is_lower(allowed, other) else other
    higher = other if _is_higher(other, allowed) else allowed
    return Allowed(lower.low, higher.high, lower.has_low, higher.has_high, f"{allowed.text} or {other.text}")


def _is_lower(allowed: Allowed, other: Allowed) -> bool:
    return allowed.low is None or (other.low is not None and allowed.low <= other.low)


def _is_higher(allowed: Allowed, other: Allowed) -> bool:
    return allowed.high is None or (other.high is not None and allowed.high >= other.high)
