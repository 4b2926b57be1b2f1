"""How far one published answer can be trusted: the lowest of what agreement, its own votes and its origin allow.

The bounds are Krippendorff's (2004, Content Analysis, chapter 11): from 0.800 reliable, from 0.667 for tentative
conclusions. A coefficient without an interval, or over a handful of issues, shows too little to count: with n issues
and no disagreement at all, up to 3 / n of all issues may still be disagreed on (Hanley and Lippman-Hand 1983, JAMA
249). The table for readers: docs/confidence.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from labeling.agreement.measure import Coefficient

RELIABLE, TENTATIVE = 0.8, 0.667
# The lower end of the 95 % interval that goes with each.
RELIABLE_LOW, TENTATIVE_LOW = 0.667, 0.4
# Issues that are needed for high and for medium: on the axis, and with the category.
AXIS_ISSUES, CATEGORY_ISSUES = (30, 10), (10, 5)


class Confidence(IntEnum):
    """The three levels, in order."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


@dataclass(frozen=True)
class Measure:
    """Alpha on an axis, or on one category, and over how many issues: with two votes there, one of which names it."""

    alpha: Coefficient
    issues: int


@dataclass(frozen=True)
class Basis:
    """What an answer rests on. `support` of `votes` gave exactly it; `categories`: a measure for each it names."""

    axis: Measure | None
    categories: Sequence[Measure | None]
    votes: int
    support: int
    is_pilot: bool = False
    is_from_file: bool = False
    is_demo: bool = False


def confidence(basis: Basis) -> Confidence:
    """The lowest of four: agreement on the axis, on each category, the answer's own votes, and where they are from."""
    axis = by_agreement(basis.axis, AXIS_ISSUES)
    categories = [by_agreement(one, CATEGORY_ISSUES) for one in basis.categories]
    return min(axis, *categories, by_votes(basis.votes, basis.support), by_origin(basis))


def by_agreement(measure: Measure | None, wanted: tuple[int, int]) -> Confidence:
    """What an agreement beyond chance with its interval allows, over at least `wanted` issues for high and medium."""
    if measure is None or measure.alpha.value is None or measure.alpha.interval is None:
        return Confidence.LOW
    value, low = measure.alpha.value, measure.alpha.interval.low
    if low is None:
        return Confidence.LOW
    if value >= RELIABLE and low >= RELIABLE_LOW and measure.issues >= wanted[0]:
        return Confidence.HIGH
    is_tentative = value >= TENTATIVE and low >= TENTATIVE_LOW and measure.issues >= wanted[1]
    return Confidence.MEDIUM if is_tentative else Confidence.LOW


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
