"""The first matches in each order, the same whatever segments the index consists of.

tantivy breaks ties by where a document lies in its files, which merges change. So ties are found here and broken by id.
"""

import tantivy

from kb.search.backends.base import conditions_of
from kb.search.backends.tantivy.query import Queries
from kb.search.backends.tantivy.schema import COMMENTS, CURATED_FIRST, NEWEST, QUICKNESS
from kb.search.values import Request, Sort

# So many more than asked for are looked at to see whether the last one has equals that belong before it.
MARGIN = 20
# Among more equals than this, those that lie first in the files are good enough.
MOST_EQUALS = 20_000

Found = tuple[int, float, tantivy.DocAddress]


class Orders:
    """Finds the first matches of a request."""

    def __init__(self, searcher: tantivy.Searcher, queries: Queries) -> None:
        self._searcher = searcher
        self._queries = queries

    def first(self, request: Request, count: int) -> list[Found]:
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

    def _best(self, request: Request, count: int) -> list[Found]:
        """By score, then by id downwards."""
        query = self._queries.scoring(request.text, conditions_of(request))
        asked = count + MARGIN
        hits = self._searcher.search(query, asked, count=False).hits
        while len(hits) == asked and hits[count - 1][0] == hits[-1][0] and asked < count + MOST_EQUALS:
            asked = count + 8 * (asked - count)
            hits = self._searcher.search(query, asked, count=False).hits
        return sorted(self._with_ids(hits), key=lambda found: (-found[1], -found[0]))[:count]

    def _by_two(self, request: Request, key: str, count: int) -> list[Found]:
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

    def _with_ids(self, hits: list[tuple[float, tantivy.DocAddress]], *, scored: bool = True) -> list[Found]:
        addresses = [address for _, address in hits]
        ids = self._searcher.fast_field_values("id", addresses)
        return [
            (int(pk or 0), score if scored else 0.0, address) for pk, (score, address) in zip(ids, hits, strict=True)
        ]
