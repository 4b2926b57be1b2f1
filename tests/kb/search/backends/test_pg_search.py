"""What only the engine inside Postgres can do wrong: kept words, killed builds, failing statements."""

import random
from collections import Counter

import psycopg
import pytest

from kb.core.search.backend import EngineUnavailableError, Index, Prepared
from kb.core.search.values import Condition, Request, TextQuery, Wanted
from kb.search.backends.pg_search import PgSearchBackend
from kb.search.backends.pg_search.database import Connect
from tests.kb.search.backends.brute import expected
from tests.kb.search.backends.conftest import Place
from tests.kb.search.backends.test_index import doc, fill, found, words

pytestmark = pytest.mark.parametrize("place", ["pg_search"], indirect=True)


def connect_of(index: Index) -> Connect:
    return index._connect  # type: ignore[attr-defined,no-any-return]


def test_words_are_counted_exactly_through_any_changes(index: Index, place: Place) -> None:
    chance = random.Random(1)  # noqa: S311
    held: dict[int, set[str]] = {}
    fill(index)
    for _ in range(20):
        texts = {pk: chance.sample("abcdef", chance.randrange(5)) for pk in chance.sample(range(1, 12), 3)}
        gone = chance.sample(range(1, 12), 2)
        index.apply(
            [doc(pk, text=" ".join(some)) for pk, some in texts.items()], [pk for pk in gone if pk not in texts]
        )
        held = {pk: some for pk, some in held.items() if pk not in gone}
        held |= {pk: {*some, "|"} for pk, some in texts.items()}
    count = Counter(word for some in held.values() for word in some)
    assert place.read().frequencies([*"abcdef", ""]) == {**{word: count[word] for word in "abcdef"}, "": 0}
    assert dict(place.read().words_starting("", 100)) == count
    assert place.read().size() == len(held)


def test_some_of_many_words_are_found_among_thousands(index: Index, place: Place) -> None:
    """pg_search itself drops documents when it is asked this in one query."""
    chance = random.Random(2)  # noqa: S311
    rare = {f"w{n}": chance.random() ** 2 for n in range(14)}
    documents = [
        doc(pk, text=" ".join(word for word, share in rare.items() if chance.random() < share), state="open")
        for pk in range(1, 12_001)
    ]
    fill(index, *documents)
    for least in (2, 5, 9):
        asked = Request(words(*rare, least=least), (Condition("state", ("open", "closed")),), limit=12_000)
        ids, _ = expected(documents, asked)
        assert sorted(found(place.read(), asked.text, conditions=asked.conditions, limit=12_000)) == sorted(ids)


def test_a_killed_build_goes_on_where_it_was(index: Index, place: Place) -> None:
    build = index.build()
    build.add([index.prepare(doc(1, title="hang"))], 1)
    documents = (index.prepare(doc(pk, title="hang")) if pk < 5 else _die(connect_of(index)) for pk in range(2, 6))
    with pytest.raises((EngineUnavailableError, psycopg.Error)):
        build.add(documents, 5)
    second = place.write()
    again = second.build()
    assert again.last_id == 1
    again.add([index.prepare(doc(2, title="hang"))], 2)
    again.finish()
    assert found(place.read(), words("hang")) == [2, 1]
    second.close()


def _die(connect: Connect) -> Prepared:
    """End the session in the middle of a transaction, as a killed process does."""
    connect().connection.close()
    return 5, doc(5)


def test_a_caller_in_a_transaction_can_go_on_after_a_failure(index: Index, place: Place) -> None:
    fill(index, doc(1, title="hang"))
    backend = place.read()
    assert isinstance(backend, PgSearchBackend)
    with backend._connect().cursor() as cursor:
        cursor.execute("ALTER TABLE kb_searchrow RENAME COLUMN card TO other")
    connection = backend._connect()
    connection.set_autocommit(False)
    with pytest.raises(EngineUnavailableError, match="cannot be read"):
        backend.find(Request(TextQuery((Wanted((("hang", 1.0),)),))))
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.close()


def test_an_index_that_is_lost_is_told_and_made_anew(index: Index, place: Place) -> None:
    fill(index, doc(1, title="hang"))
    with connect_of(index)().cursor() as cursor:
        cursor.execute("DROP INDEX kb_searchrow_bm25")
    with pytest.raises(EngineUnavailableError, match="lost their index"):
        place.read().size()
    fill(index, doc(2, title="hang"))
    assert found(place.read(), words("hang")) == [2]


def test_without_the_extension_it_says_what_to_do(place: Place, index: Index, pg_search_url: str) -> None:
    with psycopg.connect(pg_search_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE faultbook_plain LOGIN")
    try:
        settings = connect_of(index)().settings_dict
        with connect_of(index)().cursor() as cursor:
            cursor.execute("GRANT ALL ON SCHEMA public TO faultbook_plain")
        settings["USER"] = "faultbook_plain"
        connect_of(index)().close()
        with pytest.raises(EngineUnavailableError, match="lacks the extension"):
            index.build()
        index.close()
        connect_of(index)().close()
    finally:
        settings["USER"] = "postgres"
        with connect_of(index)().cursor() as cursor:
            cursor.execute("DROP OWNED BY faultbook_plain; DROP ROLE faultbook_plain")
