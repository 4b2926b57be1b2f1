"""How many dissents an item gets: heaped on hard items, as of people, or spread like dice; and where it stops."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.audit.chances import normal_above
from kb.audit.findings import About, Line, Reading, Table, Verdict, untold
from kb.audit.panels import Ints, Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, dissents, groups_of, whole_items

# Variance of the dissents per item that people exceed, as a multiple of what dice would give.
HEAPED = 1.1
FEWEST_COLUMNS = 5
STEPS = 200
Floats = NDArray[np.float64]
ABOUT = About(
    key="dissents-per-item",
    title="Number of dissents per item",
    question="Are dissents heaped on hard items, and is there a number that is never passed?",
    expected=(
        "Some reports are hard and gather dissent, others are plain: the number of dissents per item varies at least "
        f"{HEAPED}× as much as if every column threw its own dice for each item."
    ),
    proves="A small chance shows that no item was harder than another for these columns: dissent fell like dice.",
    proves_not=(
        "A hard stop at a bare majority is no sign by itself: items without a majority may have been settled or left "
        "out before. Where all items are equally hard, people look like dice here."
    ),
)


class Dice(NamedTuple):
    """What independent columns with the same rates would give: items by number of dissents, and their variance."""

    items: Floats
    beyond: float
    variance: float
    fourth: float


class Group(NamedTuple):
    """A group's whole items: their numbers of dissents beside what dice would give up to the group's own stop."""

    name: str
    numbers: Ints
    stop: int
    dice: Dice


def check(panel: Panel) -> Reading:
    """Variance within groups against that of a conditional Bernoulli model; normal approximation, lower tail.

    Where no item has more dissents than a strict majority leaves room for, the model of a group stops where the group
    does (Chen & Liu 1997), which makes its variance smaller, and the test milder.
    """
    if not panel.columns:
        return untold(ABOUT, NO_VOTES)
    differs, _ = dissents(panel)
    whole = whole_items(panel)
    if whole.sum() < FEWEST:
        return untold(ABOUT, TOO_FEW_VOTES)
    k = len(panel.columns)
    numbers = differs.sum(axis=1)
    tables: tuple[Table, ...] = (_by_number(np.bincount(numbers[whole], minlength=k + 1), None),)
    if k < FEWEST_COLUMNS:
        return untold(ABOUT, f"With {k} columns a majority leaves too little room for dissent to tell.", tables=tables)
    room = (k - 1) // 2
    stops = int(numbers[whole].max()) <= room
    groups = []
    for name, items in groups_of(panel):
        chosen = items & whole
        if chosen.any():
            stop = int(numbers[chosen].max()) if stops else k
            groups.append(Group(name, numbers[chosen], stop, throw_dice(differs[chosen], stop)))
    # With at most one dissent on an item the mean decides the variance.
    told = [one for one in groups if one.stop > 1 and len(one.numbers) >= FEWEST]
    if not told:
        return untold(ABOUT, "Hardly anybody dissents, so nothing can be told of hard items.", tables=tables)
    return _weigh(groups, told, k, stops=stops)


def _weigh(groups: list[Group], told: list[Group], k: int, *, stops: bool) -> Reading:
    ours = sum(float(((one.numbers - one.numbers.mean()) ** 2).sum()) for one in told)
    dice = sum(len(one.numbers) * one.dice.variance for one in told)
    error = sqrt(sum(len(one.numbers) * (one.dice.fourth - one.dice.variance**2) for one in told))
    ratio, half = ours / dice, 1.96 * error / dice
    seen = np.sum([np.bincount(one.numbers, minlength=k + 1) for one in groups], axis=0)
    most, beyond = max(one.stop for one in groups), sum(one.dice.beyond for one in groups)
    stop = (
        f" No item has more than {most} dissents; such columns would pass the stops of their groups on about "
        f"{beyond:,.0f} items."
        if stops
        else ""
    )
    said = f"Dissents per item vary {ratio:.2f}× as much as those of dice"
    tables = (_by_number(seen, np.sum([one.dice.items for one in groups], axis=0)),)
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{said}.{stop}",
        loud=f"{said}: no item is harder than another.{stop}",
        measured=f"{ratio:.3f}× (95 % interval {ratio - half:.3f}–{ratio + half:.3f}×), "
        f"n = {sum(len(one.numbers) for one in told):,} items with all votes.",
        p=normal_above((HEAPED * dice - ours) / (HEAPED * error)),
        tables=(*tables, _by_group(groups, stops=stops)) if len(groups) > 1 else tables,
    )


def _by_number(seen: Ints, expected: Floats | None) -> Table:
    lines = (
        Line(str(number), (int(n), *(() if expected is None else (f"{expected[number]:,.0f}",))))
        for number, n in enumerate(seen)
    )
    columns = ("Items",) if expected is None else ("Items", "Dice with the same columns")
    return Table("Items by number of dissents", "Dissents", columns, tuple(lines))


def _by_group(groups: list[Group], *, stops: bool) -> Table:
    lines = []
    for one in groups:
        ratio = (
            f"{one.numbers.var() / one.dice.variance:.2f}×" if one.stop > 1 and one.dice.variance else "cannot be told"
        )
        beyond = f"{one.dice.beyond:,.0f}" if stops else "no stop"
        lines.append(Line(one.name, (len(one.numbers), int(one.numbers.max()), beyond, ratio)))
    columns = ("Items", "Most dissents", "Items that would have more", "Variance against dice")
    return Table("Stops and variance in each group", "Group", columns, tuple(lines))


def throw_dice(differs: NDArray[np.bool_], top: int) -> Dice:
    """Independent columns with the seen rates, given that at most `top` of them dissent on an item.

    Columns' odds are fitted in turn until each has its seen rate; sizes by elementary symmetric polynomials.
    """
    n, k = differs.shape
    wanted = differs.mean(axis=0)
    odds = np.clip(wanted, 0, 0.999) / (1 - np.clip(wanted, 0, 0.999))
    for _ in range(STEPS):
        whole = _sizes(odds)[: top + 1].sum()
        without = np.array([_sizes(np.delete(odds, j))[:top].sum() for j in range(k)])
        got = odds * without / whole
        if np.abs(got - wanted).max() < 1e-9:
            break
        odds = np.where(wanted > 0, odds * wanted / np.maximum(got, 1e-12), 0.0)
    sizes = _sizes(odds)
    share = np.where(np.arange(k + 1) <= top, sizes, 0.0) / sizes[: top + 1].sum()
    places = np.arange(k + 1)
    off = places - (share * places).sum()
    beyond = n * float(sizes[top + 1 :].sum() / sizes[: top + 1].sum())
    return Dice(n * share, beyond, float((share * off**2).sum()), float((share * off**4).sum()))


def _sizes(odds: Floats) -> Floats:
    """Weight of each number of dissents, from columns' odds: the coefficients of the product of (1 + odds · x)."""
    found = np.ones(1)
    for odd in odds:
        found = np.convolve(found, (1.0, odd))
    return found
