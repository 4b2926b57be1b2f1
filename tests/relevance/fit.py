"""Fits the weights of ranking anew and prints them beside the present ones: `make relevance FIT=1`. Changes nothing.

From the tuning part only: for each query, every better judged issue among the candidates is paired with every worse
one (RankNet's pairs, Burges et al. 2005, with a linear score), each query counting alike.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import pytest

from kb.core.search.closeness import CONSTANT, measures
from kb.core.search.closeness import WEIGHTS as CLOSE
from kb.core.search.features import unpack
from kb.core.search.plan import telling_words
from kb.core.search.ranking import DEPTH, WEIGHTS, use
from kb.search import Row
from tests.relevance.conftest import Search
from tests.relevance.judged import Judged
from tests.relevance.measures import mean, ndcg, success
from tests.relevance.regression import Sample, fit

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]

NAMES = tuple(WEIGHTS)
RIDGE = 0.4
CLOSE_RIDGE = 0.1
FIRST, STILL_SAID = 3, 0.86


def test_fit(queries: list[Judged], field: list[Judged], unanswered: list[Judged], search_tantivy: Search) -> None:
    found = [search_tantivy(query.query, DEPTH).rows for query in queries]
    pairs = list(zip(queries, found, strict=True))
    samples = [sample for query, rows in pairs if not query.held_out for sample in _pairs(query.relevant, rows)]
    weights = dict(zip(NAMES, _fit_scaled(samples), strict=True))
    _print("WEIGHTS", WEIGHTS, weights)
    for title, held_out in (("tuning part", False), ("held-out part", True)):
        some = [(query, rows) for query, rows in pairs if query.held_out is held_out and query.is_answered]
        now, then = (mean([ndcg(q.relevant, _order(rows, w)) for q, rows in some]) for w in (WEIGHTS, weights))
        print(f"  {title}: nDCG@10 {now:.4f} now, {then:.4f} with the new ones")  # noqa: T201
    close, constant = _fit_close(list(_close_samples([*queries, *field, *unanswered], search_tantivy)))
    _print("Closeness", {**CLOSE, "constant": CONSTANT}, {**close, "constant": constant})


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
            - use(unpack(row.judged.candidate.features).merits, row.judged.measures),
            -row.card.id,
            row.card.url,
        )
        for row in rows
    ]
    return [url for _, _, url in sorted(scored)]


def _close_samples(asked: Sequence[Judged], search: Search) -> Iterator[Sample]:
    """Measures of each question's best match: is it among the first three answers, or is there none?"""
    for query in asked:
        result = search(query.query, DEPTH)
        judged = [row.judged for row in result.rows]
        if query.held_out or not judged or not judged[0].measures:
            continue
        is_found = bool(success(query.relevant, [row.card.url for row in result.rows], FIRST))
        if is_found or not query.is_answered:
            values = measures(result.plan.need, judged[0], telling_words(result.query))
            yield Sample([*(values[name] for name in CLOSE), 1.0], is_found)


def _fit_close(samples: Sequence[Sample]) -> tuple[dict[str, float], float]:
    """Both outcomes weigh alike. The constant leaves `STILL_SAID` of the answers close."""
    share = mean([float(sample.is_better) for sample in samples])
    weighed = [Sample(one.measures, one.is_better, 1 - share if one.is_better else share) for one in samples]
    *weights, _ = fit(weighed, ridge=CLOSE_RIDGE)
    scores = sorted(
        sum(weight * value for weight, value in zip(weights, one.measures, strict=False))
        for one in samples
        if one.is_better
    )
    return dict(zip(CLOSE, weights, strict=True)), -scores[int(len(scores) * (1 - STILL_SAID))]


def _print(title: str, now: Mapping[str, float], then: Mapping[str, float]) -> None:
    print(f"\n{title}: now, fitted")  # noqa: T201
    for name, value in now.items():
        print(f"  {name:<14} {value:>6.2f} {then[name]:>7.2f}")  # noqa: T201
