"""Rankings of themes, whole or partial, as ranks.

Somebody who ranks only the first few says that all others come after them and nothing about their order: these share
the mean of the ranks that are left (Kendall 1945, The treatment of ties in ranking problems).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ranking = tuple[str, ...]

# A longer list is filled in with less care, and what matters most is at its head.
MOST_PLACES = 5


class RankingRefusedError(ValueError):
    """A ranking that cannot be read as one."""


@dataclass(frozen=True)
class Repeat:
    """A code that stands at two places; both count from 1."""

    code: str
    first: int
    again: int


def repeats(places: Sequence[str]) -> tuple[Repeat, ...]:
    """Every place whose code stands at an earlier place, too; empty places are skipped."""
    first_places: dict[str, int] = {}
    repeated = []
    for place, code in enumerate(places, start=1):
        if code and code in first_places:
            repeated.append(Repeat(code, first_places[code], place))
        elif code:
            first_places[code] = place
    return tuple(repeated)


def as_ranking(places: Sequence[str]) -> Ranking:
    """The codes in their order, empty places closed up.

    Raises `RankingRefusedError` for repeats and for more than `MOST_PLACES`.
    """
    repeated = repeats(places)
    if repeated:
        code, first, again = repeated[0].code, repeated[0].first, repeated[0].again
        raise RankingRefusedError(f"{code} stands at places {first} and {again}")
    ranking = tuple(code for code in places if code)
    if len(ranking) > MOST_PLACES:
        raise RankingRefusedError(f"{len(ranking)} places are more than {MOST_PLACES}")
    return ranking


def within(ranking: Ranking, items: Iterable[str]) -> Ranking:
    """The ranking without what is no item, its places closed up."""
    known = set(items)
    return tuple(code for code in ranking if code in known)


def ranks_of(ranking: Ranking, items: Sequence[str]) -> tuple[float, ...]:
    """The rank of each item, 1 is best; items that are not ranked share the mean of the ranks left.

    Raises `RankingRefusedError` for a code that is no item.
    """
    unknown = set(ranking) - set(items)
    if unknown:
        raise RankingRefusedError(f"{min(unknown)} is not among what is ranked")
    left = (len(ranking) + 1 + len(items)) / 2
    place = {code: float(number) for number, code in enumerate(ranking, start=1)}
    return tuple(place.get(item, left) for item in items)


def rank_matrix(rankings: Sequence[Ranking], items: Sequence[str]) -> Floats:
    """Raters x items: the ranks that each rater gives."""
    rows = [ranks_of(ranking, items) for ranking in rankings]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(items))
