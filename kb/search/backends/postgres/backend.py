"""Answers requests inside Postgres, from the issues' own rows. Candidates carry no card and no features."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings

from kb.core.search.backend import chosen_sources, conditions_of, is_known, without
from kb.core.search.values import Candidate, Condition, Hits, Request
from kb.models import Issue
from kb.search.backends.fields import FIELDS
from kb.search.backends.postgres import facets
from kb.search.backends.postgres.limits import TooLateError, at_most
from kb.search.backends.postgres.matching import Conditions, Matching, conditioned, matching, ordered
from kb.search.backends.postgres.words import frequencies

log = logging.getLogger(__name__)


class PostgresBackend:
    """Postgres' own full text."""

    name = "postgres"

    def __init__(self, only: Sequence[int] | None = None) -> None:
        """`only`: the ids of the issues that there are for it."""
        self._only = only

    def find(self, request: Request) -> Hits:
        """Answer a request."""
        if not is_known(request, FIELDS, FIELDS.values):
            raise ValueError("The request has conditions or facets that no engine knows.")
        conditions = conditions_of(request)
        matched = matching(request.text)
        if self._only is not None:
            matched = replace(matched, issues=matched.issues.filter(pk__in=self._only))
        rows = ordered(conditioned(matched.issues, conditions), matched.ranked_by, request.sort)
        page = rows[request.offset : request.offset + request.limit]
        candidates = tuple(Candidate(pk, float(score), "", b"") for pk, score in page)
        is_all = not request.offset and len(candidates) < request.limit
        if not request.facets and (is_all or not request.with_total):
            return Hits(candidates, len(candidates))
        if not request.facets:
            return Hits(candidates, conditioned(matched.issues, conditions).count())
        try:
            with at_most(settings.SEARCH_FACET_MILLISECONDS):
                return Hits(candidates, *_counts(matched, conditions, request.facets))
        except TooLateError:
            log.warning(
                "Counting %s facets took more than %s ms.", len(request.facets), settings.SEARCH_FACET_MILLISECONDS
            )
            return Hits(candidates, conditioned(matched.issues, conditions).count(), facets_late=True)

    def supports(self, request: Request) -> bool:
        """All that is known at all."""
        return is_known(request, FIELDS, FIELDS.values)

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many issues hold each word."""
        return frequencies(words)

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:  # noqa: ARG002
        """None: Postgres keeps no list of its words."""
        return []

    def size(self) -> int:
        """How many issues there are."""
        return Issue.objects.count()


def _counts(
    found: Matching, conditions: Sequence[Condition], groups: Sequence[str]
) -> tuple[int, dict[str, dict[str, int]]]:
    sources = chosen_sources(conditions)
    if sources and "source" in groups:
        # Without its own condition, `source` knows no chosen sources, and so other conditions mean more.
        total, counted = _counts(found, conditions, [group for group in groups if group != "source"])
        rest = conditioned(found.issues, without(conditions, "source"))
        return total, counted | facets.count(facets.Question(rest, ["source"]))[1]
    keys = {condition.key for condition in conditions}
    own = [group for group in groups if group in keys]
    others = [condition for condition in conditions if condition.key not in own]
    # They know the chosen sources, whose codes alone count.
    filters = Conditions(conditions)
    choices = {group: filters.of_group(group, conditions) for group in own}
    return facets.count(facets.Question(conditioned(found.issues, others), groups, choices, sources))
