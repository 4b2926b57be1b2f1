"""All that is asked of a kind of line when it is first seen, asked at once and in time linear in the line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kb.core.diagnosis.parsing import alarms, stages
from kb.core.diagnosis.scanning.claims import CLAIMS, MAPS
from kb.core.diagnosis.signals.matching import best_engine, one_line
from kb.core.diagnosis.signals.prefilter import Sieve

GROUPS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "alarms": alarms.PATTERNS,
    "stages": stages.PATTERNS,
    "claims": MAPS | CLAIMS,
}


@dataclass(frozen=True)
class Swept:
    """Which patterns of each group a text has."""

    alarms: frozenset[str]
    stages: frozenset[str]
    claims: tuple[str, ...]


class Sweep:
    """The patterns of all groups, compiled into one search."""

    def __init__(self) -> None:
        self._names = [(group, name) for group, patterns in GROUPS.items() for name in patterns]
        patterns = [_with_flags(pattern) for group in GROUPS.values() for pattern in group.values()]
        self._sieve = Sieve(patterns, best_engine())

    def sweep(self, text: str) -> Swept:
        """Ask them all."""
        found: dict[str, list[str]] = {group: [] for group in GROUPS}
        for place in self._sieve.search(one_line(text)):
            group, name = self._names[place]
            found[group].append(name)
        return Swept(frozenset(found["alarms"]), frozenset(found["stages"]), tuple(found["claims"]))


@lru_cache(maxsize=1)
def sweeping() -> Sweep:
    """The one sweep, compiled at the first call."""
    return Sweep()


def _with_flags(pattern: re.Pattern[str]) -> str:
    return f"(?i){pattern.pattern}" if pattern.flags & re.IGNORECASE else pattern.pattern
