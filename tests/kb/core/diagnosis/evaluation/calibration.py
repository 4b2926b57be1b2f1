"""How far a score may be trusted: of the suspects shown with at least so much, the share that is right."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tests.kb.core.diagnosis.evaluation.measures import Answer, wilson
from tests.kb.core.diagnosis.evaluation.truth import Truth

EDGES = (1.01, 0.9, 0.7, 0.5, 0.0)
# Of a suspect: how sure the diagnosis is, and whether it is right.
Judged = tuple[float, bool]


def suspects(jobs: Iterable[tuple[Truth, Answer]]) -> Iterator[Judged]:
    """Every node and rank that was blamed for a job whose guilty ones are known."""
    for truth, answer in jobs:
        guilty = {"node": truth.nodes, "rank": truth.ranks}
        for what, name, score in answer.blamed:
            if guilty[what]:
                yield score, name in guilty[what]


def lines(title: str, judged: Iterable[Judged]) -> Iterator[str]:
    """A row for each range of scores."""
    known = list(judged)
    for above, least in pairwise(EDGES):
        right = [is_right for score, is_right in known if least <= score < above]
        low, high = wilson(sum(right) / len(right) if right else 0.0, len(right))
        share = f"{sum(right) / len(right):.3f} [{low:.2f}, {high:.2f}]" if right else "-"
        yield f"{title:24} score {least:.1f} to {min(above, 1.0):.1f}   right {share:20} n = {len(right)}"
