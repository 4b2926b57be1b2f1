"""The nodes that are confused with one another: the coincidence matrix of an axis."""

from dataclasses import dataclass

import numpy as np

from labeling.agreement.patterns import Patterns
from labeling.agreement.votes import Floats

ROUNDING_ERROR = 1e-9


@dataclass(frozen=True)
class Partner:
    """A node chosen in place of another; `share` is of all comparisons of a vote for the other."""

    code: str
    share: float


@dataclass(frozen=True)
class Confusion:
    """The coincidences of nodes in votes on the same unit.

    `matrix` is nodes x nodes and symmetric; a row has the nodes of the other votes where one vote names its node. Each
    vote counts 1, shared among the votes it is compared with. `alone` counts comparisons where the other vote has no
    node in place of this one (its set is smaller). A row's sum plus its `alone` are the node's votes that can be
    compared.
    """

    codes: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    alone: tuple[float, ...]

    def partners(self, code: str) -> tuple[Partner, ...]:
        """The nodes `code` is confused with, most often first. Raises `ValueError` for a code nobody chose."""
        at = self.codes.index(code)
        row = self.matrix[at]
        total = sum(row) + self.alone[at]
        partners = []
        for other, weight in zip(self.codes, row, strict=True):
            if other != code and weight > 0:
                partners.append(Partner(other, weight / total))
        return tuple(sorted(partners, key=lambda partner: (-partner.share, partner.code)))


def confused(patterns: Patterns) -> Confusion:
    """Krippendorff 2011's coincidence matrix, carried over from answers to nodes.

    Of two sets, a node in both coincides with itself; the others are paired evenly, each of the larger rest with each
    of the smaller, and the surplus is alone. With single nodes it is the coincidence matrix itself.
    """
    # Answers x answers: pairs of votes on one unit, each vote counted once.
    scaled = patterns.counts * (patterns.repeats * patterns.paired / patterns.pairs_from)[:, None]
    coincident = scaled.T @ patterns.counts - np.diag(scaled.sum(axis=0))
    member = patterns.membership
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
    """The numbers, with exact zeros in place of rounding errors."""
    return tuple(np.where(np.abs(numbers) < ROUNDING_ERROR, 0.0, numbers).tolist())
