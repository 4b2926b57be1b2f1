"""Which categories of the codebook a query names, and which it only mentions in passing or denies.

Phrases are compared by the stems that search uses, the longest first. How categories are chosen for a panel is here;
where their names come from is `kb.search.named`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from kb.core.search.normalise import CJK, VERSION, run_words, written
from kb.core.search.plan import STOP_WORDS
from kb.core.telling import COMMON, PYTHONS

NEGATORS = frozenset({"no", "not", "never", "without", "nor", "neither", "isn", "cannot", "instead", "rather", "non"})
NEGATORS |= frozenset({"dont", "doesnt", "isnt", "wont", "cant"})
# What may stand between a negator and what it denies; any other word is denied itself: "not loading, OOM".
FILLERS = frozenset({
    "a", "an", "the", "any", "really", "actually", "just", "be", "been", "being", "get", "gets", "getting", "seem",
    "seems", "to", "from", "of", "due", "because", "than", "longer", "t",
})  # fmt: skip
CHINESE_NEGATORS = ("不", "没", "未", "无", "非")
# So much of what a query says must name a component or a cause, where no symptom is named.
LEAST_SHARE = 0.5
SYMPTOM, CAUSE, COMPONENT = KEYS = ("symptom", "cause", "component")


class Category(NamedTuple):
    """A category: the key of its filter, and its code."""

    key: str
    code: str


class Phrase(NamedTuple):
    """One way to name a category; one that is `short` for it counts only where it is most of what a query says."""

    text: str
    category: Category
    is_short: bool = False


class _Unit(NamedTuple):
    """A run of letters, or two Chinese characters. `pieces`: its words between dots, a compound before its parts."""

    written: str
    pieces: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All of its search words."""
        return tuple(chain.from_iterable(self.pieces))


# A word with the number of its unit.
Placed = tuple[str, int]


@dataclass(frozen=True)
class _Mention:
    """A place that names categories: the units that it takes, and in how many words. A `vague` one yields to others."""

    units: frozenset[int]
    length: int
    categories: frozenset[Category]
    is_short: bool
    is_vague: bool


@dataclass(frozen=True)
class Naming:
    """The categories that a query names by the keys of their filters, best first, and the frameworks.

    `share`: how much of what the query says names them.
    """

    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    frameworks: tuple[str, ...] = ()
    share: float = 0.0


class NodeBook:
    """Every phrase that names a category."""

    def __init__(
        self, phrases: Iterable[Phrase], parents: Mapping[Category, Category], everyday: Iterable[Phrase] = ()
    ) -> None:
        """`everyday`: what people say for a category; a name or an alias in the codebook counts before it."""
        self._by_first: dict[str, dict[tuple[str, ...], list[Phrase]]] = {}
        self._parents = parents
        self._add(phrases, frozenset())
        self._add(everyday, frozenset(chain.from_iterable(self._by_first.values())))

    def _add(self, phrases: Iterable[Phrase], known: frozenset[tuple[str, ...]]) -> None:
        for phrase in phrases:
            units = _units(phrase.text, {})
            for parts in {_telling([word for word, _ in placed]) for placed in _readings(units)} - known:
                if parts:
                    self._by_first.setdefault(parts[0], {}).setdefault(parts, []).append(phrase)

    def naming(
        self, text: str, *, repaired: Mapping[str, str] | None = None, frameworks: Mapping[str, set[int]] | None = None
    ) -> Naming:
        """What the text names. `repaired`: misspelt runs with what was meant; `frameworks`: places of their words."""
        units = _units(text, repaired or {})
        by_framework = {slug: _units_of(units, places) for slug, places in (frameworks or {}).items()}
        places = self._mentions(units)
        # The NCCL of "NCCL timeout" is no product that somebody asks about.
        longer = frozenset().union(*(place.units for place in places if place.length > 1))
        by_framework = {slug: own for slug, own in by_framework.items() if not own <= longer}
        of_frameworks = frozenset().union(*by_framework.values())
        if others := [place for place in places if not place.units <= of_frameworks]:
            places = others
        elif places:
            by_framework, of_frameworks = {}, frozenset()
        denied = [place for place in places if _is_denied(units, min(place.units))]
        named = _clearest([place for place in places if place not in denied])
        share = _share(units, named, of_frameworks.union(*(place.units for place in denied)))
        by_key: dict[str, tuple[str, ...]] = {}
        for key in KEYS:
            counted = [place for place in named if share >= LEAST_SHARE or not place.is_short]
            is_subject = share >= LEAST_SHARE or key == SYMPTOM or (key == COMPONENT and SYMPTOM in by_key)
            if is_subject and (codes := self._best(key, counted)):
                by_key[key] = codes
        return Naming(by_key, tuple(by_framework), share)

    def _mentions(self, units: Sequence[_Unit]) -> list[_Mention]:
        """Every place of a phrase that is within no longer one."""
        places: list[_Mention] = []
        for every in _readings(units):
            for placed in (every, [(word, number) for word, number in every if word not in STOP_WORDS]):
                places += self._mentions_in(units, placed)
        places.sort(key=lambda place: (-len(place.units), min(place.units)))
        kept: list[_Mention] = []
        for place in places:
            if not any(place.units & longer.units for longer in kept):
                kept.append(place)
        return kept

    def _mentions_in(self, units: Sequence[_Unit], placed: Sequence[Placed]) -> Iterator[_Mention]:
        for start, (word, _) in enumerate(placed):
            for parts, phrases in self._by_first.get(word, {}).items():
                taken = placed[start : start + len(parts)]
                if tuple(part for part, _ in taken) == parts and _is_whole(units, taken):
                    yield _mention(phrases, taken)

    def _best(self, key: str, mentions: Sequence[_Mention]) -> tuple[str, ...]:
        """The categories of a key, those that most of the text names first; none above another one."""
        sizes: dict[Category, tuple[int, int]] = {}
        for mention in mentions:
            for category in mention.categories:
                if category.key == key:
                    size, first = sizes.get(category, (0, -min(mention.units)))
                    sizes[category] = (size + len(mention.units), max(first, -min(mention.units)))
        above = {parent for category in sizes for parent in self._above(category)}
        best = sorted((category for category in sizes if category not in above), key=lambda each: sizes[each])
        return tuple(category.code for category in reversed(best))

    def _above(self, category: Category) -> Iterable[Category]:
        while parent := self._parents.get(category):
            yield parent
            category = parent


