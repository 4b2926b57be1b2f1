"""Counts of many addresses at once are those that each address finds by itself."""

import random

import pytest
from django.http import QueryDict

from kb.charts.claim_counts import count_issues, narrowed
from kb.filters.issues import IssueFilter
from kb.models import Issue
from tests.kb.web import worlds

WITHOUT_WORDS = [query for query in worlds.FILTERS if "q=" not in query]


@pytest.mark.django_db
def test_addresses_together_find_what_each_finds_alone() -> None:
    worlds.build(random.Random(5))  # noqa: S311
    joint = [
        narrowed(base, part) for base in WITHOUT_WORDS for part in ("cause=cause-a", "state=closed", "comments=>=3")
    ]
    queries = [*WITHOUT_WORDS, *joint]
    alone = {query: IssueFilter(QueryDict(query), queryset=Issue.objects.all()).qs.count() for query in queries}
    assert count_issues(queries) == alone


@pytest.mark.django_db
def test_a_wrong_value_is_refused() -> None:
    with pytest.raises(ValueError, match="curated"):
        count_issues(["curated=perhaps"])


def test_what_narrows_stands_for_the_same_filter_of_the_base() -> None:
    assert narrowed("curated=true&symptom=hang", "symptom=hang-collective&stage=train") == (
        "curated=true&symptom=hang-collective&stage=train"
    )
