"""The first matches in each order, the same whatever segments the index consists of.

tantivy breaks ties by where a document lies in its files, which merges change. So ties are found here and broken by id.
"""

import tantivy

from kb.core.search.backend import conditions_of
from kb.core.search.tantivy.query import Queries
from kb.core.search.tantivy.schema import COMMENTS, CURATED_FIRST, NEWEST, QUICKNESS
from kb.core.search.values import Request, Sort

# So many more than asked for are looked at to see whether the last one has equals that belong before it.
MARGIN = 20
# Among more equals than this, those that lie first in the files are good enough.
MOST_EQUALS = 20_000

# The id of a document, its score, and where it lies in the index.
Hit = tuple[int, float, tantivy.DocAddress]


class Orders:
    """Finds the first matches of a request."""

    def __init__(self, searcher: tantivy.Searcher, queries: Queries) -> None:
        self._searcher = searcher
        self._queries = queries

    def first(self, request: Request, count: int) -> list[Hit]:
        """The first `count` matches: id, score and address."""
        if count < 1:
            return []
        if request.sort is Sort.RELEVANCE and not request.text.is_empty:
            return self._best(request, count)
        if request.sort is Sort.DISCUSSED:
            return self._by_two(request, COMMENTS, count)
        if request.sort is Sort.QUICKEST:
            return self._by_two(request, QUICKNESS, count)
        query = self._queries.matching(request.text, conditions_of(request))
        key = NEWEST if request.sort is Sort.NEWEST else CURATED_FIRST
        return self._with_ids(self._searcher.search(query, count, count=False, order_by_field=key).hits, scored=False)

    def _best(self, request: Request, count: int) -> list[Hit]:
        """By score, then by id downwards."""
        query = self._queries.scoring(request.text, conditions_of(request))
        limit = count + MARGIN
        hits = self._searcher.search(query, limit, count=False).hits
        while len(hits) == limit and hits[count - 1][0] == hits[-1][0] and limit < count + MOST_EQUALS:
            limit = count + 8 * (limit - count)
            hits = self._searcher.search(query, limit, count=False).hits
        return sorted(self._with_ids(hits), key=lambda hit: (-hit[1], -hit[0]))[:count]

    def _by_two(self, request: Request, key: str, count: int) -> list[Hit]:
        """By a number, then by newest: 64 bits do not hold both, so equals at the end are asked for once more."""
        conditions = conditions_of(request)
        query = self._queries.matching(request.text, conditions)
        hits = self._searcher.search(query, count, count=False, order_by_field=key).hits
        if not hits:
            return []
        last = hits[-1][0]
        before = [hit for hit in hits if hit[0] != last]
        addresses = [address for _, address in before]
        newest = self._searcher.fast_field_values(NEWEST, addresses)
        ranked = sorted(zip(before, newest, strict=True), key=lambda pair: (-pair[0][0], -int(pair[1] or 0)))
        equals = self._queries.matching(request.text, conditions, self._queries.number(key, last))
        rest = self._searcher.search(equals, count - len(before), count=False, order_by_field=NEWEST).hits
        return self._with_ids([*(hit for hit, _ in ranked), *rest], scored=False)

    def _with_ids(self, hits: list[tuple[float, tantivy.DocAddress]], *, scored: bool = True) -> list[Hit]:
        addresses = [address for _, address in hits]
        ids = self._searcher.fast_field_values("id", addresses)
        scores = [score if scored else 0.0 for score, _ in hits]
        return [(int(pk or 0), score, address) for pk, score, address in zip(ids, scores, addresses, strict=True)]
