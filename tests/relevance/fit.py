"""Fits the weights of ranking anew and prints them beside the present ones: `make relevance FIT=1`. Changes nothing.

From the tuning part only: for each query, every better judged issue among the candidates is paired with every worse
one (RankNet's pairs, Burges et al. 2005, with a linear score), each query counting alike.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import pytest

from kb.search import Row, parse
from kb.search.features import unpack
from kb.search.ranking import CLOSE, DEPTH, WEIGHTS, boost, is_close
from tests.relevance.conftest import Search
from tests.relevance.judged import Judged
from tests.relevance.measures import mean, ndcg
from tests.relevance.regression import Sample, fit

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]

NAMES = tuple(WEIGHTS)
RIDGE = 0.4
CLOSE_STEP = 0.5


def test_fit(queries: list[Judged], search_tantivy: Search) -> None:
    found = [search_tantivy(query.query, DEPTH).rows for query in queries]
    pairs = list(zip(queries, found, strict=True))
    samples = [sample for query, rows in pairs if not query.held_out for sample in _pairs(query.relevant, rows)]
    weights = dict(zip(NAMES, _fit_scaled(samples), strict=True))
    _print("WEIGHTS", WEIGHTS, weights)
    for title, held_out in (("tuning part", False), ("held-out part", True)):
        some = [(query, rows) for query, rows in pairs if query.held_out is held_out and query.is_answered]
        now, then = (mean([ndcg(q.relevant, _order(rows, w)) for q, rows in some]) for w in (WEIGHTS, weights))
        print(f"  {title}: nDCG@10 {now:.4f} now, {then:.4f} with the new ones")  # noqa: T201
    _print_close([one for one in pairs if not one[0].held_out])


def _values(row: Row) -> list[float]:
    return [row.judged.measures[name] for name in NAMES]


def _pairs(relevant: Mapping[str, int], rows: Sequence[Row]) -> Iterator[Sample]:
    """Differences of measures between a better and a worse candidate; those of one query weigh 1 together."""
    graded = [(relevant.get(row.card.url, 0), _values(row)) for row in rows]
    better = [(grade, values) for grade, values in graded if grade]
    for grade, values in better:
        worse = [others for other, others in graded if other < grade]
        for others in worse:
            difference = [one - other for one, other in zip(values, others, strict=True)]
            yield Sample(difference, is_better=True, weight=(2**grade - 1) / len(worse) / len(better))


def _fit_scaled(samples: Sequence[Sample]) -> list[float]:
    """The weights, with all measures pulled towards 0 alike, however large they are."""
    scale = [math.sqrt(mean([one.measures[i] ** 2 for one in samples])) or 1.0 for i in range(len(NAMES))]
    scaled = [
        Sample([value / by for value, by in zip(one.measures, scale, strict=True)], one.is_better, one.weight)
        for one in samples
    ]
    return [weight / by for weight, by in zip(fit(scaled, ridge=RIDGE), scale, strict=True)]


def _order(rows: Sequence[Row], weights: Mapping[str, float]) -> list[str]:
    """The addresses as ranking would order them with these weights."""
    scored = [
        (
            -sum(weights[name] * row.judged.measures[name] for name in NAMES)
            - boost(unpack(row.judged.candidate.features).merits, row.judged.measures["lead"]),
            -row.card.id,
            row.card.url,
        )
        for row in rows
    ]
    return [url for _, _, url in sorted(scored)]


def _print_close(pairs: Sequence[tuple[Judged, Sequence[Row]]]) -> None:
    """What thresholds around the present one would tell whom: there is one number to choose, and two rates to weigh."""
    found = [(query.is_answered, rows[0].judged, parse(query.query).is_paste) for query, rows in pairs if rows]
    print(f"\nCLOSE: {CLOSE} now; “nothing close” in the tuning part, rightly and wrongly")  # noqa: T201
    for step in range(-3, 4):
        least = CLOSE + step * CLOSE_STEP
        far = [(is_answered, not is_close(best, is_paste=paste, least=least)) for is_answered, best, paste in found]
        rightly, wrongly = (mean([is_far for answered, is_far in far if answered is one]) for one in (False, True))
        print(f"  {least:>5.1f} {rightly:>5.0%} {wrongly:>5.0%}")  # noqa: T201


def _print(title: str, now: Mapping[str, float], then: Mapping[str, float]) -> None:
    print(f"\n{title}: now, fitted")  # noqa: T201
    for name, value in now.items():
        print(f"  {name:<14} {value:>6.2f} {then[name]:>7.2f}")  # noqa: T201
