"""Fixtures for every test. Servers are started by `servers.py`; data is in `snapshot.py`, search in `engines.py`.

What tests commit is deleted by `emptying.py`.
"""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from kb.search import names
from tests.emptying import _quick_emptying
from tests.engines import put_issues_in, search_in_postgres, search_index
from tests.snapshot import codebook, starter

__all__ = ["_quick_emptying", "codebook", "put_issues_in", "search_in_postgres", "search_index", "starter"]

# Tests are shared out by file in this order; a long file that began last would be waited for by everybody.
LONGEST_FIRST = (
    "tests/labeling/permissions/",
    "tests/test_running.py",
    "tests/e2e/",
    "tests/ingest/test_reproductions.py",
    "tests/labeling/test_thirty_annotators.py",
    "tests/relevance/",
    "tests/contracts/",
    "tests/ingest/test_interrupted_imports.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; within a file nothing changes."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST_FIRST))


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """No test sees what another one cached."""
    cache.clear()
    names.forget()


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Passwords are hashed in no time; the product takes a good second of work for each."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database, dropped in the end even if a thread or a killed command still has a session on it."""
    yield
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f"{others} AND pid <> pg_backend_pid()")
