"""Orders the best matches anew, by how much of what was asked stands where it matters. Pure.

An engine's score (BM25, Robertson and Zaragoza 2009, section 3) adds up what words weigh; it does not see that the
words stand in the title, near each other, or that another word says the same. That is added here, for the first
`DEPTH` matches only. The weights were fitted on the judged queries in `tests/relevance` (pairwise logistic
regression, two thirds of them; see docs/decisions).
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.search.features import Features, Merits, unpack
from kb.search.lexicon import everyday
from kb.search.values import Candidate

DEPTH = 100
# A word counts so much where only another word of its group stands.
SYNONYM = 0.6
# Words this near each other in the question are looked for near each other.
NEAR_WORDS, NEAR_CHARACTERS = 3, 28
MOST_WORDS = 60

WEIGHTS = {
    "engine": 3.98,
    "title": 2.17,
    "lead": 4.58,
    "near": 0.88,
    "title_groups": 0.18,
    "lead_groups": 1.17,
    "framework": 1.62,
}
# Fitted on the queries with and without an answer (logistic regression): above 0, the best match is taken for one.
# `known` is the share of the question's weight in words that occur anywhere.
CLOSE = {"base": -7.8, "score": 0.69, "known": 3.4}
# Mild: they decide between equals. What a reader gains from an issue beside its fit.
BOOSTS = {"curated": 0.10, "resolved": 0.08, "fix": 0.06, "readers": 0.02}


@dataclass(frozen=True)
class Need:
    """What a question asks for, as ranking sees it.

    `sequence`: its telling words in order; `weights`: word -> inverse document frequency; `groups`: word -> names
    of its word groups; `group_weights`: the weight of each; `frameworks`: slugs of the frameworks that it names;
    `lost`: the weight of its words that occur nowhere.
    """

    sequence: tuple[str, ...]
    weights: Mapping[str, float]
    groups: Mapping[str, frozenset[str]]
    group_weights: Mapping[str, float]
    frameworks: frozenset[str]
    lost: float = 0.0

    @property
    def total(self) -> float:
        """The weight of all its words."""
        return sum(self.weights.values()) or 1.0


@dataclass(frozen=True)
class Judged:
    """A candidate with what its place rests on: its score, and the measures that went into it."""

    candidate: Candidate
    score: float
    measures: Mapping[str, float]


def make_need(
    sequence: Sequence[str],
    weights: Mapping[str, float],
    frameworks: Iterable[str] = (),
    lost: float = 0.0,
) -> Need:
    """What a question with these normalised words asks for; `weights`: the words that count, and how much."""
    kept = list(sequence[: MOST_WORDS * 2])
    named: dict[str, set[str]] = {}
    group_weights: dict[str, float] = {}
    for name, places in everyday().places(kept).items():
        group_weights[name] = max((weights.get(kept[place], 0.0) for place in places), default=0.0)
        for place in places:
            named.setdefault(kept[place], set()).add(name)
    telling = [word for word in kept if word in weights][:MOST_WORDS]
    return Need(
        sequence=tuple(telling),
        weights={word: weights[word] for word in telling},
        groups={word: frozenset(names) for word, names in named.items()},
        group_weights={name: weight for name, weight in group_weights.items() if weight},
        frameworks=frozenset(frameworks),
        lost=lost,
    )


def rank(need: Need, candidates: Sequence[Candidate]) -> list[Judged]:
    """The candidates, best first; those beyond `DEPTH` stay behind in the engine's order."""
    judged = [judge(need, candidate) for candidate in candidates[:DEPTH]]
    judged.sort(key=lambda one: (-one.score, -one.candidate.id))
    return [*judged, *(Judged(candidate, -math.inf, {}) for candidate in candidates[DEPTH:])]


def judge(need: Need, candidate: Candidate) -> Judged:
    """Measure how well a candidate answers the need."""
    features = unpack(candidate.features)
    measures = measure(need, features) | {"engine": candidate.score / need.total}
    score = sum(WEIGHTS[name] * value for name, value in measures.items()) + boost(features.merits)
    return Judged(candidate, score, measures | {"known": need.total / (need.total + need.lost)})


def boost(merits: Merits) -> float:
    """What an issue's merits add to its score."""
    return (
        BOOSTS["curated"] * merits.curated
        + BOOSTS["resolved"] * merits.resolved
        + BOOSTS["fix"] * merits.fix
        + BOOSTS["readers"] * math.log1p(merits.readers)
    )


def measure(need: Need, features: Features) -> dict[str, float]:
    """The measures by the names in `WEIGHTS`, each about 0 to 1, but for the engine's score."""
    return {
        "title": _coverage(need, features.title, features.title_groups),
        "lead": _coverage(need, features.title + features.lead, features.lead_groups),
        "near": _nearness(need, features.title + features.lead),
        "title_groups": _group_coverage(need, features.title_groups),
        "lead_groups": _group_coverage(need, features.lead_groups),
        "framework": _framework(need, features.framework),
    }


def _coverage(need: Need, text: str, groups: str) -> float:
    """The share of the question's weight that stands in the text, words by another name counting `SYNONYM`."""
    found = 0.0
    for word, weight in need.weights.items():
        if f" {word} " in text:
            found += weight
        elif any(f" {name} " in groups for name in need.groups.get(word, ())):
            found += SYNONYM * weight
    return found / need.total


def _group_coverage(need: Need, groups: str) -> float:
    total = sum(need.group_weights.values())
    if not total:
        return 0.0
    return sum(weight for name, weight in need.group_weights.items() if f" {name} " in groups) / total


def _nearness(need: Need, text: str) -> float:
    """The share of the question's neighbouring pairs that stand near each other in the text, in either order."""
    places = {word: _places(word, text) for word in need.weights}
    found = total = 0.0
    for start, word in enumerate(need.sequence):
        for other in need.sequence[start + 1 : start + 1 + NEAR_WORDS]:
            if other == word:
                continue
            weight = need.weights[word] + need.weights[other]
            total += weight
            if _meet(places[word], places[other]):
                found += weight
    return found / total if total else 0.0


def _places(word: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(f" {word} "), text)] if f" {word} " in text else []


def _meet(some: Sequence[int], others: Sequence[int]) -> bool:
    return any(abs(one - other) <= NEAR_CHARACTERS for one in some for other in others)


def _framework(need: Need, framework: str) -> float:
    """1 where the question names the issue's framework, -1 where it names others only, 0 where it names none."""
    if not need.frameworks:
        return 0.0
    return 1.0 if framework in need.frameworks else -1.0


def is_close(best: Judged) -> bool:
    """Does the best match come near to what was asked? Without measures (another engine) it is taken to."""
    if not best.measures:
        return True
    return CLOSE["base"] + CLOSE["score"] * best.score + CLOSE["known"] * best.measures["known"] > 0
