"""What only the engine without an index can do wrong: many statements, and statements that take too long."""

import pytest
from django.db import connection
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries, Settings

from kb.core.search.values import Condition, Request, TextQuery, Wanted
from kb.search import search
from kb.search.backends.postgres import PostgresBackend, facets, words
from kb.search.backends.postgres.limits import TooLateError, at_most
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db

HANG = TextQuery((Wanted((("hang", 1.0),)),))
SLEEP = "SELECT pg_sleep(30)"
# A transaction with its limit around each of the two counts, the counts, and what a page of results is read with.
MOST_STATEMENTS = 22


@pytest.fixture
def _slow_facets(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting facets would take half a minute, and may take 20 ms."""
    settings.SEARCH_FACET_MILLISECONDS = 20
    monkeypatch.setattr(facets, "BASE", facets.BASE + f"UNION ALL SELECT '', '', length(({SLEEP})::text)\n")


class TestLimits:
    def test_what_takes_too_long_is_ended(self) -> None:
        with pytest.raises(TooLateError), at_most(20), connection.cursor() as cursor:
            cursor.execute(SLEEP)

    def test_the_transaction_around_goes_on_without_the_limit(self) -> None:
        before = _timeout()
        with at_most(20), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert _timeout() == "20ms"
        assert _timeout() == before
        with pytest.raises(TooLateError), at_most(20), connection.cursor() as cursor:
            cursor.execute(SLEEP)
        assert _timeout() == before

    @pytest.mark.django_db(transaction=True)
    def test_without_a_transaction_around_it_nothing_stays_either(self) -> None:
        before = _timeout()
        with at_most(20):
            assert _timeout() == "20ms"
        with pytest.raises(TooLateError), at_most(20), connection.cursor() as cursor:
            cursor.execute(SLEEP)
        assert _timeout() == before
        assert not connection.in_atomic_block


def _timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


class TestWords:
    def test_all_words_are_counted_in_one_statement(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make_issue(1, title="The run hangs", body="a hang")
        make_issue(2, title="hang and crash")
        # Beside the count: a savepoint, the time limit, and both taken back.
        with django_assert_num_queries(5):
            found = PostgresBackend().frequencies(["hang", "crash", "the", "", "\x00", "?!", "nowhere", "hang"])
        assert found == {"hang": 2, "crash": 1, "the": 2, "": 2, "\x00": 2, "?!": 2, "nowhere": 0}

    def test_in_a_large_collection_common_words_are_not_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for n in range(40):
            make_issue(n + 1, title="The run hangs", body="deadlock" if n < 10 else "")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE kb_issue")
        make_issue(41, title="hang and crash")
        assert PostgresBackend().frequencies(["hang", "crash"]) == {"hang": 41, "crash": 1}
        monkeypatch.setattr(words, "LARGE", 10)
        # As they were when Postgres last looked; what it does not know is counted.
        found = PostgresBackend().frequencies(["hang", "hangs", "deadlock", "crash", "nowhere", "the"])
        assert found == {"hang": 40, "hangs": 40, "deadlock": 10, "crash": 1, "nowhere": 0, "the": 41}

    def test_no_words_ask_nothing(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(0):
            assert PostgresBackend().frequencies([]) == {}

    def test_when_counting_takes_too_long_every_word_is_looked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        make_issue(1, title="hang")
        make_issue(2, title="hang and crash")
        monkeypatch.setattr(words, "MILLISECONDS", 20)
        monkeypatch.setattr(words, "COUNTS", words.COUNTS + ", pg_sleep(30)")
        assert PostgresBackend().frequencies(["hang", "nowhere"]) == {"hang": 1, "nowhere": 1}
        assert search(QueryDict("q=hang")).total == 2

    @pytest.mark.parametrize("text", ["hang", "hang in ZeRO-3 after resume", " ".join(f"word{n}" for n in range(300))])
    def test_a_search_without_an_index_takes_few_statements(
        self, settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries, text: str
    ) -> None:
        settings.SEARCH_ENGINE = "postgres"
        make_issue(1, title="hang in ZeRO-3", body=" ".join(f"word{n}" for n in range(300)))
        with django_assert_max_num_queries(MOST_STATEMENTS):
            assert search(QueryDict(f"q={text}")).total == 1


class TestFacets:
    @pytest.mark.usefixtures("_slow_facets")
    def test_when_they_take_too_long_results_and_their_number_are_complete(self) -> None:
        for n in range(3):
            make_issue(n + 1, title="hang", state="open" if n else "closed")
        asked = Request(HANG, (Condition("state", ("open",)),), limit=1, facets=("state", "framework"))
        hits = PostgresBackend().find(asked)
        assert (hits.facets_late, hits.facets) == (True, {})
        assert (len(hits.candidates), hits.total) == (1, 2)

    @pytest.mark.usefixtures("_slow_facets")
    def test_the_second_count_for_a_chosen_source_is_limited_too(self) -> None:
        make_issue(1, title="hang")
        asked = Request(HANG, (Condition("source", ("curated",)),), facets=("source",))
        assert PostgresBackend().find(asked).facets_late

    def test_in_time_nothing_is_said(self) -> None:
        make_issue(1, title="hang", state="open")
        hits = PostgresBackend().find(Request(HANG, facets=("state",)))
        assert (hits.facets_late, hits.facets, hits.total) == (False, {"state": {"open": 1}}, 1)

    @pytest.mark.usefixtures("_slow_facets")
    def test_other_failures_are_not_taken_for_lateness(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(facets, "BASE", facets.BASE.replace("kb_issuedigest", "kb_nothing"))
        with pytest.raises(Exception, match="kb_nothing"):
            PostgresBackend().find(Request(HANG, facets=("state",)))
