"""The votes on one axis as a table of integers: issues by annotators, each cell an answer or missing."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Answer = frozenset[str]
Row = tuple[Hashable, str, frozenset[str]]

MISSING = -1
NOT_TOLD = "the report does not say"


@dataclass(frozen=True, eq=False)
class VoteTable:
    """The answers of annotators about units.

    `cells` has one row per unit (an issue) and one column per annotator; a cell holds the index of its answer in
    `answers`, or `MISSING`. An answer is a set of node codes; `{NOT_TOLD}` is an answer like any other.
    """

    units: tuple[Hashable, ...]
    annotators: tuple[str, ...]
    answers: tuple[Answer, ...]
    cells: Ints

    @property
    def nodes(self) -> tuple[str, ...]:
        """The codes in any answer, in order, `NOT_TOLD` too."""
        return tuple(sorted(frozenset[str]().union(*self.answers)))

    @property
    def set_valued(self) -> bool:
        """Whether any answer has several nodes."""
        return any(len(answer) > 1 for answer in self.answers)

    @property
    def votes(self) -> int:
        """The number of cells with an answer."""
        return int((self.cells != MISSING).sum())

    def membership(self) -> Floats:
        """Answers x nodes: 1 where the answer contains the node, else 0."""
        nodes = self.nodes
        rows = [[float(node in answer) for node in nodes] for answer in self.answers]
        return np.array(rows, dtype=np.float64).reshape(len(self.answers), len(nodes))

    def restricted_to(self, order: Sequence[str]) -> "VoteTable":
        """The same cells, with `answers` the single nodes of `order` in that order; other answers go missing."""
        wanted = tuple(frozenset({code}) for code in order)
        index = {answer: number for number, answer in enumerate(wanted)}
        # The last entry maps `MISSING`, which is -1, to itself.
        moved = np.array([*(index.get(answer, MISSING) for answer in self.answers), MISSING], dtype=np.int64)
        return VoteTable(self.units, self.annotators, wanted, moved[self.cells])


def tabulate(rows: Iterable[Row], *, units: Iterable[Hashable] = ()) -> VoteTable:
    """The table of `rows`: unit, annotator, codes of the chosen nodes; no codes mean that the report does not say.

    A cell without a row is missing. `units` names units that belong to the table even if nobody voted on them.
    Annotators and answers are sorted, so that the order of the rows does not matter.
    Raises `ValueError` for two votes of one annotator on one unit, and for `NOT_TOLD` beside a node.
    """
    unit_index: dict[Hashable, int] = {}
    for unit in units:
        unit_index.setdefault(unit, len(unit_index))
    votes: dict[tuple[int, str], Answer] = {}
    for unit, annotator, nodes in rows:
        row = unit_index.setdefault(unit, len(unit_index))
        if (row, annotator) in votes:
            raise ValueError("An annotator has two votes on one unit")
        votes[row, annotator] = nodes or frozenset({NOT_TOLD})
    annotators = tuple(sorted({annotator for _, annotator in votes}))
    answers = tuple(sorted(set(votes.values()), key=sorted))
    for answer in answers:
        if NOT_TOLD in answer and len(answer) > 1:
            raise ValueError(f"An answer says that the report does not say, and names nodes: {sorted(answer)}")
    column_of = {annotator: column for column, annotator in enumerate(annotators)}
    index_of = {answer: index for index, answer in enumerate(answers)}
    cells = np.full((len(unit_index), len(annotators)), MISSING, dtype=np.int64)
    for (row, annotator), answer in votes.items():
        cells[row, column_of[annotator]] = index_of[answer]
    return VoteTable(tuple(unit_index), annotators, answers, cells)
