"""Which results come first because they have the error that was asked for: by its one line, or by a diagnosis of it."""

from collections.abc import Collection, Sequence

from kb.core.frameworks import frameworks_named
from kb.core.search.cards import from_json
from kb.core.search.error_matches import ErrorQuery, KnownIssues, error_matches
from kb.core.search.language import Query
from kb.core.search.ranking import DEPTH, Judged
from kb.core.search.sections import MAX_LINE, telling_lines
from kb.core.search.values import Sort


def same_errors(
    query: Query, sort: Sort, judged: Sequence[Judged], known: Collection[str] | None, issues: KnownIssues
) -> list[Judged]:
    """Those of the results that have the error which was searched for, the nearest first.

    `known`: the pages of issues that a diagnosis of the text named, the nearest first; None where there was none.
    """
    if sort is not Sort.RELEVANCE or not judged:
        return []
    if known is not None:
        ranks = {page: rank for rank, page in enumerate(known)}
        by_rank = {ranks.get(from_json(hit.candidate.card).page): hit for hit in judged if hit.candidate.card}
        return [by_rank[rank] for rank in ranks.values() if rank in by_rank]
    # A long text tells more of its fault than an error line in it.
    if len(query.words) > MAX_LINE or not (lines := telling_lines(query.words)):
        return []
    versions = dict.fromkeys(frameworks_named(query.words), "")
    quoting = error_matches(ErrorQuery(lines[::-1], versions=versions, only_quoted=True), DEPTH, issues)
    places = {match.card.id: place for place, match in enumerate(quoting)}
    return sorted((hit for hit in judged if hit.candidate.id in places), key=lambda hit: places[hit.candidate.id])
