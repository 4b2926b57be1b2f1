"""Panels, the votes behind a label set, and the protocol of those who keep them.

A keeper registers itself when Django starts (`add_keeper`). This package knows none by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

NONE = -1
Ints = NDArray[np.int64]
# The id of the user who reads; None for somebody who is not logged in.
Reader = int | None


@dataclass(frozen=True)
class Panel:
    """Items in their order × annotators' votes, the final labels, and what is known of the items.

    Votes and finals are places in `answers`; `NONE` stands for no vote, and for no final label. Answers that are
    siblings have the same one of `families`. `issues` are equal where two items are about one issue. `kinds` are places
    in `KINDS`; `numbers` are the host's, `NONE` where it has codes.
    """

    columns: tuple[str, ...]
    answers: tuple[str, ...]
    families: tuple[str, ...]
    votes: Ints
    finals: Ints
    groups: Ints
    group_names: tuple[str, ...]
    issues: Ints
    kinds: Ints
    numbers: Ints
    repositories: Ints
    host_labels: tuple[tuple[str, ...], ...] = field(repr=False)

    KINDS = ("unknown", "issue", "pull_request")

    def __post_init__(self) -> None:
        """Raise `ValueError` where the parts do not belong together."""
        size = len(self.finals)
        if self.votes.shape != (size, len(self.columns)):
            raise ValueError("there is not one vote, or gap, for each item and column")
        rows = (self.groups, self.issues, self.kinds, self.numbers, self.repositories, self.host_labels)
        if any(len(row) != size for row in rows):
            raise ValueError("something is not said of each item")
        if len(self.answers) != len(self.families):
            raise ValueError("each answer has one family")

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.finals)


@dataclass(frozen=True)
class LabelSet:
    """A label set as lists show it. `axes`: code and name of each question, those with votes first.

    `state` changes whenever votes, labels or what is known of the issues change. `is_public`: anybody may see it.
    `page`: where more is said of it. `no_votes`: why there are none; empty when there are.
    """

    slug: str
    name: str
    kind: str
    axes: tuple[tuple[str, str], ...]
    items: int
    columns: int
    trust: str
    trust_note: str
    licence: str
    url: str
    page: str
    state: str
    is_public: bool = True
    no_votes: str = ""


class PanelKeeper(Protocol):
    """Keeps label sets. What a reader may not see does not exist for them."""

    def list_sets(self, *, reader: Reader) -> Sequence[LabelSet]:
        """The sets that the reader may see."""
        ...

    def find_set(self, *, reader: Reader, slug: str) -> LabelSet | None:
        """One of them; None when there is none of this name for the reader."""
        ...

    def read_panel(self, *, reader: Reader, slug: str, axis: str) -> Panel:
        """The panel of a set that `find_set` gave this reader, on one of its axes."""
        ...


def merge_answers(*, cells: Ints, given: Ints, names: list[str]) -> tuple[Ints, Ints]:
    """Cells, each once, with the one answer of each; several answers to a cell become one, which is added to `names`.

    `cells` and `given` are pairs: which cell, and which of `names`. A new name is those of its answers joined by " + ".
    """
    order = np.lexsort((given, cells))
    cells, given = cells[order], given[order]
    if not len(cells):
        return cells, given
    first = np.flatnonzero(np.concatenate(([True], cells[1:] != cells[:-1])))
    merged = given[first].copy()
    ends = np.append(first[1:], len(cells))
    places = {name: place for place, name in enumerate(names)}
    for cell in np.flatnonzero(ends - first > 1).tolist():
        name = " + ".join(names[answer] for answer in given[first[cell] : ends[cell]].tolist())
        if name not in places:
            places[name] = len(names)
            names.append(name)
        merged[cell] = places[name]
    return cells[first], merged


_keepers: list[PanelKeeper] = []


def add_keeper(keeper: PanelKeeper) -> None:
    """Register a keeper, once of each kind, since Django may start twice; for packages that this one does not know."""
    if not any(type(known) is type(keeper) for known in _keepers):
        _keepers.append(keeper)


def list_sets(*, reader: Reader) -> list[tuple[PanelKeeper, LabelSet]]:
    """Every label set that the reader may see, with its keeper."""
    sets: list[tuple[PanelKeeper, LabelSet]] = []
    for keeper in _keepers:
        sets += [(keeper, label_set) for label_set in keeper.list_sets(reader=reader)]
    return sets


def find_set(*, reader: Reader, slug: str) -> tuple[PanelKeeper, LabelSet] | None:
    """A label set by its slug with its keeper; None when there is none for this reader."""
    for keeper in _keepers:
        label_set = keeper.find_set(reader=reader, slug=slug)
        if label_set:
            return keeper, label_set
    return None
