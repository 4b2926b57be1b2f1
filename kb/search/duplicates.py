"""Folds results that report the same fault under the first of them, within one page."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.search.cards import Card
from kb.search.normalise import words

# Shorter titles ("out of memory") are the same by chance.
LEAST_WORDS = 4


@dataclass(frozen=True)
class Folded:
    """A result by its place among those that were given, and the later ones that say the same."""

    place: int
    twins: tuple[Card, ...]


def fold_twins(cards: Sequence[Card]) -> list[Folded]:
    """The results in their order; one of the same framework and title as an earlier one goes under that one."""
    places: dict[tuple[object, ...], list[int]] = {}
    for place, card in enumerate(cards):
        title = tuple(words(card.title))
        key = (card.framework, title) if len(title) >= LEAST_WORDS else (place,)
        places.setdefault(key, []).append(place)
    return [Folded(first, tuple(cards[place] for place in others)) for first, *others in places.values()]
