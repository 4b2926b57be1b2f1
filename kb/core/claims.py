"""Verdicts: does what a study published hold of our own cases? Pure: counts in, a verdict and one sentence out.

A published value is excluded or not by the 95 % interval of ours. What is not excluded holds only where that interval
is narrow; otherwise our cases are too few to say. How ours are counted is `kb.charts.claims`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Literal

from kb.core.intervals import Interval, newcombe, wilson

FEWEST = 10
# The half width of an interval that says enough, and the share that "never" may still hide.
NARROW = 0.10
HIDDEN = 0.05
# "About" a quarter is said of 23 and of 27 %.
ABOUT = 0.025

Bound = Literal["at_least", "at_most", "about"]


class Verdict(Enum):
    """What our cases say of a published value."""

    HOLDS = "holds"
    DIFFERS = "differs"
    TOO_FEW = "too few"
    CANNOT = "cannot be asked"


@dataclass(frozen=True)
class Judgement:
    """A verdict with one sentence that says what the interval allows; without one where nothing was published."""

    verdict: Verdict | None
    sentence: str


@dataclass(frozen=True)
class PublishedShare:
    """A published share between 0 and 1, with the size of its sample where it is printed."""

    share: float
    of: int | None = None
    bound: Bound | None = None


def few(of: int) -> Judgement | None:
    """The judgement over fewer cases than say anything; None where there are enough."""
    if of >= FEWEST:
        return None
    return Judgement(Verdict.TOO_FEW, f"{of} of our records answer: fewer than {FEWEST} say nothing.")


def judge_share(cases: int, of: int, published: PublishedShare | None) -> Judgement:
    """Our share against a published one: by the difference's interval where its sample's size is known."""
    if too_few := few(of):
        return too_few if published else Judgement(None, too_few.sentence)
    ours = wilson(cases, of)
    if published is None:
        return Judgement(None, f"{_lies(ours)}; the study printed no number.")
    if published.bound in ("at_least", "at_most"):
        return _judge_bound(ours, published.share, published.bound, _percent(published.share))
    slack = ABOUT if published.bound == "about" else 0.0
    said = f"about {_percent(published.share)}" if slack else _percent(published.share)
    if published.of is None:
        return _judge_value(ours, published.share, slack, said)
    theirs = round(published.share * published.of)
    between = newcombe(cases, of, theirs, published.of)
    allowed = f"{_lies(ours)}, the difference between {_points(between)}"
    if between.low > slack or between.high < -slack:
        return Judgement(Verdict.DIFFERS, f"{allowed}: {said} of {published.of:,} is excluded.")
    if _is_narrow(ours):
        return Judgement(Verdict.HOLDS, f"{allowed}, so {said} of {published.of:,} is possible.")
    return Judgement(Verdict.TOO_FEW, f"{allowed}: {said} is possible, and so is much else.")


def judge_never(cases: int, of: int) -> Judgement:
    """Whether something never happens: a single case refutes it, however few were looked at."""
    if cases:
        verb = "is one" if cases == 1 else f"are {cases:,}"
        return Judgement(Verdict.DIFFERS, f"There {verb} among our {of:,}: never is excluded.")
    if too_few := few(of):
        return too_few
    ours = wilson(0, of)
    allowed = f"There is none among our {of:,}, which allows up to {_bound(ours.high)} %"
    if ours.high <= HIDDEN:
        return Judgement(Verdict.HOLDS, f"{allowed}.")
    return Judgement(Verdict.TOO_FEW, f"{allowed}: too much to call it never.")


def judge_ratio(first: int, second: int, published: float | None, bound: Bound | None = None) -> Judgement:
    """Our ratio `first` : `second` against a published one to 1: by the share of the first among both."""
    of = first + second
    if too_few := few(of):
        return too_few if published else Judgement(None, too_few.sentence)
    share = wilson(first, of)
    odds = odds_of(share)
    lies = f"Ours lies between {to_one(odds.low)} and {to_one(odds.high)}"
    if published is None:
        return Judgement(None, f"{lies}; the study printed no ratio.")
    if bound in ("at_least", "at_most"):
        return _judge_bound(share, published / (1 + published), bound, to_one(published), lies)
    slack = ABOUT if bound == "about" else 0.0
    said = f"about {to_one(published)}" if slack else to_one(published)
    return _judge_value(share, published / (1 + published), slack, said, lies)


def odds_of(share: Interval) -> Interval:
    """The bounds of a share as ratios to 1; infinite where nothing of the other is certain."""
    return Interval(*(inf if bound == 1 else bound / (1 - bound) for bound in (share.low, share.high)))


def to_one(ratio: float | None) -> str:
    """Write a ratio as `2.1 to 1`; None and infinity are any number."""
    return "any number to 1" if ratio in (None, inf) else f"{ratio:.1f} to 1"


def judge_figure(ours: Interval, of: int, published: float | None, bound: Bound | None = None) -> Judgement:
    """A figure of ours between 0 and 1 that has an interval of its own against a published one."""
    if too_few := few(of):
        return too_few if published is not None else Judgement(None, too_few.sentence)
    lies = f"Ours lies between {ours.low:.2f} and {ours.high:.2f}"
    if published is None:
        return Judgement(None, f"{lies}; the study printed no number.")
    if bound in ("at_least", "at_most"):
        return _judge_bound(ours, published, bound, f"{published:g}", lies)
    return _judge_value(ours, published, ABOUT if bound == "about" else 0.0, f"{published:g}", lies)


def judge_order(counts: Mapping[str, int], of: int, order: Sequence[str], *, any_order: bool = False) -> Judgement:
    """Whether our most frequent codes are the published ones, in their order.

    `counts`: of all codes, over `of` issues. Two places are told apart where the share of the one among both leaves out
    a half. The order holds if ours is the same and its last code is told from the next one; it differs if ours turns
    round two codes that can be told apart; otherwise our cases are too few.
    """
    if too_few := few(of):
        return too_few if order else Judgement(None, too_few.sentence)
    # Of equal counts, the published order decides.
    places = {code: place for place, code in enumerate(order)}
    ranked = sorted(counts, key=lambda code: (-counts[code], places.get(code, len(places)), code))
    if not order:
        return Judgement(None, "The study printed no order.")
    if turned := _turned(counts, order, any_order=any_order):
        above, below = turned
        return Judgement(Verdict.DIFFERS, f"Ours has {above} clearly above {below}, which the order excludes.")
    top = ranked[: len(order)]
    is_same = set(top) == set(order) if any_order else top == list(order)
    following = ranked[len(order)] if len(ranked) > len(order) else ""
    if not is_same:
        return Judgement(Verdict.TOO_FEW, "Ours has another order, but the codes in question cannot be distinguished.")
    if following and not are_apart(counts[top[-1]], counts[following]):
        return Judgement(Verdict.TOO_FEW, f"Ours is the same, but {top[-1]} cannot be told from {following} after it.")
    return Judgement(Verdict.HOLDS, f"Ours is the same, and {top[-1]} is clearly above what follows.")


def are_apart(one: int, other: int) -> bool:
    """Whether two counts differ beyond chance: the interval of the one's share among both leaves out a half."""
    if not one + other:
        return False
    interval = wilson(one, one + other)
    return interval.low > 0.5 or interval.high < 0.5


