"""Which nodes are chosen where others choose another: the coincidence matrix of an axis."""

from dataclasses import dataclass

import numpy as np

from labeling.agreement.patterns import Patterns, fold
from labeling.agreement.votes import Floats, VoteTable

NOTHING = 1e-9


@dataclass(frozen=True)
class Partner:
    """A node chosen in place of another; `share` is of all comparisons of a vote for that other."""

    code: str
    share: float


@dataclass(frozen=True)
class Confusion:
    """How votes on the same unit fall on nodes.

    `matrix` is nodes x nodes and symmetric; a row tells what the other votes say where one vote names its node. Each
    vote counts 1, shared among the votes it is compared with. `alone` is how often the other vote names nothing in
    place of the node (its set is smaller). A row's sum and its `alone` are the node's votes that can be compared.
    """

    codes: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    alone: tuple[float, ...]

    def partners(self, code: str) -> tuple[Partner, ...]:
        """The nodes `code` is confused with, most often first. Raises `ValueError` for a code nobody chose."""
        at = self.codes.index(code)
        row = self.matrix[at]
        total = sum(row) + self.alone[at]
        found = [
            Partner(other, weight / total)
            for number, (other, weight) in enumerate(zip(self.codes, row, strict=True))
            if number != at and weight > 0
        ]
        return tuple(sorted(found, key=lambda partner: (-partner.share, partner.code)))


def confusion_of(table: VoteTable) -> Confusion:
    """The coincidences of nodes in `table`."""
    return confused(fold(table))


def confused(patterns: Patterns) -> Confusion:
    """Krippendorff 2011's coincidence matrix, from answers to nodes.

    Of two sets, a node in both coincides with itself; the others are paired off evenly, each of the larger rest with
    each of the smaller, and what finds no partner is alone. With single nodes it is the coincidence matrix itself.
    """
    member, coincident = patterns.membership, _coincidences(patterns)
    both = member @ member.T
    size = member.sum(axis=1)
    mine, theirs = size[:, None] - both, size[None, :] - both
    paired_off = coincident / np.maximum(1, np.maximum(mine, theirs))
    left_over = coincident * np.maximum(0, mine - theirs) / np.maximum(1, mine)
    matrix = np.diag((member * (coincident @ member)).sum(axis=0))
    for node, has in enumerate(member.T):
        # Answers with this node and without another, against answers with that other and without this one.
        without = has[:, None] * (1 - member)
        matrix[node] += ((paired_off.T @ without) * (1 - has[:, None]) * member).sum(axis=0)
    alone = (member * (left_over @ (1 - member))).sum(axis=0)
    return Confusion(patterns.table.nodes, tuple(map(_clean, matrix)), _clean(alone))


def _clean(numbers: Floats) -> tuple[float, ...]:
    """Without the crumbs of subtracting floats."""
    return tuple(np.where(np.abs(numbers) < NOTHING, 0.0, numbers).tolist())


def _coincidences(patterns: Patterns) -> Floats:
    """Answers x answers: pairs of votes on one unit, each vote counted once."""
    share = patterns.repeats * patterns.paired / patterns.pairs_from
    scaled = patterns.counts * share[:, None]
    return scaled.T @ patterns.counts - np.diag(scaled.sum(axis=0))
