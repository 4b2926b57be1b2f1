"""The confidence in one published answer: the lowest level that agreement, its own votes and its origin allow.

The bounds are Krippendorff's (2004, Content Analysis, chapter 11): from 0.800 reliable, from 0.667 for tentative
conclusions. A coefficient without an interval, or over few issues, does not count: with n issues and no disagreement at
all, up to 3 / n of all issues may still be disagreed on (Hanley and Lippman-Hand 1983, JAMA 249). The table for
readers: docs/confidence.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from labeling.agreement.measure import Coefficient

RELIABLE, TENTATIVE = 0.8, 0.667
# The least lower bound of the 95 % interval for each.
RELIABLE_LOW, TENTATIVE_LOW = 0.667, 0.4
# The least issues for high and for medium: on the axis, and with the category.
AXIS_ISSUES, CATEGORY_ISSUES = (30, 10), (10, 5)


class Confidence(IntEnum):
    """The three levels, in order."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


@dataclass(frozen=True)
class Measure:
    """Alpha on an axis or on one category, and the number of issues with two votes, one of which names the category."""

    alpha: Coefficient
    issues: int


@dataclass(frozen=True)
class Basis:
    """What an answer rests on: `support` of `votes` gave exactly it; `categories`: a measure for each of its nodes."""

    axis: Measure | None
    categories: Sequence[Measure | None]
    votes: int
    support: int
    is_pilot: bool = False
    is_from_file: bool = False
    is_demo: bool = False


def confidence(basis: Basis) -> Confidence:
    """The lowest of the levels by agreement on the axis, on each category, by the answer's votes, by their origin."""
    axis = by_agreement(basis.axis, AXIS_ISSUES)
    categories = [by_agreement(category, CATEGORY_ISSUES) for category in basis.categories]
    return min(axis, *categories, by_votes(basis.votes, basis.support), by_origin(basis))


def by_agreement(measure: Measure | None, least_issues: tuple[int, int]) -> Confidence:
    """The level that alpha and its interval allow, over at least so many issues for high and for medium."""
    if measure is None or measure.alpha.value is None or measure.alpha.interval is None:
        return Confidence.LOW
    value, low = measure.alpha.value, measure.alpha.interval.low
    for_high, for_medium = least_issues
    if low is None:
        return Confidence.LOW
    if value >= RELIABLE and low >= RELIABLE_LOW and measure.issues >= for_high:
        return Confidence.HIGH
    if value >= TENTATIVE and low >= TENTATIVE_LOW and measure.issues >= for_medium:
        return Confidence.MEDIUM
    return Confidence.LOW


def by_votes(votes: int, support: int) -> Confidence:
    """High where two or more votes are unanimous, medium where more than half support the answer, else low."""
    if votes < 2 or 2 * support <= votes:
        return Confidence.LOW
    return Confidence.HIGH if support == votes else Confidence.MEDIUM


def by_origin(basis: Basis) -> Confidence:
    """A pilot is held to find faults, and how the votes in a file came about is unknown."""
    if basis.is_from_file or basis.is_demo:
        return Confidence.LOW
    return Confidence.MEDIUM if basis.is_pilot else Confidence.HIGH
