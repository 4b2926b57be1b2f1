"""Does the best match come close to what was asked, or does it only share some words with it?

A logistic regression over the logarithms of three measures, fitted on judged questions with and without an answer
(tests/relevance). Its constant is chosen so that few answers among the first three are called far.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from kb.core.search.ranking import Judged, Need, measure

# `score` is the match's, times the share of the question's weight in words that occur anywhere; `found` the weight of
# what it has of the question in title and beginning; `missing` that of what it or all issues lack. Sums, not shares:
# a third of a long description is much, a third of three words is little.
WEIGHTS = {"score": 2.45, "found": 1.6, "missing": -0.45}
CONSTANT = -8.15
# Shares are sums of fractions.
NOTHING = 1e-9


def is_close(need: Need, judged: Sequence[Judged], telling: Collection[str] = ()) -> bool:
    """Is the first of these matches close? Without measures (another engine) it is taken to be.

    What has all that was asked is close, whatever it weighs: in a small collection no word weighs much. `telling`: of a
    paste, the words of the lines that tell what went wrong.
    """
    best = judged[0]
    if not best.measures or best.features is None:
        return True
    values = measures(need, best, telling)
    if values["missing"] < NOTHING and need.lost < NOTHING:
        return True
    return CONSTANT + sum(weight * values[name] for name, weight in WEIGHTS.items()) >= 0


def measures(need: Need, best: Judged, telling: Collection[str] = ()) -> Mapping[str, float]:
    """The best match's measures by the names in `WEIGHTS`, as logarithms."""
    asked, features = _only(need, telling), best.features
    share = min(measure(asked, features)["lead"], 1.0) if features else 0.0
    found = share * asked.total
    values = {"score": best.score * best.measures["known"], "found": found, "missing": asked.total - found + asked.lost}
    return {name: math.log1p(max(value, 0.0)) for name, value in values.items()}


def _only(need: Need, telling: Collection[str]) -> Need:
    """The need without all other words, which are a machine's; the whole of it where none of these tell anything."""
    kept = tuple(word for word in need.sequence if word in telling)
    if not kept:
        return need
    return replace(need, sequence=kept, weights={word: need.weights[word] for word in kept}, lost=0.0)
