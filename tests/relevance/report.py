"""The runs of several engines over a judged set, their means by part and class, and the table that is printed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.relevance.judged import Judged
from tests.relevance.measures import mean, mrr, ndcg, success

OVERALL = "overall"


@dataclass(frozen=True)
class Answer:
    """What an engine said to one query; `nothing_close` is what the product tells the reader."""

    ranked: tuple[str, ...]
    nothing_close: bool = False


@dataclass(frozen=True)
class Run:
    """One engine's answers to all queries, in their order."""

    name: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Means:
    """The means over some queries."""

    ndcg: float
    mrr: float
    success: float


def run(name: str, ask: Callable[[str], Answer], queries: Sequence[Judged]) -> Run:
    """Ask every query."""
    return Run(name, tuple(ask(query.query) for query in queries))


def means(queries: Sequence[Judged], found: Run, kind: str = OVERALL) -> Means:
    """The means over the answered queries of a class."""
    pairs = [
        (query.relevant, answer.ranked)
        for query, answer in zip(queries, found.answers, strict=True)
        if query.is_answered and kind in (OVERALL, query.kind)
    ]
    return Means(*(mean([measure(*pair) for pair in pairs]) for measure in (ndcg, mrr, success)))


def told_nothing_close(queries: Sequence[Judged], found: Run, *, answered: bool) -> float:
    """The share of the queries with (or without) an answer to which the product says: nothing close."""
    pairs = zip(queries, found.answers, strict=True)
    return mean([float(answer.nothing_close) for query, answer in pairs if query.is_answered is answered])


def told_close_where_found(queries: Sequence[Judged], found: Run, depth: int) -> float:
    """Of the queries whose answer is among the first `depth`, the share to which the product does not say so."""
    pairs = zip(queries, found.answers, strict=True)
    return mean([float(not one.nothing_close) for query, one in pairs if success(query.relevant, one.ranked, depth)])


def part(queries: Sequence[Judged], runs: Sequence[Run], *, held_out: bool) -> tuple[list[Judged], list[Run]]:
    """The queries that were (or were not) kept aside while tuning, and the answers to them."""
    kept = [place for place, query in enumerate(queries) if query.held_out is held_out]
    return [queries[place] for place in kept], [Run(one.name, tuple(one.answers[i] for i in kept)) for one in runs]


def kinds(queries: Sequence[Judged]) -> list[str]:
    """The classes of answered queries, and `OVERALL`."""
    return [*sorted({query.kind for query in queries if query.is_answered}), OVERALL]


def table(title: str, queries: Sequence[Judged], runs: Sequence[Run]) -> Iterator[str]:
    """Lines: the means of each engine per class and overall, and the first one's ratio to the best of the others."""
    ours = runs[0]
    yield f"{title}: nDCG@10  MRR@10  success@1"
    yield (
        f"{'class':<10} {'n':>4}  " + "  ".join(f"{one.name:<18}" for one in runs) + "  nDCG, ratio to the better peer"
    )
    for kind in kinds(queries):
        count = sum(query.is_answered and kind in (OVERALL, query.kind) for query in queries)
        each = [means(queries, one, kind) for one in runs]
        best = max((one.ndcg for one in each[1:]), default=0.0)
        cells = "  ".join(f"{one.ndcg:.3f} {one.mrr:.3f} {one.success:.2f}".ljust(18) for one in each)
        yield f"{kind:<10} {count:>4}  {cells}  {each[0].ndcg / best if best else float('inf'):.2f}"
    nothing = told_nothing_close(queries, ours, answered=False)
    wrongly = told_nothing_close(queries, ours, answered=True)
    unanswered = sum(not query.is_answered for query in queries)
    yield f"“nothing close”: {nothing:.0%} of {unanswered} without an answer, wrongly {wrongly:.1%} of the others"
