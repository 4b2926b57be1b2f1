"""“Close” is said of answers, and not of issues that share a common word with a question of another field."""

import pytest
from django.http import QueryDict

from kb.search import SearchResult, search
from tests.relevance.judged import FIELD, read_judged
from tests.relevance.measures import mean, success
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.usefixtures("starter")

WITHHELD, STILL_SAID = 0.80, 0.85
FIRST = 3
# The words of its error line that anybody here knows occur in some record; the program's name does not.
PASTED = "ERROR Failed to start kodi\nERROR kodi error"


def found(text: str) -> SearchResult:
    params = QueryDict(mutable=True)
    params["q"] = text
    return search(params, limit=10, with_facets=False)


def test_over_the_curated_records(search_index: PutIssuesIn) -> None:
    """The whole set, in one test: the index is made once."""
    search_index()
    said = [(query, found(query.query)) for query in read_judged(FIELD)]
    others = [result for query, result in said if not query.is_answered]
    answers = [
        result for query, result in said if success(query.relevant, [row.card.url for row in result.rows], FIRST)
    ]
    assert mean([float(not result.is_close) for result in others]) >= WITHHELD
    assert len(answers) >= 25
    assert mean([float(result.is_close) for result in answers]) >= STILL_SAID
    for text in ("react useEffect infinite re-render loop", "postgres deadlock", PASTED):
        assert not found(text).is_close, text


def test_a_phrase_in_quotes_that_is_found_is_close_wherever_it_stands(search_index: PutIssuesIn) -> None:
    search_index()
    result = found('"illegal memory access" framework:vllm')
    assert result.total
    assert result.is_close
    assert not found('"illegal memory access to nowhere"').is_close
