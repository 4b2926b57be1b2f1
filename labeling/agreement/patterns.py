"""A table folded into its distinct rows: what the coefficients are computed from, however often they are asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labeling.agreement.distances import Distance, answer_distances
from labeling.agreement.votes import MISSING, Floats, Ints, VoteTable

CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Sizes:
    """What a coefficient stands on: units with two votes or more, votes, and cells that nobody filled.

    Cells are missing where an annotator has no vote on a unit that others voted on; a round that asks three of
    thirty leaves them empty on purpose.
    """

    units: int
    votes: int
    missing: int


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a table's voted units, and how many units have each.

    `cells`: patterns x annotators, `repeats`: patterns. Everything else follows from these and is kept once made.
    """

    table: VoteTable
    cells: Ints
    repeats: Ints

    @cached_property
    def counts(self) -> Floats:
        """Patterns x answers: how many votes of the row say so."""
        shape = len(self.cells), len(self.table.answers)
        row, column = np.nonzero(self.cells != MISSING)
        flat = np.bincount(row * shape[1] + self.cells[row, column], minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(np.float64)

    @cached_property
    def votes(self) -> Floats:
        """Votes of each row; at least one."""
        votes: Floats = np.sum(self.cells != MISSING, axis=1, dtype=np.float64)
        return votes

    @cached_property
    def paired(self) -> Floats:
        """1 where a row has two votes or more, else 0."""
        return (self.votes >= 2).astype(np.float64)

    @cached_property
    def pairs_from(self) -> Floats:
        """Votes that each vote of a row can be compared with; 1 instead of 0, so that one may divide by it."""
        return np.maximum(self.votes - 1, 1)

    @cached_property
    def membership(self) -> Floats:
        """Answers x nodes, from the table."""
        return self.table.membership()

    @cached_property
    def units(self) -> int:
        """Units with a vote."""
        return int(self.repeats.sum())

    def distances(self, distance: Distance) -> Floats:
        """Answers x answers."""
        return answer_distances(self.membership, distance)

    def sizes(self, *, all_votes: bool) -> Sizes:
        """Units with two votes, and the votes counted: all of them, or only those on these units."""
        votes = self.votes if all_votes else self.votes * self.paired
        cells = self.units * len(self.table.annotators)
        return Sizes(
            units=int(self.repeats @ self.paired),
            votes=int(self.repeats @ votes),
            missing=cells - int(self.repeats @ self.votes),
        )

    def resampled(self, samples: int, seed: int) -> Iterator[Floats]:
        """Weights of the rows in `samples` draws of as many units as there are, with replacement.

        Yields arrays of some samples x patterns; whole numbers, their sum the number of units. The draws depend on
        nothing but the seed and the patterns, which are in order.
        """
        random = np.random.default_rng(seed)
        pattern_of_unit = np.repeat(np.arange(len(self.cells)), self.repeats)
        at_once = max(1, CELLS_AT_ONCE // max(1, len(self.cells)))
        for start in range(0, samples, at_once):
            drawn = [
                np.bincount(
                    pattern_of_unit[random.integers(self.units, size=self.units)],
                    minlength=len(self.cells),
                )
                for _ in range(min(at_once, samples - start))
            ]
            yield np.array(drawn, dtype=np.float64)


def fold(table: VoteTable) -> Patterns:
    """The distinct rows of `table` that hold a vote."""
    cells = table.cells[(table.cells != MISSING).any(axis=1)]
    key = np.zeros(len(cells), dtype=np.int64)
    for column in cells.T:
        # Numbered anew after every column: a number for the whole row would not fit into 64 bits.
        _, key = np.unique(key * (len(table.answers) + 1) + column + 1, return_inverse=True)
    _, first, repeats = np.unique(key, return_index=True, return_counts=True)
    return Patterns(table, cells[first], repeats.astype(np.int64))
