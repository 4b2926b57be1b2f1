"""What readers of the site are told of search: its measures as the figures of `kb/core/quality`.

What people asked and a judge graded by hand is in `practitioners.yaml`: counts, of which no program can measure the
grades anew.
"""

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from kb.core.quality.figures import OURS, Figure, Measured, share
from kb.core.yaml_files import read_yaml
from tests.relevance.judged import Judged
from tests.relevance.measures import success
from tests.relevance.report import Run, means, part, told_close_where_found, told_nothing_close

GRADED = Path(__file__).with_name("practitioners.yaml")
# Whether the set and the collection are those that stand here.
IS_OURS = not os.environ.get("JUDGED") and not os.environ.get("WHOLE")
ENGINES = {"Faultbook": OURS, "tantivy": "tantivy", "FTS5": "fts5"}
FIRST = 3


def ranking(queries: Sequence[Judged], runs: Sequence[Run]) -> Iterator[Figure]:
    """The means of every engine over all queries, what was tuned on and what was kept aside; what is called close."""
    groups = {"all": (list(queries), list(runs))}
    groups |= {
        name: part(queries, runs, held_out=held_out) for name, held_out in (("tuning", False), ("held_out", True))
    }
    for among, (some, theirs) in groups.items():
        answered = sum(query.is_answered for query in some)
        for one in theirs:
            found = means(some, one)
            for name, mean in (("ndcg_10", found.ndcg), ("mrr_10", found.mrr), ("success_1", found.success)):
                yield share(name, mean * answered, answered, among=among, by=ENGINES[one.name])
        yield from closeness(some, theirs[0], among)


def closeness(queries: Sequence[Judged], found: Run, among: str) -> Iterator[Figure]:
    """How often “nothing close” is said rightly and wrongly, and how often an answer on top is called close."""
    pairs = zip(queries, found.answers, strict=True)
    without = sum(not query.is_answered for query in queries)
    first = sum(success(query.relevant, answer.ranked, FIRST) > 0 for query, answer in pairs if query.is_answered)
    if without:
        rightly = told_nothing_close(queries, found, answered=False)
        yield share("nothing_close_right", rightly * without, without, among=among)
    if answered := len(queries) - without:
        wrongly = told_nothing_close(queries, found, answered=True)
        yield share("nothing_close_wrong", wrongly * answered, answered, among=among)
    if first:
        yield share("called_close", told_close_where_found(queries, found, FIRST) * first, first, among=among)


def graded() -> Measured:
    """The questions of practitioners, as they were graded. Raises `OSError`."""
    told = read_yaml(GRADED)
    figures = [share(row["name"], row["cases"], row["of"], among=row["among"]) for row in told["counts"]]
    return Measured(of="questions", measured_on=dt.date.fromisoformat(told["graded_on"]), figures=tuple(figures))
