"""What the checks on votes share: the reference that a vote is compared with, and the majority of other columns."""

import numpy as np
from numpy.typing import NDArray

from kb.audit.panels import NONE, Ints, Panel

Flags = NDArray[np.bool_]
Tally = NDArray[np.int16]
FEWEST = 30
# The published rule of thumb of these checks: the most careful of honest annotators differs from the final label
# at least a fifth as often as the average one.
CAREFUL = 5
NO_VOTES = "The set was published without its annotators' votes, so this cannot be tested."
TOO_FEW_VOTES = f"Fewer than {FEWEST} comparable items: too few to tell."


def tally(votes: Ints, answers: int) -> Tally:
    """How often each answer was given to each item: items × answers, in small numbers, as there are many."""
    size = len(votes)
    rows = np.arange(size)[:, None] * answers + votes
    counts = np.bincount(rows[votes != NONE], minlength=size * answers)
    return counts.astype(np.int16).reshape(size, answers)


def strict_majority(counts: Tally) -> Ints:
    """The answer that more than half of an item's votes give, of at least two votes; `NONE` elsewhere."""
    if not counts.shape[1]:
        return np.full(len(counts), NONE)
    best = counts.argmax(axis=1)
    total = counts.sum(axis=1)
    wins = (2 * counts.max(axis=1) > total) & (total >= 2)
    return np.where(wins, best, NONE)


def majority_of_others(votes: Ints, counts: Tally, left_out: tuple[int, ...]) -> Ints:
    """What more than half of the columns besides `left_out` say, of at least two; `NONE` where there is none.

    `counts` is the tally of `votes`.
    """
    others = counts.copy()
    for column in left_out:
        voted = np.flatnonzero(votes[:, column] != NONE)
        others[voted, votes[voted, column]] -= 1
    return strict_majority(others)


def reference(panel: Panel) -> Ints:
    """The answer that votes are compared with: the final label, else the strict majority of the votes."""
    if (panel.finals != NONE).all():
        return panel.finals
    return np.where(panel.finals == NONE, strict_majority(tally(panel.votes, len(panel.answers))), panel.finals)


def dissents(panel: Panel) -> tuple[Flags, Flags]:
    """Which votes differ from the reference, and which can be compared: items × columns each."""
    against = reference(panel)[:, None]
    compared = (panel.votes != NONE) & (against != NONE)
    return np.asarray(compared & (panel.votes != against)), np.asarray(compared)


def whole_items(panel: Panel) -> Flags:
    """Items on which every column voted and whose reference is known."""
    _, compared = dissents(panel)
    return np.asarray(compared.all(axis=1)) if panel.columns else np.zeros(panel.size, dtype=np.bool_)


def groups_of(panel: Panel) -> list[tuple[str, Flags]]:
    """Each group with its items, by name."""
    groups = [(name, panel.groups == place) for place, name in enumerate(panel.group_names)]
    groups = [(name, items) for name, items in groups if items.any()]
    return sorted(groups, key=lambda group: group[0].lower())


def family_places(panel: Panel) -> tuple[tuple[str, ...], Ints]:
    """The families' names, and the place of each answer's family among them."""
    names, places = np.unique(np.array(panel.families, dtype=str), return_inverse=True)
    return tuple(str(name) for name in names), np.asarray(places, dtype=np.int64)
