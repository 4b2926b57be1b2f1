"""Does the best match come close to what was asked, or does it only share some words with it?

A logistic regression over three measures, fitted on judged queries with and without an answer (tests/relevance). Its
constant is chosen so that few answers among the first three are called far.
"""

from collections.abc import Mapping, Sequence

from kb.search.ranking import Judged, Need

# `score` is the best match's, times the share of the question's weight in words that occur anywhere; `title` the share
# of its title that was asked for; `matched` the weight of the question's words in its title and beginning. It is a sum
# and no share, as hardly any issue has as large a share of a long question; what was asked in vain adds nothing.
WEIGHTS = {"score": 0.36, "title": 1.02, "matched": 0.15}
CONSTANT = -4.93
# Of a paste, most words are a machine's, and no issue has them near its beginning: there the score alone decides.
CLOSE_PASTE = 6.3
# The fewest words that a title counts as.
LEAST_TITLE = 4


def is_close(need: Need, judged: Sequence[Judged], *, is_paste: bool = False, constant: float = CONSTANT) -> bool:
    """Is the first of these matches close? Without measures (another engine) it is taken to be."""
    best = judged[0]
    if not best.measures or best.features is None:
        return True
    if is_paste:
        return best.score * best.measures["known"] >= CLOSE_PASTE
    return constant + sum(WEIGHTS[name] * value for name, value in measures(need, best).items()) >= 0


def measures(need: Need, best: Judged) -> Mapping[str, float]:
    """The best match's measures by the names in `WEIGHTS`."""
    title = set(best.features.title.split()) if best.features else set()
    return {
        "score": best.score * best.measures["known"],
        "title": len(title & need.weights.keys()) / max(LEAST_TITLE, len(title)),
        "matched": best.measures["lead"] * need.total,
    }
