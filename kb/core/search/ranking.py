"""Orders the best matches anew, by how much of what was asked stands where it matters.

An engine's score (BM25, Robertson and Zaragoza 2009, section 3) adds up what words weigh; it does not see that the
words stand in the title, or that another word says the same. That is added here, for the first `DEPTH` matches only.
The weights were fitted on the judged queries in `tests/relevance` (pairwise logistic regression, two thirds of them;
see docs/decisions).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kb.core.search.features import GAP, Features, Merits, any_in, unpack
from kb.core.search.lexicon import everyday, everyday_nodes
from kb.core.search.values import Candidate

DEPTH = 50
# A word counts so much where only another word of its group stands.
SYNONYM = 0.8
# What a word in another face of the fault counts as, beside one in the title.
FACE = 0.8
MOST_WORDS = 60

WEIGHTS = {
    "engine": 3.52,
    "title": 1.84,
    "lead": 4.95,
    "title_groups": 0.75,
    "framework": 1.62,
}
# What a reader gains from an issue beside its fit. It decides between issues that fit alike: it counts in full where
# all of the question stands in title and beginning, and not where little does: a described issue is no nearer by that.
USES = {"curated": 1.2, "resolved": 1.2, "fix": 0.6}
FITTING = 16
# What a described issue loses where its title and faces hold nothing of the question. Its text was written to be found:
# what that lacks is evidence that another fault is meant, where a reporter's title just may not say it.
LACK = 1.65
READERS = 0.02


@dataclass(frozen=True)
class Need:
    """What a question asks for, as ranking sees it.

    `sequence`: its telling words in order; `weights`: word -> inverse document frequency; `groups`: word -> names
    of its word groups; `group_weights`: the weight of each; `frameworks`: slugs of the frameworks that it names, and
    `naming`: the words that name them; `lost`: the weight of its words that occur nowhere.
    """

    sequence: tuple[str, ...]
    weights: Mapping[str, float]
    groups: Mapping[str, frozenset[str]]
    group_weights: Mapping[str, float]
    frameworks: frozenset[str]
    naming: frozenset[str] = frozenset()
    lost: float = 0.0

    @cached_property
    def total(self) -> float:
        """The weight of all its words."""
        return sum(self.weights.values()) or 1.0

    # What follows is worked out once per question instead of once per candidate.

    @cached_property
    def sought(self) -> tuple[tuple[str, float, tuple[str, ...]], ...]:
        """(word, weight, names of its groups), as `features` keeps them: with a blank around each."""
        names = {word: tuple(f" {name} " for name in self.groups.get(word, ())) for word in self.weights}
        return tuple((f" {word} ", weight, names[word]) for word, weight in self.weights.items())

    @cached_property
    def sought_groups(self) -> tuple[tuple[str, float], ...]:
        """(name with a blank around it, weight) of each group."""
        return tuple((f" {name} ", weight) for name, weight in self.group_weights.items())

    @cached_property
    def group_total(self) -> float:
        """The weight of all its groups."""
        return sum(self.group_weights.values())


@dataclass(frozen=True)
class Judged:
    """A candidate with what its place rests on: its score, the measures that went into it, and what was measured."""

    candidate: Candidate
    score: float
    measures: Mapping[str, float]
    features: Features | None = None


def make_need(
    sequence: Sequence[str],
    weights: Mapping[str, float],
    frameworks: Mapping[str, Iterable[int]] | None = None,
    lost: float = 0.0,
) -> Need:
    """What a question with these normalised words asks for.

    `weights`: the words that count, and how much; `frameworks`: slug -> the places of the words that name it.
    """
    first = list(sequence[: MOST_WORDS * 2])
    groups: dict[str, set[str]] = {}
    group_weights: dict[str, float] = {}
    for name, places in everyday().places(first).items():
        weight = max(weights.get(first[place], 0.0) for place in places)
        if weight:
            group_weights[name] = weight
        for place in places:
            groups.setdefault(first[place], set()).add(name)
    for name, places in everyday_nodes().places(first).items():
        for place in places:
            groups.setdefault(first[place], set()).add(name)
    telling = [word for word in first if word in weights][:MOST_WORDS]
    naming: set[str] = set()
    for positions in (frameworks or {}).values():
        naming.update(f" {sequence[position]} " for position in positions)
    return Need(
        sequence=tuple(telling),
        weights={word: weights[word] for word in telling},
        groups={word: frozenset(names) for word, names in groups.items()},
        group_weights=group_weights,
        frameworks=frozenset(frameworks or ()),
        naming=frozenset(naming),
        lost=lost,
    )


def rank(need: Need, candidates: Sequence[Candidate]) -> list[Judged]:
    """The candidates, best first; those beyond `DEPTH` stay behind in the engine's order."""
    ranked = [judge(need, candidate) for candidate in candidates[:DEPTH]]
    ranked.sort(key=lambda judged: (-judged.score, -judged.candidate.id))
    return [*ranked, *(Judged(candidate, -math.inf, {}) for candidate in candidates[DEPTH:])]


