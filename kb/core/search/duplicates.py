"""Folds results that report the same fault under the first of them, within one page."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.core.search.cards import Card
from kb.core.search.normalise import words

# Shorter titles ("out of memory") are the same by chance.
LEAST_WORDS = 4


@dataclass(frozen=True)
class Folded:
    """A result by its place among those that were given, and the later ones that say the same."""

    place: int
    twins: tuple[Card, ...]


def fold_twins(cards: Sequence[Card]) -> list[Folded]:
    """The results in their order; one of the same framework and title as an earlier one goes under that one.

    A report goes under the record that answers it, which then stands where the first of them stood.
    """
    pages = {card.page: place for place, card in enumerate(cards)}
    titles: dict[tuple[object, ...], int] = {}
    above: list[int] = []
    for place, card in enumerate(cards):
        title = tuple(words(card.title))
        key = (card.framework, title) if len(title) >= LEAST_WORDS else (place,)
        same_title = titles.setdefault(key, place)
        above.append(pages.get(card.answered_by.page, same_title) if card.answered_by else same_title)
    twins: dict[int, list[Card]] = {}
    for place, card in enumerate(cards):
        first = above[above[place]]
        several = twins.setdefault(first, [])
        if place != first:
            several.append(card)
    return [Folded(place, tuple(several)) for place, several in twins.items()]
