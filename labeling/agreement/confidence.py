"""How far one published answer can be trusted: the lowest of what agreement, its own votes and its origin allow.

The bounds are Krippendorff's (2004, Content Analysis, chapter 11): from 0.800 reliable, from 0.667 for tentative
conclusions. A coefficient without an interval shows too little to count. The table for readers: docs/confidence.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from labeling.agreement.measure import Coefficient

RELIABLE, TENTATIVE = 0.8, 0.667
# The lower end of the 95 % interval that goes with each.
RELIABLE_LOW, TENTATIVE_LOW = 0.667, 0.4


class Confidence(IntEnum):
    """The three levels, in order."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


@dataclass(frozen=True)
class Basis:
    """What an answer rests on. `support` of `votes` gave exactly it; `categories`: a coefficient for each it names."""

    axis: Coefficient | None
    categories: Sequence[Coefficient | None]
    votes: int
    support: int
    is_pilot: bool = False
    is_from_file: bool = False
    is_demo: bool = False


def confidence(basis: Basis) -> Confidence:
    """The lowest of four: agreement on the axis, on each category, the answer's own votes, and where they are from."""
    measured = [by_agreement(one) for one in (basis.axis, *basis.categories)]
    return min(*measured, by_votes(basis.votes, basis.support), by_origin(basis))


def by_agreement(coefficient: Coefficient | None) -> Confidence:
    """What an agreement beyond chance (alpha) with its interval allows."""
    if coefficient is None or coefficient.value is None or coefficient.interval is None:
        return Confidence.LOW
    value, low = coefficient.value, coefficient.interval.low
    if low is None:
        return Confidence.LOW
    if value >= RELIABLE and low >= RELIABLE_LOW:
        return Confidence.HIGH
    return Confidence.MEDIUM if value >= TENTATIVE and low >= TENTATIVE_LOW else Confidence.LOW


def by_votes(votes: int, support: int) -> Confidence:
    """What an answer's own votes allow: all of two or more, more than half of them, or less."""
    if votes < 2 or 2 * support <= votes:
        return Confidence.LOW
    return Confidence.HIGH if support == votes else Confidence.MEDIUM


def by_origin(basis: Basis) -> Confidence:
    """A pilot is there to find faults; nobody here saw how the votes of a file came about."""
    if basis.is_from_file or basis.is_demo:
        return Confidence.LOW
    return Confidence.MEDIUM if basis.is_pilot else Confidence.HIGH
