"""How much more often two answers occur together than they would by chance. Pure: counts in, ratio and bounds out."""

from dataclasses import dataclass
from math import exp, sqrt

from kb.charts.intervals import Z_95, Interval


@dataclass(frozen=True)
class Lift:
    """A ratio of shares, 1 where two answers have nothing to do with each other, and its interval."""

    ratio: float
    interval: Interval

    @property
    def is_clear(self) -> bool:
        """Does the interval leave out 1?"""
        return not self.interval.low <= 1 <= self.interval.high


def lift(*, both: int, one: int, other: int, of: int, z: float = Z_95) -> Lift:
    """Of `of` issues, `one` and `other` carry an answer and `both` carry the two: the lift with its interval.

    The lift is (both / one) / (other / of). Its interval is taken on the logarithm as Katz, Baptista, Azen and Pike do
    for a ratio of risks (Biometrics 34, 1978); since here the base holds the cases, the variance is that of the four
    multinomial counts by the delta method: 1/both - 1/one - 1/other + 2 both/(one other) - 1/of.
    Raises `ValueError` for counts that do not nest, and when nothing carries both: its logarithm has no end.
    """
    if not 1 <= both <= min(one, other) or one + other - both > of:
        raise ValueError(f"{both} of {one} and {other} among {of} do not nest")
    ratio = both * of / (one * other)
    # Over one denominator, whole numbers all along: what cancels out leaves nothing behind.
    above = of * (one * other - both * (one + other - 2 * both)) - both * one * other
    spread = exp(z * sqrt(above / (both * one * other * of)))
    return Lift(ratio, Interval(ratio / spread, ratio * spread))
