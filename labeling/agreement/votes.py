"""Votes of one axis as a table of whole numbers: issues by annotators, each cell an answer or nothing."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Answer = frozenset[str]
Row = tuple[Hashable, str, frozenset[str]]

T = TypeVar("T")

MISSING = -1
NOT_TOLD = "the report does not tell"


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Who answered what.

    `cells` has one row per unit (an issue) and one column per annotator; a cell holds the place of its answer in
    `answers`, or `MISSING`. An answer is a set of node codes; `{NOT_TOLD}` is an answer like any other, and its own.
    """

    units: tuple[Hashable, ...]
    annotators: tuple[str, ...]
    answers: tuple[Answer, ...]
    cells: Ints

    @property
    def nodes(self) -> tuple[str, ...]:
        """The codes that anybody chose, in order; `NOT_TOLD` is among them if somebody said so."""
        return tuple(sorted(frozenset[str]().union(*self.answers)))

    @property
    def set_valued(self) -> bool:
        """Whether anybody chose several nodes at once."""
        return any(len(answer) > 1 for answer in self.answers)

    @property
    def votes(self) -> int:
        """How many cells hold an answer."""
        return int((self.cells != MISSING).sum())

    def membership(self) -> Floats:
        """Answers x nodes: 1 where the answer contains the node, else 0."""
        nodes = self.nodes
        rows = [[float(node in answer) for node in nodes] for answer in self.answers]
        return np.array(rows, dtype=np.float64).reshape(len(self.answers), len(nodes))

    def restricted_to(self, order: Sequence[str]) -> "VoteTable":
        """The same cells, with `answers` the single nodes of `order` in that order; other answers go missing."""
        wanted = tuple(frozenset({code}) for code in order)
        place = {answer: number for number, answer in enumerate(wanted)}
        moved = np.array([*(place.get(answer, MISSING) for answer in self.answers), MISSING], dtype=np.int64)
        return VoteTable(self.units, self.annotators, wanted, moved[self.cells])


def tabulate(rows: Iterable[Row], *, units: Iterable[Hashable] = ()) -> VoteTable:
    """The table of `rows`: unit, annotator, codes of the chosen nodes; no codes mean that the report does not tell.

    A cell without a row is missing. `units` names units that belong to the table even if nobody voted on them.
    Annotators and answers are put in the order of their names, so that the rows' order is of no account.
    Raises `ValueError` for two votes of one annotator on one unit, and for `NOT_TOLD` beside a node.
    """
    unit_at: dict[Hashable, int] = {}
    for unit in units:
        unit_at.setdefault(unit, len(unit_at))
    annotator_at: dict[str, int] = {}
    answer_at: dict[Answer, int] = {}
    found: list[tuple[int, int, int]] = []
    for unit, annotator, nodes in rows:
        row = unit_at.setdefault(unit, len(unit_at))
        column = annotator_at.setdefault(annotator, len(annotator_at))
        found.append((row, column, answer_at.setdefault(nodes or frozenset({NOT_TOLD}), len(answer_at))))
    for answer in answer_at:
        if NOT_TOLD in answer and len(answer) > 1:
            raise ValueError(f"An answer says that the report does not tell, and names nodes: {sorted(answer)}")
    at = np.array(found, dtype=np.int64).reshape(-1, 3)
    annotators, answers = tuple(sorted(annotator_at)), tuple(sorted(answer_at, key=sorted))
    column_of, code_of = _new_places(tuple(annotator_at), annotators), _new_places(tuple(answer_at), answers)
    cells = np.full((len(unit_at), len(annotators)), MISSING, dtype=np.int64)
    cells[at[:, 0], column_of[at[:, 1]]] = code_of[at[:, 2]]
    if int((cells != MISSING).sum()) < len(found):
        raise ValueError("An annotator has two votes on one unit")
    return VoteTable(tuple(unit_at), annotators, answers, cells)


def _new_places(names: Sequence[T], ordered: Sequence[T]) -> Ints:
    """For each place in `names`, the place of the same name in `ordered`."""
    place = {name: number for number, name in enumerate(ordered)}
    return np.array([place[name] for name in names], dtype=np.int64)
