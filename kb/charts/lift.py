"""How many times more often something is seen under a condition than anywhere, with an interval. Pure: counts in."""

from dataclasses import dataclass
from math import exp, log, sqrt

from kb.charts.intervals import Z_95, Interval

# Where all cases have it, the method would leave no room for chance: half a case is taken off (Walter 1975).
HALF_A_CASE = 0.5


@dataclass(frozen=True)
class Lift:
    """A ratio of two shares: 1 is no more than usual."""

    ratio: float
    interval: Interval

    @property
    def differs(self) -> bool:
        """Does the interval leave out 1?"""
        return not self.interval.low <= 1 <= self.interval.high


def lift(cases: int, of: int, base: int, all_cases: int, *, z: float = Z_95) -> Lift:
    """The share `cases` / `of` against the base rate `base` / `all_cases`, with an interval at 95 %.

    The log method of Katz, Baptista, Azen and Pike, Biometrics 34 (1978), 469-474, which takes the two shares for
    independent. Where the base holds the cases too, as it does here, they go together, so that the interval is wider
    than it need be, by `2 (1 - cases / of) / base` in the variance of the logarithm, and never narrower.
    Raises `ValueError` for counts that are no shares, or for a share of nothing, which has no logarithm.
    """
    if not (1 <= cases <= of and 1 <= base <= all_cases):
        raise ValueError(f"{cases} of {of} against {base} of {all_cases} is no lift")
    ratio = (cases / of) / (base / all_cases)
    spread = z * sqrt(_part(cases, of) + _part(base, all_cases))
    return Lift(ratio, Interval(exp(log(ratio) - spread), exp(log(ratio) + spread)))


def _part(cases: int, of: int) -> float:
    """What one share adds to the variance of the ratio's logarithm."""
    return 1 / min(cases, of - HALF_A_CASE) - 1 / of
