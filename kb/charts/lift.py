"""The lift: how much more often two answers occur together than they would by chance."""

from dataclasses import dataclass
from math import exp, hypot, inf, log, sqrt

from kb.core.chances import Z_95
from kb.core.intervals import Interval, wilson


@dataclass(frozen=True)
class Lift:
    """A ratio of shares, 1 where two answers have nothing to do with each other, and its interval."""

    ratio: float
    interval: Interval

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 1."""
        return not self.interval.low <= 1 <= self.interval.high


def lift(*, both: int, one: int, other: int, of: int, z: float = Z_95) -> Lift:
    """Of `of` issues, `one` and `other` carry an answer and `both` carry the two: the lift with its interval.

    The lift is (both / one) / (other / of). Its base holds the cases too; the two shares of issues with `one` and
    without have none in common. With r their ratio and w = one / of, the lift is 1 / (w + (1 - w) / r). How far the
    bounds of r and of w move its logarithm is squared and added (MOVER, see `_ratio_of_shares`). A single issue then
    makes no clear difference, as it would by the delta method.
    Raises `ValueError` for counts that do not nest, and when nothing carries both: a ratio of nothing has no bound.
    """
    if not 1 <= both <= min(one, other) or one + other - both > of:
        raise ValueError(f"{both} of {one} and {other} among {of} do not nest")
    ratio = both * of / (one * other)
    if one == of:
        return Lift(ratio, Interval(ratio, ratio))
    apart = _ratio_of_shares(both, one, other - both, of - one, z)
    inverse = (other - both) * one / (both * (of - one))
    part = one / of
    ends = wilson(one, of, z=z)
    by_part = [log((share + (1 - share) * inverse) / (part + (1 - part) * inverse)) for share in (ends.low, ends.high)]
    by_ratio = [log(ratio * (part + (1 - part) / bound)) for bound in (apart.low, apart.high)]
    low, high = hypot(max(by_part), max(by_ratio)), hypot(min(by_part), min(by_ratio))
    return Lift(ratio, Interval(ratio * exp(-low), ratio * exp(high)))


def _ratio_of_shares(first: int, of_first: int, second: int, of_second: int, z: float) -> Interval:
    """The interval of `first` / `of_first` over `second` / `of_second`, two shares of issues of which none is in both.

    MOVER-R of Donner and Zou, Statistics in Medicine 31 (2012), equation 9, from Wilson's intervals as Newcombe,
    Statistical Methods in Medical Research 25 (2016), advises; the lower bound is written so that it never divides
    by nothing. Without an upper bound where the second share is none.
    """
    p, q = first / of_first, second / of_second
    first_share, second_share = wilson(first, of_first, z=z), wilson(second, of_second, z=z)
    low = first_share.low * (2 * p - first_share.low)
    below = second_share.high * (2 * q - second_share.high)
    above = second_share.low * (2 * q - second_share.low)
    high = first_share.high * (2 * p - first_share.high)
    lower_bound = low / (p * q + sqrt(max(0.0, (p * q) ** 2 - low * below)))
    if not above:
        return Interval(lower_bound, inf)
    return Interval(lower_bound, (p * q + sqrt(max(0.0, (p * q) ** 2 - high * above))) / above)
