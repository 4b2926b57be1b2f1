"""How good one ranking is for one judged query. Pure.

nDCG after Järvelin and Kekäläinen 2002, with gain 2^grade - 1 and discount log2(1 + place), as Burges et al. 2005 have
it; the ideal is made of all judged issues.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

DEPTH = 10


def ndcg(relevant: Mapping[str, int], ranked: Sequence[str], depth: int = DEPTH) -> float:
    """The gain of the first `depth` results over the best gain that there is."""
    best = _gain(sorted(relevant.values(), reverse=True)[:depth])
    return _gain(relevant.get(url, 0) for url in ranked[:depth]) / best if best else 0.0


def mrr(relevant: Mapping[str, int], ranked: Sequence[str], depth: int = DEPTH) -> float:
    """One over the place of the first right result."""
    places = (place for place, url in enumerate(ranked[:depth], 1) if is_right(relevant, url))
    return 1 / next(places, math.inf)


def success(relevant: Mapping[str, int], ranked: Sequence[str], depth: int = 1) -> float:
    """1 when a right result is among the first."""
    return float(any(is_right(relevant, url) for url in ranked[:depth]))


def is_right(relevant: Mapping[str, int], url: str) -> bool:
    """Is this as good an answer as any that was judged? A related issue is, where there is no other."""
    return url in relevant and relevant[url] == max(relevant.values())


def _gain(grades: Iterable[int]) -> float:
    return math.fsum(((1 << grade) - 1) / math.log2(1 + place) for place, grade in enumerate(grades, 1))


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; nothing is worth 0."""
    return math.fsum(values) / len(values) if values else 0.0
