"""A table folded into its distinct rows, from which all coefficients are computed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labeling.agreement.distances import Distance, answer_distances
from labeling.agreement.votes import MISSING, Floats, Ints, VoteTable

CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Sizes:
    """The sizes behind a coefficient: units with two votes or more, votes, and missing cells.

    Cells are missing where an annotator has no vote on a unit that others voted on; a round that wants three votes of
    thirty annotators leaves them empty on purpose.
    """

    units: int
    votes: int
    missing: int


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a table's voted units, and how many units have each.

    `cells`: patterns x annotators, `repeats`: patterns. Everything else is derived from these and cached.
    """

    table: VoteTable
    cells: Ints
    repeats: Ints

    @cached_property
    def counts(self) -> Floats:
        """Patterns x answers: how many votes of the row give the answer."""
        shape = len(self.cells), len(self.table.answers)
        row, column = np.nonzero(self.cells != MISSING)
        flat = np.bincount(row * shape[1] + self.cells[row, column], minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(np.float64)

    @cached_property
    def votes(self) -> Floats:
        """The votes of each row, at least one."""
        votes: Floats = np.sum(self.cells != MISSING, axis=1, dtype=np.float64)
        return votes

    @cached_property
    def paired(self) -> Floats:
        """1 where a row has two votes or more, else 0."""
        return (self.votes >= 2).astype(np.float64)

    @cached_property
    def pairs_from(self) -> Floats:
        """The votes that each vote of a row can be compared with; 1 instead of 0, to divide by."""
        return np.maximum(self.votes - 1, 1)

    @cached_property
    def membership(self) -> Floats:
        """Answers x nodes: see `VoteTable.membership`."""
        return self.table.membership()

    @cached_property
    def units(self) -> int:
        """The number of units with a vote."""
        return int(self.repeats.sum())

    def distances(self, distance: Distance) -> Floats:
        """Answers x answers: see `answer_distances`."""
        return answer_distances(self.membership, distance)

    def sizes(self, *, all_votes: bool) -> Sizes:
        """The sizes, with the votes of all units, or only those of units with two votes or more."""
        votes = self.votes if all_votes else self.votes * self.paired
        cells = self.units * len(self.table.annotators)
        return Sizes(
            units=int(self.repeats @ self.paired),
            votes=int(self.repeats @ votes),
            missing=cells - int(self.repeats @ self.votes),
        )

    def resampled(self, samples: int, seed: int) -> Iterator[Floats]:
        """Weights of the rows in `samples` draws of as many units as there are, with replacement.

        Yields batches of samples x patterns; whole numbers, their sum the number of units. The draws depend only on the
        seed and the patterns, which are in order.
        """
        random = np.random.default_rng(seed)
        pattern_of_unit = np.repeat(np.arange(len(self.cells)), self.repeats)
        batch_size = max(1, CELLS_AT_ONCE // max(1, len(self.cells)))
        for start in range(0, samples, batch_size):
            batch = []
            for _ in range(min(batch_size, samples - start)):
                units = random.integers(self.units, size=self.units)
                batch.append(np.bincount(pattern_of_unit[units], minlength=len(self.cells)))
            yield np.array(batch, dtype=np.float64)


def fold(table: VoteTable) -> Patterns:
    """The distinct rows of `table` that hold a vote."""
    cells = table.cells[(table.cells != MISSING).any(axis=1)]
    key = np.zeros(len(cells), dtype=np.int64)
    for column in cells.T:
        # Renumbered after every column: a number for the whole row would not fit into 64 bits.
        _, key = np.unique(key * (len(table.answers) + 1) + column + 1, return_inverse=True)
    _, first, repeats = np.unique(key, return_index=True, return_counts=True)
    return Patterns(table, cells[first], repeats.astype(np.int64))
