"""The number of dissents per item: heaped on hard items, as of people, or spread like dice; and where it stops."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.audit.findings import About, Cell, Line, Reading, Table, Verdict, untold
from kb.audit.panels import Ints, Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, dissents, groups_of, whole_items
from kb.core.chances import normal_above

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
    proves="A small chance shows that no item was harder than another for these columns: dissent was random.",
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
    tested = [group for group in groups if group.stop > 1 and len(group.numbers) >= FEWEST]
    if not tested:
        return untold(ABOUT, "Hardly anybody dissents, so hard items cannot be assessed.", tables=tables)
    return _compare(groups, tested, k, stops=stops)


def _compare(groups: list[Group], tested: list[Group], k: int, *, stops: bool) -> Reading:
    """The variance of the tested groups against that of dice."""
    ours = sum(float(((group.numbers - group.numbers.mean()) ** 2).sum()) for group in tested)
    dice = sum(len(group.numbers) * group.dice.variance for group in tested)
    error = sqrt(sum(len(group.numbers) * (group.dice.fourth - group.dice.variance**2) for group in tested))
    ratio, half = ours / dice, 1.96 * error / dice
    n = sum(len(group.numbers) for group in tested)
    summary = f"Dissents per item vary {ratio:.2f}× as much as those of dice"
    stop = ""
    if stops:
        most, beyond = max(group.stop for group in groups), sum(group.dice.beyond for group in groups)
        stop = (
            f" No item has more than {most} dissents; such columns would pass the stops of their groups on about "
            f"{beyond:,.0f} items."
        )
    seen = np.sum([np.bincount(group.numbers, minlength=k + 1) for group in groups], axis=0)
    tables = [_by_number(seen, np.sum([group.dice.items for group in groups], axis=0))]
    if len(groups) > 1:
        tables.append(_by_group(groups, stops=stops))
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{summary}.{stop}",
        loud=f"{summary}: no item is harder than another.{stop}",
        measured=f"{ratio:.3f}× (95 % interval {ratio - half:.3f}–{ratio + half:.3f}×), "
        f"n = {n:,} items with all votes.",
        p=normal_above((HEAPED * dice - ours) / (HEAPED * error)),
        tables=tuple(tables),
    )


def _by_number(seen: Ints, expected: Floats | None) -> Table:
    columns: tuple[str, ...] = ("Items",)
    if expected is not None:
        columns += ("Dice with the same columns",)
    lines = []
    for number, n in enumerate(seen):
        cells: tuple[Cell, ...] = (int(n),)
        if expected is not None:
            cells += (f"{expected[number]:,.0f}",)
        lines.append(Line(str(number), cells))
    return Table("Items by number of dissents", "Dissents", columns, tuple(lines))


def _by_group(groups: list[Group], *, stops: bool) -> Table:
    lines = []
    for group in groups:
        ratio = "cannot be told"
        if group.stop > 1 and group.dice.variance:
            ratio = f"{group.numbers.var() / group.dice.variance:.2f}×"
        beyond = f"{group.dice.beyond:,.0f}" if stops else "no stop"
        lines.append(Line(group.name, (len(group.numbers), int(group.numbers.max()), beyond, ratio)))
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
    weights = np.ones(1)
    for odd in odds:
        weights = np.convolve(weights, (1.0, odd))
    return weights
