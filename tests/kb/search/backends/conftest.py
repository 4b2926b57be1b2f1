"""The engines under test, and the corpus that all of them are given."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from kb.core.search.backend import Backend, Index
from kb.core.search.tantivy import TantivyBackend, TantivyIndex
from kb.core.search.values import Document
from kb.search.backends.fields import FIELDS
from kb.search.backends.pg_search import PgSearchBackend, PgSearchIndex
from kb.search.backends.postgres import PostgresBackend
from tests.kb.search.backends.corpus import make_corpus
from tests.support.pg_search import connecting_to, database_of_its_own

MEMORY_MB = 20


@pytest.fixture(scope="package")
def corpus(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[Document]]:
    """The documents of a small knowledge base, which stands in the database until the last test here."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_corpus()
        transaction.set_rollback(True)


@dataclass(frozen=True)
class Place:
    """Where an index may be. Each writer stands for a process of its own."""

    write: Callable[[], Index]
    read: Callable[[], Backend]


@pytest.fixture(params=["tantivy", "pg_search"])
def place(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Place]:
    """A place without an index, for each engine that has one."""
    if request.param == "tantivy":
        yield Place(lambda: TantivyIndex(tmp_path, MEMORY_MB, FIELDS), lambda: TantivyBackend(tmp_path, FIELDS))
        return
    url = request.getfixturevalue("pg_search_url")
    with django_db_blocker.unblock(), database_of_its_own(url, "index") as settings:
        yield Place(
            lambda: PgSearchIndex(MEMORY_MB, connecting_to(settings)),
            lambda: PgSearchBackend(connecting_to(settings)),
        )


@pytest.fixture
def index(place: Place) -> Iterator[Index]:
    """The written side of an engine that has nothing yet."""
    made = place.write()
    yield made
    made.close()


@pytest.fixture
def backend(place: Place) -> Backend:
    """The reading side of the same engine."""
    return place.read()


@pytest.fixture(scope="package", params=["tantivy", "pg_search", "postgres"])
def engine(
    request: pytest.FixtureRequest, corpus: list[Document], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Backend]:
    """Every engine, filled with the corpus."""
    if request.param == "postgres":
        yield PostgresBackend()
    elif request.param == "pg_search":
        with database_of_its_own(request.getfixturevalue("pg_search_url"), "contract") as settings:
            connect = connecting_to(settings)
            fill_in_parts(PgSearchIndex(MEMORY_MB, connect), corpus)
            yield PgSearchBackend(connect)
    else:
        folder = tmp_path_factory.mktemp("index")
        fill_in_parts(TantivyIndex(folder, MEMORY_MB, FIELDS), corpus)
        yield TantivyBackend(folder, FIELDS)


def fill_in_parts(writer: Index, corpus: list[Document]) -> None:
    """Fill an index as time would, with changes after the build."""
    build = writer.build()
    for start in range(0, len(corpus), 20):
        part = corpus[start : start + 20]
        build.add(list(map(writer.prepare, part)), part[-1].id)
    build.finish()
    # Replaced and removed ones must leave no trace in any count.
    writer.apply(corpus[5:25], [corpus[0].id])
    writer.apply(corpus[:1], [])
    writer.close()