def _telling(parts: Sequence[str]) -> tuple[str, ...]:
    """A phrase's words but for those that say nothing, where two or more remain."""
    telling = [part for part in parts if part not in STOP_WORDS]
    return tuple(telling if len(telling) > 1 else parts)


def _readings(units: Sequence[_Unit]) -> tuple[list[Placed], list[Placed]]:
    """The words with their units, once with `out-of-memory` and `OutOfMemory` as a word and once as their parts."""
    whole: list[Placed] = []
    parts: list[Placed] = []
    for number, unit in enumerate(units):
        for piece in unit.pieces:
            whole += [(word, number) for word in piece[:1]]
            parts += [(word, number) for word in piece[1:] or piece]
    return whole, parts


def _units(text: str, repaired: Mapping[str, str]) -> list[_Unit]:
    units = []
    for run in written(text):
        if CJK.match(run):
            units += [_Unit(pair, ((pair,),)) for pair in run_words(run)]
        elif run in repaired:
            units.append(_Unit(run.lower(), ((repaired[run],),)))
        else:
            pieces = (run,) if VERSION.fullmatch(run) else run.split(".")
            units.append(_Unit(run.lower(), tuple(run_words(piece) for piece in pieces)))
    return units


def _units_of(units: Sequence[_Unit], places: Iterable[int]) -> frozenset[int]:
    """The units that hold the words at these places."""
    owners = [number for number, unit in enumerate(units) for _ in unit.words]
    return frozenset(owners[place] for place in places if place < len(owners))


def _is_whole(units: Sequence[_Unit], taken: Sequence[tuple[str, int]]) -> bool:
    """Is no identifier cut: is a name such as `nan_to_num` not taken for the word that it begins with?"""
    for number in {number for _, number in taken}:
        unit = units[number]
        if "_" not in unit.written and "." not in unit.written:
            continue
        own = [word for word, place in taken if place == number]
        if own not in ([word for word, _ in reading] for reading in _readings([unit])):
            return False
    return True


def _mention(phrases: Sequence[Phrase], taken: Sequence[tuple[str, int]]) -> _Mention:
    categories = frozenset(phrase.category for phrase in phrases)
    return _Mention(
        units=frozenset(number for _, number in taken),
        length=len(taken),
        categories=categories,
        is_short=all(phrase.is_short for phrase in phrases),
        is_vague=len(categories) > 1 or all(_is_anybodys(phrase.text) for phrase in phrases),
    )


def _is_anybodys(text: str) -> bool:
    """Is a phrase the name of an error that tells no fault from another, such as `RuntimeError`?"""
    runs = [run.lower() for run in written(text)]
    return all(run in COMMON or (run in PYTHONS and run.endswith("error")) for run in runs)


def _is_denied(units: Sequence[_Unit], first: int) -> bool:
    """Does the text say that it is not so?"""
    before = [unit.written for unit in units[max(0, first - 4) : first]]
    if CJK.match(units[first].written):
        return any(pair.startswith(CHINESE_NEGATORS) for pair in before[-2:] if CJK.match(pair))
    while before and before[-1] in FILLERS:
        if before.pop() == "t" and before and before[-1].endswith("n"):
            return True
    return bool(before) and before[-1] in NEGATORS


def _clearest(mentions: Sequence[_Mention]) -> list[_Mention]:
    """Without words such as `RuntimeError` and `docs` where something clearer is named."""
    clear = [mention for mention in mentions if not mention.is_vague]
    return clear or list(mentions)


def _share(units: Sequence[_Unit], named: Sequence[_Mention], passed: frozenset[int]) -> float:
    """How much of what the text says is named; frameworks, numbers and what is denied are no part of it."""
    telling = set()
    for number, unit in enumerate(units):
        is_telling = number not in passed and not unit.written[:1].isdigit() and unit.written not in NEGATORS | FILLERS
        if is_telling and not STOP_WORDS.issuperset(unit.words):
            telling.add(number)
    covered = [number for number in telling if any(number in mention.units for mention in named)]
    return len(covered) / len(telling) if telling else 0.0
