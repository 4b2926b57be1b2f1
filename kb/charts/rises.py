"""Tests whether something is more frequent than its own past explains: ratios, intervals and chances of counts.

Counts of two periods with known exposures are compared by the exact conditional test: given how often a thing occurred
in both together, its number in the later one is binomial (Przyborowski & Wilenski, Biometrika 31, 1940).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, log, log1p

from kb.core.chances import binomial_at_least
from kb.core.intervals import Interval

# A rise of fewer issues than these would be no news, whatever its chance.
FEWEST = 5
TAIL_95 = 0.025
LEVEL = 0.05
MOST_STEPS, NEAR_ENOUGH = 60, 1e-14


@dataclass(frozen=True)
class Rise:
    """How often something occurs lately (`now` of `now_of` issues) and before (`before` of `before_of`)."""

    now: int
    now_of: int
    before: int
    before_of: int

    @property
    def ratio(self) -> float | None:
        """The later rate over the earlier one; None where there was none before."""
        return self.now / self.now_of / (self.before / self.before_of) if self.before else None

    @property
    def expected(self) -> float:
        """The number now at the earlier rate."""
        return self.before / self.before_of * self.now_of

    @property
    def chance(self) -> float:
        """How likely at least so many now are if the rate is as before: one-sided.

        Fewer than `FEWEST` are never a rise, so their chance is 1, which keeps the test's promise.
        """
        if self.now < FEWEST:
            return 1.0
        return binomial_at_least(self.now, self.now + self.before, self.now_of / (self.now_of + self.before_of))

    @cached_property
    def interval(self) -> tuple[float, float | None]:
        """The ratio's bounds at 95 %, transformed from those of the share; no upper one where there was none before."""
        share = clopper_pearson(self.now, self.now + self.before)
        scale = self.before_of / self.now_of
        low = _odds(share.low) * scale
        return (low, _odds(share.high) * scale) if self.before else (low, None)


def _odds(share: float) -> float:
    return share / (1 - share)


def clopper_pearson(cases: int, of: int) -> Interval:
    """The exact 95 % interval of a share (Clopper & Pearson, Biometrika 26, 1934), found by Newton's method.

    Raises `ValueError` for counts that are no share.
    """
    if of < 1 or not 0 <= cases <= of:
        raise ValueError(f"{cases} of {of} is not a share")
    low = _lower(cases, of) if cases else 0.0
    high = 1 - _lower(of - cases, of) if cases < of else 1.0
    return Interval(low, high)


def _lower(cases: int, of: int) -> float:
    """The share at which so many cases or more have the chance `TAIL_95`."""
    low, high = 0.0, cases / of
    share = high / 2
    for _ in range(MOST_STEPS):
        over = binomial_at_least(cases, of, share) - TAIL_95
        if over < 0:
            low = share
        else:
            high = share
        # How P(X >= cases) grows with the share: the density of Beta(cases, of - cases + 1).
        logarithm = lgamma(of + 1) - lgamma(cases) - lgamma(of - cases + 1)
        slope = exp(logarithm + (cases - 1) * log(share) + (of - cases) * log1p(-share))
        # Newton's step where there is one and it stays between the bounds, half the way otherwise.
        nearer = share - over / slope if slope else low
        if not low < nearer < high:
            nearer = (low + high) / 2
        if abs(nearer - share) <= NEAR_ENOUGH * share:
            return nearer
        share = nearer
    return share


def adjusted(chances: Sequence[float]) -> list[float]:
    """The q-values of Benjamini & Hochberg (J. R. Stat. Soc. B 57, 1995), in the order given.

    Of all that are below 5 %, at most 5 % are false on average.
    """
    q_values = [0.0] * len(chances)
    least = 1.0
    ordered = sorted(range(len(chances)), key=lambda place: chances[place])
    for rank, place in reversed(list(enumerate(ordered, 1))):
        least = min(least, chances[place] * len(chances) / rank)
        q_values[place] = least
    return q_values
