"""Scores of suspects: evidence added up by name, and the suspects in order. What counts is decided elsewhere."""

from collections import defaultdict
from dataclasses import dataclass, field

from kb.core.diagnosis.report import Suspect

MOST_SHOWN = 64
# Not worth a reader's time.
LEAST = 0.04
# One side's word is not certainty: what the others would have said is not here. A scheduler's word is worth more.
ONE_SIDED, ONE_SIDED_BUT_CERTAIN = 0.85, 0.95


@dataclass
class Scores:
    """The scores of nodes or of ranks, each with the reason that weighed most."""

    totals: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reasons: dict[str, tuple[float, str]] = field(default_factory=dict)
    certain: set[str] = field(default_factory=set)

    def add(self, name: str, score: float, why: str, *, is_certain: bool = False) -> None:
        """Add a piece of evidence against this one. `is_certain`: by who oversees all."""
        if is_certain:
            self.certain.add(name)
        if score > self.reasons.get(name, (0.0, ""))[0]:
            self.reasons[name] = (score, why)
        self.totals[name] += score

    def suspects(self, *, is_one_sided: bool) -> tuple[Suspect, ...]:
        """The most suspect first, with scores up to 1, less if one process alone was heard."""
        most = max(self.totals.values(), default=0.0)
        ordered = sorted(self.totals.items(), key=lambda entry: -round(entry[1], 6))
        ranked: list[Suspect] = []
        for name, total in ordered[:MOST_SHOWN]:
            score = total / max(most, 1.0)
            if is_one_sided:
                score = min(score, ONE_SIDED_BUT_CERTAIN if name in self.certain else ONE_SIDED)
            if total >= LEAST:
                ranked.append(Suspect(name, round(score, 3), self.reasons[name][1]))
        return tuple(ranked)
