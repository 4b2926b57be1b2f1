"""All patterns that a new kind of line is searched for, searched at once and in time linear in the line."""

import re
from functools import lru_cache
from typing import NamedTuple

from kb.core.diagnosis.parsing import alarms, stages
from kb.core.diagnosis.scanning.claim_patterns import CLAIMS, MAPS
from kb.core.diagnosis.signals.engines import best_engine
from kb.core.diagnosis.signals.matching import Sieve, one_line


class Matches(NamedTuple):
    """Which patterns of each group a text has."""

    alarms: list[str]
    stages: list[str]
    claims: list[str]


class Sweep:
    """The patterns of all groups, compiled into one search."""

    def __init__(self) -> None:
        self._names: list[tuple[int, str]] = []
        patterns: list[str] = []
        for group, named in enumerate((alarms.PATTERNS, stages.PATTERNS, MAPS | CLAIMS)):
            for name, pattern in named.items():
                self._names.append((group, name))
                patterns.append(f"(?i){pattern.pattern}" if pattern.flags & re.IGNORECASE else pattern.pattern)
        self._sieve = Sieve(patterns, best_engine())

    def search(self, text: str) -> Matches:
        """Search for all patterns."""
        matches = Matches([], [], [])
        for place in self._sieve.search(one_line(text)):
            group, name = self._names[place]
            matches[group].append(name)
        return matches


@lru_cache(maxsize=1)
def sweep() -> Sweep:
    """The one sweep, compiled at the first call."""
    return Sweep()
