"""The engines under test, and the corpus that all of them are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from kb.search.backends.base import Backend, Index
from kb.search.backends.postgres import PostgresBackend
from kb.search.backends.tantivy import TantivyBackend, TantivyIndex
from kb.search.values import Document
from tests.kb.backends.corpus import make_corpus

MEMORY_MB = 20


@pytest.fixture(scope="package")
def corpus(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[Document]]:
    """The documents of a small knowledge base, which stands in the database until the last test here."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_corpus()
        transaction.set_rollback(True)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """The written side of an engine that has nothing yet."""
    made = TantivyIndex(tmp_path, MEMORY_MB)
    yield made
    made.close()


@pytest.fixture
def backend(tmp_path: Path) -> Backend:
    """The reading side of the same engine."""
    return TantivyBackend(tmp_path)


@pytest.fixture(scope="package", params=["tantivy", "postgres"])
def engine(request: pytest.FixtureRequest, corpus: list[Document], tmp_path_factory: pytest.TempPathFactory) -> Backend:
    """Every engine, filled with the corpus."""
    if request.param == "postgres":
        return PostgresBackend()
    folder = tmp_path_factory.mktemp("index")
    writer = TantivyIndex(folder, MEMORY_MB)
    build = writer.build()
    for start in range(0, len(corpus), 20):
        part = corpus[start : start + 20]
        build.add(part, part[-1].id)
    build.finish()
    # Replaced and removed ones must leave no trace in any count.
    writer.apply(corpus[5:25], [corpus[0].id])
    writer.apply(corpus[:1], [])
    writer.close()
    return TantivyBackend(folder)
