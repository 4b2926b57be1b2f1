"""Why a result stands where it stands, in the words of who asked: what stands in its title, elsewhere, by another name.

It looks at what ranking sees of an issue: title, beginning and telling lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from kb.core.search.cards import Card
from kb.core.search.features import GAP, Features, unpack
from kb.core.search.lexicon import everyday, node_name
from kb.core.search.normalise import CAMEL, CJK, SEPARATOR, run_words, words, written
from kb.core.search.pipeline import Answered, Row
from kb.core.search.plan import STOP_WORDS, Plan, typed_runs
from kb.core.search.values import Wanted

# With more words than these, a text was pasted, and other words for its parts explain nothing.
FEW = 12


@dataclass(frozen=True)
class Alike:
    """Something that was looked for, and what stands in the issue in its place."""

    wanted: str
    there: str


@dataclass(frozen=True)
class Reason:
    """Which of the `wanted` things an issue has: in its title, elsewhere near its beginning, or by another name.

    Of a thing that has several words, such as `tensor-parallel-size`, the title may have a part only: then that part is
    named, and the thing is not among the `found` ones.
    """

    title: tuple[str, ...]
    elsewhere: tuple[str, ...]
    alike: tuple[Alike, ...]
    wanted: int
    found: int = 0

    @property
    def has_all(self) -> bool:
        """Is nothing missing?"""
        return self.found == self.wanted


@dataclass(frozen=True)
class TakenFor:
    """A word that stands in no issue, and the one that was searched in its place."""

    typed: str
    word: str


def reasons(result: Answered) -> list[Reason]:
    """Why each of the shown results matches, in their order."""
    names = _typed_names(result)
    sought = [_Sought(wanted, names) for wanted in result.plan.text.wanted]
    return [_reason(row, result.plan, sought) for row in result.rows]


def repairs(result: Answered) -> tuple[TakenFor, ...]:
    """The words that were taken for others, spelt as people spell them."""
    cards = [row.card for row in result.rows]
    return tuple(TakenFor(repair.typed, _spelt(repair.word, cards)) for repair in result.plan.repairs)


def unknown(result: Answered) -> tuple[str, ...]:
    """The words that stand in no issue, as they were typed."""
    typed: dict[str, str] = {}
    for run in typed_runs(result.query):
        for word in run_words(run)[:1]:
            typed.setdefault(word, run)
    return tuple(typed.get(word, word) for word in result.plan.unknown)


def _typed_names(result: Answered) -> Mapping[str, str]:
    """Search word -> how the person wrote it; a repaired word as people spell it."""
    names: dict[str, str] = {}
    for run in typed_runs(result.query):
        for word in run_words(run):
            names.setdefault(word, run)
    for repair, taken_for in zip(result.plan.repairs, repairs(result), strict=True):
        names[repair.word] = taken_for.word
    return names


class _Sought:
    """A wanted thing: how the person wrote it, and its own words and the other ones as `features` keeps them."""

    def __init__(self, wanted: Wanted, names: Mapping[str, str]) -> None:
        own = [word for word, weight in wanted.words if weight >= 1]
        self.wanted = wanted
        self.name = names.get(own[0], own[0])
        self.own = tuple(f" {word} " for word in own)
        self.others = tuple((word, f" {word} ") for word, weight in wanted.words if weight < 1)
        self._spellings = _spellings_of_parts(self.name)
        is_chinese = bool(CJK.match(self.name))
        # What stands for a part of a compound does not stand for the compound.
        self.is_one_word = is_chinese or len(own) == 1
        self._in_one_piece = f" {' '.join(own)} " if is_chinese else ""

    def is_in(self, text: str) -> bool:
        """Does all of it stand there? A Chinese word in one piece; a compound as such, or all of its parts."""
        if self._in_one_piece:
            return self._in_one_piece in text
        return all(word in text for word in self.own[1:] or self.own)

    def parts_in(self, text: str) -> list[str]:
        """Those of its parts that stand there and say something, as the person wrote them."""
        there = [word.strip() for word in self.own if word in text]
        return [self._spellings.get(word, word) for word in there if word not in STOP_WORDS]


def _spellings_of_parts(name: str) -> Mapping[str, str]:
    """Search word -> the part of the name that it comes from."""
    spellings: dict[str, str] = {}
    pieces = SEPARATOR.split(name)
    for part in (name, *pieces, *chain.from_iterable(map(CAMEL.split, pieces))):
        for word in run_words(part)[:1]:
            spellings.setdefault(word, part)
    return spellings


def _reason(row: Row, plan: Plan, sought: Sequence[_Sought]) -> Reason:
    features = _features(row)
    title: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    alike: dict[str, Alike] = {}
    found: dict[str, None] = {}
    for wanted in sought:
        may_be_alike = len(sought) <= FEW and wanted.is_one_word
        if wanted.is_in(features.title):
            title[wanted.name] = found[wanted.name] = None
        elif wanted.is_in(features.lead) or any(map(wanted.is_in, features.faces.split(GAP))):
            elsewhere[wanted.name] = found[wanted.name] = None
        elif may_be_alike and (there := _by_another_name(wanted, plan, features, row.card)):
            alike[wanted.name] = Alike(wanted.name, there)
            found[wanted.name] = None
        elif parts := wanted.parts_in(features.title):
            title.update(dict.fromkeys(parts))
        else:
            elsewhere.update(dict.fromkeys(wanted.parts_in(features.lead)))
    return Reason(tuple(title), tuple(elsewhere), tuple(alike.values()), len(sought), len(found))


def _features(row: Row) -> Features:
    """What ranking saw; where an engine keeps none, what the card tells."""
    if row.judged.features:
        return row.judged.features
    if row.judged.candidate.features:
        return unpack(row.judged.candidate.features)
    title, lead = (f" {' '.join(words(text))} " for text in (row.card.title, row.card.text))
    return Features(title, lead, "", "", row.card.framework)


def _by_another_name(sought: _Sought, plan: Plan, features: Features, card: Card) -> str:
    """The other word, the phrase of one of its groups, or the label that the issue has in its place."""
    for word, padded in sought.others:
        if padded in features.title or padded in features.lead:
            return _spelt(word, [card])
    groups: set[str] = set()
    for word, _ in sought.wanted.words:
        groups |= plan.need.groups.get(word, frozenset())
    held = {name for name in groups if f" {name} " in features.lead_groups}
    return _phrase(held, card) or _label(held, card)


def _label(names: set[str], card: Card) -> str:
    """The label of the card that is one of these nodes."""
    shown = {"symptom": card.symptoms, "root_cause": card.causes, "fix_pattern": card.patterns}
    for axis, nodes in shown.items():
        for node in nodes:
            if node_name(axis, node.code) in names:
                return node.name
    return ""


def _phrase(groups: set[str], card: Card) -> str:
    """The first phrase of one of these word groups in the card's texts, as it is written there."""
    if not groups:
        return ""
    indexed: list[str] = []
    spellings: list[str] = []
    for run in _runs(card.title, card.text):
        for word in run_words(run):
            indexed.append(word)
            spellings.append(run)
    places = everyday().places(indexed)
    for name in sorted(groups):
        if starts := sorted(places.get(name, ())):
            together = [place for step, place in enumerate(starts) if place == starts[0] + step]
            if CJK.match(indexed[starts[0]]):
                return indexed[starts[0]] + "".join(indexed[place][1:] for place in together[1:])
            return " ".join(dict.fromkeys(spellings[place] for place in together))
    return ""


def _spelt(word: str, cards: Sequence[Card]) -> str:
    """How people write an indexed word, in its shortest form; the stem itself where none of the cards has it."""
    spellings: list[str] = []
    for card in cards:
        spellings += [run.lower() for run in _runs(card.title, card.text) if word in run_words(run)]
    return min(spellings, key=len, default=word)


@lru_cache(512)
def _runs(title: str, text: str) -> tuple[str, ...]:
    """The runs of characters that a card writes; several words of a question look for theirs among them."""
    return tuple(written(f"{title}\n{text}"))
