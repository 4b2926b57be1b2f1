"""The measures of one answer against the truth, and their means over jobs. Reading logs is not here."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from tests.kb.core.diagnosis.evaluation.truth import DUMPS, Place, Truth, events_of

VERDICTS = {
    "failure": frozenset({"failure"}),
    "cancelled": frozenset({"cancelled"}),
    "none": frozenset({"healthy", "no_evidence", "incomplete"}),
    "healthy": frozenset({"healthy"}),
    "incomplete": frozenset({"incomplete", "no_evidence"}),
    # A server that somebody stopped: both words for it are right.
    "stopped": frozenset({"healthy", "cancelled"}),
}
NOT_FAILED = frozenset({"none", "healthy", "incomplete", "stopped"})
CLOSE = 1
# L4 (study P4) tells its accuracy on nodes for so many.
TOPS = (1, 3, 5, 8)
Z = 1.96


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
    causes: tuple[str, ...] | None = None
    # What is blamed (a node or a rank), its name, and how sure the method is.
    blamed: tuple[tuple[str, str, float], ...] = ()


def f1(indicated: Collection[Place], truth: Truth) -> float:
    """Their harmonic mean."""
    one, other = precision(indicated, truth), recall(indicated, truth)
    return 2 * one * other / (one + other) if one + other else 0.0


def precision(indicated: Collection[Place], truth: Truth) -> float:
    """Of the lines that are indicated, the share that is right: root or support."""
    found = set(indicated)
    return len(found & truth.right) / len(found) if found else 0.0


def recall(indicated: Collection[Place], truth: Truth) -> float:
    """Of the root lines, the share that is indicated: support is right, but need not be found."""
    return len(set(indicated) & truth.root) / len(truth.root) if truth.root else 0.0


def f1_of_events(indicated: Collection[Place], truth: Truth) -> float:
    """The same over distinct events: what sixteen ranks say alike is found by naming one of them, and counts once."""
    events = events_of(truth, truth.right | set(indicated))
    found = {events[place] for place in indicated if place in events}
    right = {events[place] for place in truth.right if place in events}
    root = {events[place] for place in truth.root if place in events}
    exact = len(found & right) / len(found) if found else 0.0
    whole = len(found & root) / len(root) if root else 0.0
    return 2 * exact * whole / (exact + whole) if exact + whole else 0.0


def judged(truth: Truth, answer: Answer) -> dict[str, float]:
    """Each measure that this job has a truth for, from 0 to 1."""
    found: dict[str, float] = {}
    if truth.verdict == "failure" and truth.source != DUMPS and answer.lines is not None and truth.right:
        found["hit@1"] = float(any(place in truth.right for place in answer.lines[:1]))
        found["hit@5"] = float(any(place in truth.right for place in answer.lines[:5]))
        if truth.root:
            found["F1"] = f1(answer.indicated, truth)
            found["precision"] = precision(answer.indicated, truth)
            found["recall"] = recall(answer.indicated, truth)
            found["F1 events"] = f1_of_events(answer.indicated, truth)
    if truth.nodes and answer.nodes is not None:
        found |= _top("node", answer.nodes, truth.nodes)
    if truth.ranks and answer.ranks is not None:
        found |= _top("rank", answer.ranks, truth.ranks)
    if answer.verdict is not None:
        found["verdict"] = float(answer.verdict in VERDICTS[truth.verdict])
        if truth.verdict in NOT_FAILED:
            found["false alarm"] = float(answer.verdict == "failure")
        if truth.verdict == "cancelled":
            found["cancelled alarm"] = float(answer.verdict == "failure")
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
    if truth.cause and answer.causes is not None:
        found["cause top-1"] = float(truth.cause in answer.causes[:1])
        found["cause top-3"] = float(truth.cause in answer.causes[:3])
    return found


def _top(what: str, ranked: Sequence[str], true: Collection[str]) -> dict[str, float]:
    return {f"{what} top-{most}": float(any(name in true for name in ranked[:most])) for most in TOPS}


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

    def interval(self, measure: str) -> tuple[float, float]:
        """Wilson's 95 % interval of the mean; where the values are not 0 or 1, the true one is narrower."""
        return wilson(self.mean(measure), self.n(measure))


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n."""
    if not n:
        return 0.0, 1.0
    spread = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    middle, width = share + Z * Z / (2 * n), 1 + Z * Z / n
    return max(0.0, (middle - spread) / width), min(1.0, (middle + spread) / width)


def tally(found: Iterable[Mapping[str, float]]) -> Tally:
    """All of them together."""
    together = Tally()
    for one in found:
        together.add(one)
    return together
