"""The measures of one answer against the truth, and their means over jobs. Reading logs is not here."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.kb.core.diagnosis.evaluation.truth import DUMPS, Place, Truth

VERDICTS = {
    "failure": frozenset({"failure"}),
    "cancelled": frozenset({"cancelled"}),
    "none": frozenset({"healthy", "incomplete", "no_evidence"}),
}
CLOSE = 1


@dataclass(frozen=True)
class Answer:
    """What a method says of a job; None: it does not say. `lines`: the best first; `indicated`: those it stands for."""

    lines: tuple[Place, ...] | None = None
    indicated: frozenset[Place] = frozenset()
    nodes: tuple[str, ...] | None = None
    ranks: tuple[str, ...] | None = None
    verdict: str | None = None
    stage: str | None = None
    iteration: int | None = None
    symptom: str | None = None


def f1(indicated: Collection[Place], truth: Truth) -> float:
    """Precision over root and support lines, recall over root lines: support is right, but need not be found."""
    found = set(indicated)
    precision = len(found & truth.right) / len(found) if found else 0.0
    recall = len(found & truth.root) / len(truth.root) if truth.root else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def judged(truth: Truth, answer: Answer) -> dict[str, float]:
    """Each measure that this job has a truth for, from 0 to 1."""
    found: dict[str, float] = {}
    if truth.verdict == "failure" and truth.source != DUMPS and answer.lines is not None and truth.right:
        found["hit@1"] = float(any(place in truth.right for place in answer.lines[:1]))
        found["hit@5"] = float(any(place in truth.right for place in answer.lines[:5]))
        if truth.root:
            found["F1"] = f1(answer.indicated, truth)
    if truth.nodes and answer.nodes is not None:
        found |= _top("node", answer.nodes, truth.nodes)
    if truth.ranks and answer.ranks is not None:
        found |= _top("rank", answer.ranks, truth.ranks)
    if answer.verdict is not None:
        found["verdict"] = float(answer.verdict in VERDICTS[truth.verdict])
        if truth.verdict == "none":
            found["false alarm"] = float(answer.verdict == "failure")
        found |= _circumstances(truth, answer)
    return found


def _circumstances(truth: Truth, answer: Answer) -> dict[str, float]:
    found: dict[str, float] = {}
    if truth.stage:
        found["stage"] = float(answer.stage == truth.stage)
    if truth.iterations:
        near = (answer.iteration is not None and abs(answer.iteration - true) <= CLOSE for true in truth.iterations)
        found["iteration"] = float(any(near))
    if truth.symptom and truth.symptom != "none":
        found["symptom"] = float(answer.symptom == truth.symptom)
    return found


def _top(what: str, ranked: Sequence[str], true: Collection[str]) -> dict[str, float]:
    return {f"{what} top-{most}": float(any(name in true for name in ranked[:most])) for most in (1, 3)}


@dataclass
class Tally:
    """Values of each measure over jobs."""

    values: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, found: Mapping[str, float]) -> None:
        """Count a job in."""
        for measure, value in found.items():
            self.values[measure].append(value)

    def mean(self, measure: str) -> float:
        """Its mean; 0 where nothing was judged."""
        values = self.values.get(measure, [])
        return sum(values) / len(values) if values else 0.0

    def n(self, measure: str) -> int:
        """How many jobs it was judged on."""
        return len(self.values.get(measure, []))


def tally(found: Iterable[Mapping[str, float]]) -> Tally:
    """All of them together."""
    together = Tally()
    for one in found:
        together.add(one)
    return together
