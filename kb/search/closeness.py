"""Does the best match come close to what was asked, or does it only share some words with it?

A logistic regression over five measures, fitted on judged queries with and without an answer (tests/relevance). Its
constant is chosen so that few answers among the first three are called far.
"""

from collections.abc import Mapping, Sequence

from kb.search.ranking import Judged, Need, fit

# `score` and `lead` are the best match's, times the share of the question's weight in words that occur anywhere;
# `ahead` is how much better it fits than the fourth; `title` the share of its title that was asked for; `asked` the
# weight of the question's known words, since hardly any issue has as large a share of a long question.
WEIGHTS = {"score": 0.43, "lead": 1.27, "ahead": 0.03, "title": 0.87, "asked": 0.07}
CONSTANT = -6.25
# Of a paste, most words are a machine's, and no issue has them near its beginning: there the score alone decides.
CLOSE_PASTE = 6.3
# The match with which the best one is compared, and the fewest words that a title counts as.
OTHER_PLACE, LEAST_TITLE = 3, 4


def is_close(need: Need, judged: Sequence[Judged], *, is_paste: bool = False, constant: float = CONSTANT) -> bool:
    """Is the first of these matches close? Without measures (another engine) it is taken to be."""
    best = judged[0]
    if not best.measures or best.features is None:
        return True
    if is_paste:
        return best.score * best.measures["known"] >= CLOSE_PASTE
    return constant + sum(WEIGHTS[name] * value for name, value in measures(need, judged).items()) >= 0


def measures(need: Need, judged: Sequence[Judged]) -> Mapping[str, float]:
    """The measures by the names in `WEIGHTS`."""
    best = judged[0]
    known = best.measures["known"]
    fits = sorted((fit(match.measures) for match in judged if match.measures), reverse=True)
    title = set(best.features.title.split()) if best.features else set()
    return {
        "score": best.score * known,
        "lead": best.measures["lead"] * known,
        "ahead": fits[0] - fits[min(OTHER_PLACE, len(fits) - 1)],
        "title": len(title & need.weights.keys()) / max(LEAST_TITLE, len(title)),
        "asked": need.total,
    }