def _turned(counts: Mapping[str, int], order: Sequence[str], *, any_order: bool) -> tuple[str, str] | None:
    """The first two codes, the higher one of ours first, that ours clearly has the other way round."""
    others = sorted((code for code in counts if code not in order), key=lambda code: (-counts[code], code))
    for place, code in enumerate(order):
        behind = [*(() if any_order else order[place + 1 :]), *others]
        for later in behind:
            ahead, after = counts.get(code, 0), counts.get(later, 0)
            if after > ahead and are_apart(ahead, after):
                return later, code
    return None


def _judge_value(ours: Interval, published: float, slack: float, said: str, lies: str = "") -> Judgement:
    lies = lies or _lies(ours)
    if published + slack < ours.low or published - slack > ours.high:
        return Judgement(Verdict.DIFFERS, f"{lies}: {said} is excluded.")
    if _is_narrow(ours):
        return Judgement(Verdict.HOLDS, f"{lies}, so {said} is possible.")
    return Judgement(Verdict.TOO_FEW, f"{lies}: {said} is possible, and so is much else.")


def _judge_bound(ours: Interval, published: float, bound: str, said: str, lies: str = "") -> Judgement:
    """Holds where the whole interval lies on the right side, differs where it lies on the wrong one."""
    lies = lies or _lies(ours)
    side = "at least" if bound == "at_least" else "at most"
    above, below = ours.low >= published, ours.high <= published
    right, wrong = (above, ours.high < published) if bound == "at_least" else (below, ours.low > published)
    if right:
        return Judgement(Verdict.HOLDS, f"{lies}: all of it is {side} {said}.")
    if wrong:
        return Judgement(Verdict.DIFFERS, f"{lies}: {side} {said} is excluded.")
    return Judgement(Verdict.TOO_FEW, f"{lies}, on both sides of {said}.")


def _is_narrow(interval: Interval) -> bool:
    return (interval.high - interval.low) / 2 <= NARROW


def _lies(ours: Interval) -> str:
    return f"Ours lies between {_bound(ours.low)} and {_bound(ours.high)} %"


def _bound(share: float) -> str:
    """A bound in percent; below ten with a digit, since shares that small are compared by it."""
    points = share * 100
    return f"{points:.0f}" if points >= 9.95 or points == 0 else f"{points:.1f}"


def _percent(share: float) -> str:
    """A published share as it was printed."""
    return f"{share * 100:.4g} %"


def _points(difference: Interval) -> str:
    low, high = (f"{bound * 100:+.1f}".replace("-", "−") for bound in (difference.low, difference.high))
    return f"{low} and {high} points"
