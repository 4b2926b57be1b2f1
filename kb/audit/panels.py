"""Panels: the votes behind a label set, whoever keeps them; and the port by which they come here to be audited.

Whoever keeps votes registers a `PanelKeeper` when Django starts. This package knows no keeper by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

NONE = -1
Ints = NDArray[np.int64]
# The id of who asks; None for somebody who is not logged in.
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
        """How many items there are."""
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
    """Who keeps label sets. What a reader may not see is not there for them."""

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
    first = np.flatnonzero(np.concatenate(([True], cells[1:] != cells[:-1]))) if len(cells) else np.zeros(0, dtype=int)
    found = given[first].copy()
    ends = np.append(first[1:], len(cells))
    known = {name: place for place, name in enumerate(names)}
    for place in np.flatnonzero(ends - first > 1).tolist():
        name = " + ".join(names[one] for one in given[first[place] : ends[place]].tolist())
        if name not in known:
            known[name] = len(names)
            names.append(name)
        found[place] = known[name]
    return cells[first], found


_keepers: list[PanelKeeper] = []


def add_keeper(keeper: PanelKeeper) -> None:
    """Have one more keeper asked; for packages that this one does not know. Django may start twice."""
    if type(keeper) not in map(type, _keepers):
        _keepers.append(keeper)


def list_sets(*, reader: Reader) -> list[tuple[PanelKeeper, LabelSet]]:
    """Every label set that the reader may see, with who keeps it."""
    return [(keeper, one) for keeper in _keepers for one in keeper.list_sets(reader=reader)]


def find_set(*, reader: Reader, slug: str) -> tuple[PanelKeeper, LabelSet] | None:
    """A label set by its slug with who keeps it; None when there is none for this reader."""
    for keeper in _keepers:
        if found := keeper.find_set(reader=reader, slug=slug):
            return keeper, found
    return None
