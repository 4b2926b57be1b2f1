"""Distances between answers, from 0 (the same) to 1 (nothing in common)."""

from typing import Literal

import numpy as np

from labeling.agreement.votes import Floats

Distance = Literal["nominal", "jaccard", "masi"]
DISTANCES: tuple[Distance, ...] = ("nominal", "jaccard", "masi")


def answer_distances(membership: Floats, distance: Distance) -> Floats:
    """Distances between all answers, answers x answers; `membership` is answers x nodes, of zeros and ones.

    nominal: 0 if equal, else 1. jaccard: 1 - J, where J is the size of the intersection by that of the union
    (Jaccard 1912). masi: 1 - J * M, where M is 1 for equal sets, 2/3 if one contains the other, 1/3 if they only
    overlap, 0 if they are disjoint (Passonneau 2006, LREC, Measuring Agreement on Set-valued Items). No answer is
    empty, see `votes`. Raises `ValueError` for any other distance.
    """
    both: Floats = membership @ membership.T
    size: Floats = membership.sum(axis=1)
    either: Floats = size[:, None] + size[None, :] - both
    equal = both == either
    if distance == "nominal":
        return np.where(equal, 0.0, 1.0)
    if distance == "jaccard":
        return 1 - both / either
    if distance == "masi":
        contained = (both == size[:, None]) | (both == size[None, :])
        monotonicity = np.where(equal, 1.0, np.where(contained, 2 / 3, np.where(both > 0, 1 / 3, 0.0)))
        return 1 - both / either * monotonicity
    raise ValueError(f"No such distance: {distance}")