def judge(need: Need, candidate: Candidate) -> Judged:
    """Measure how well a candidate answers the need."""
    features = unpack(candidate.features)
    measures = measure(need, features) | {"engine": candidate.score / need.total}
    measures["known"] = need.total / (need.total + need.lost)
    return Judged(candidate, fit(measures) + use(features.merits, measures), measures, features)


def fit(measures: Mapping[str, float]) -> float:
    """How well an issue with these measures fits, whatever its merits."""
    return sum(weight * measures[name] for name, weight in WEIGHTS.items())


def boost(merits: Merits, share: float) -> float:
    """What an issue's merits add to its score, where this share of the question stands in its title and beginning."""
    use = USES["curated"] * merits.curated + USES["resolved"] * merits.resolved + USES["fix"] * merits.fix
    return use * min(share, 1.0) ** FITTING + READERS * math.log1p(merits.readers)


def lack(merits: Merits, share: float) -> float:
    """What a described issue loses where this share of the question stands in its title or a face."""
    return LACK * merits.curated * (1 - min(share, 1.0))


def use(merits: Merits, measures: Mapping[str, float]) -> float:
    """What an issue's merits add to its score or, where its own text says little of the question, take from it."""
    return boost(merits, measures["lead"]) - lack(merits, measures["title"])


def measure(need: Need, features: Features) -> dict[str, float]:
    """The measures by the names in `WEIGHTS`, each about 0 to 1, but for the engine's score."""
    text = features.title + features.lead
    first = [text.find(word) for word, _, _ in need.sought]
    title, lead = _coverage(need, first, features)
    if features.faces:
        title, lead = map(max, (title, lead), _by_face(need, first, features))
    return {
        "title": title,
        "lead": lead,
        "title_groups": _group_coverage(need, features.title_groups),
        "framework": _framework(need, features.framework, text),
    }


def _coverage(need: Need, first: Sequence[int], features: Features) -> tuple[float, float]:
    """The share of the question's weight in the title, and in title and beginning; `SYNONYM` by another name.

    `first`: where each sought word stands first, or -1.
    """
    title = lead = 0.0
    title_end = len(features.title) - 1
    for (_, weight, names), at in zip(need.sought, first, strict=True):
        if at >= 0:
            lead += weight
            if at < title_end:
                title += weight
                continue
        elif names and any_in(names, features.lead_groups):
            lead += SYNONYM * weight
        if names and any_in(names, features.title_groups):
            title += SYNONYM * weight
    return title / need.total, lead / need.total


def _by_face(need: Need, first: Sequence[int], features: Features) -> tuple[float, float]:
    """The best title and beginning that an issue would have if it began with one of its fault's faces.

    Words of several faces do not add up: each face is a way to ask by itself.
    """
    sought = need.sought
    in_any = [place for place, (word, _, _) in enumerate(sought) if word in features.faces]
    if not in_any:
        return 0.0, 0.0
    title_end = len(features.title) - 1
    in_title = {place for place, at in enumerate(first) if 0 <= at < title_end}
    title = lead = 0.0
    for face in features.faces.split(GAP):
        own = {place for place in in_any if sought[place][0] in face}
        shared = sum(sought[place][1] for place in own)
        beside = sum(sought[place][1] for place in in_title - own)
        title, lead = max(title, shared), max(lead, shared + beside)
    return FACE * title / need.total, lead / need.total


def _group_coverage(need: Need, groups: str) -> float:
    if not need.group_total:
        return 0.0
    return sum(weight for name, weight in need.sought_groups if name in groups) / need.group_total


def _framework(need: Need, framework: str, text: str) -> float:
    """1 where the question names the issue's framework, -1 where it names others only, 0 where it names none.

    Also 0 where the issue speaks of the named one: many a framework is a library of others.
    """
    if not need.frameworks:
        return 0.0
    if framework in need.frameworks:
        return 1.0
    return 0.0 if need.naming and all(word in text for word in need.naming) else -1.0
