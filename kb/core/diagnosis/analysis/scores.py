"""Scores of suspects: evidence added up by name, and the suspects in order. What counts is decided elsewhere."""

from collections import defaultdict
from dataclasses import dataclass, field

from kb.core.diagnosis.report import Suspect

MOST_SHOWN = 64
# Not worth a reader's time.
LEAST = 0.04


@dataclass
class Scores:
    """The scores of nodes or of ranks, each with the reason that weighed most."""

    totals: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reasons: dict[str, tuple[float, str]] = field(default_factory=dict)

    def add(self, name: str, score: float, why: str) -> None:
        """Add a piece of evidence against this one."""
        if score > self.reasons.get(name, (0.0, ""))[0]:
            self.reasons[name] = (score, why)
        self.totals[name] += score

    def suspects(self) -> tuple[Suspect, ...]:
        """The most suspect first, with scores up to 1."""
        most = max(self.totals.values(), default=0.0)
        ordered = sorted(self.totals.items(), key=lambda entry: -round(entry[1], 6))
        return tuple(
            Suspect(name, round(score / max(most, 1.0), 3), self.reasons[name][1])
            for name, score in ordered[:MOST_SHOWN]
            if score >= LEAST
        )
