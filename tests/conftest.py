"""Fixtures for every test. Servers are started by `servers.py`; data is in `snapshot.py`, search in `engines.py`.

What tests commit is deleted by `emptying.py` and `standing.py`.
"""

from collections.abc import Iterator

import hypothesis
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from config.cache import OUTAGE
from kb.search import names
from labeling.selectors.codebooks import frozen_axes
from labeling.web.work.axes import axes_markup
from tests.support.engines import put_issues_in, search_in_postgres, search_index
from tests.support.pg_search import pg_search_url
from tests.support.servers import TEST_DATABASE
from tests.support.snapshot import codebook
from tests.support.standing import _quick_emptying, look_ahead, put_up, starter, take_down

__all__ = [
    "_quick_emptying", "codebook", "pg_search_url", "put_issues_in", "search_in_postgres", "search_index", "starter",
]  # fmt: skip

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("calm", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("calm")

# Tests are shared out by file in this order; a long file that began last would be waited for by everybody.
LONGEST_FIRST = (
    # They run event loops of their own, which a process can no longer do once it has driven a browser.
    "tests/kb/mcp/",
    "tests/client/test_mcp.py",
    "tests/docs/test_agents.py",
    "tests/docs/test_curl.py",
    "tests/drills/test_mcp.py",
    "tests/labeling/permissions/test_blindness.py",
    "tests/e2e/test_focus.py",
    "tests/test_ways_out.py",
    "tests/labeling/permissions/",
    "tests/ingest/sync/test_faults.py",
    "tests/ingest/sync/test_kills.py",
    "tests/test_running.py",
    "tests/ingest/sync/test_gitee.py",
    "tests/e2e/test_accessibility",
    "tests/e2e/test_layout_shift.py",
    "tests/drills/test_servers_away.py",
    "tests/relevance/test_relevance.py",
    "tests/e2e/test_search.py",
    "tests/ingest/test_reproductions.py",
    "tests/ingest/test_audited_sets.py",
    "tests/e2e/",
    "tests/drills/",
    "tests/ingest/sync/",
    "tests/relevance/",
    "tests/contracts/",
    "tests/kb/search/backends/",
    "tests/kb/search/indexing/",
    "tests/ingest/test_interrupted_imports.py",
    "tests/labeling/test_thirty_annotators.py",
    "tests/labeling/demo/",
    "tests/kb/search/test_search.py",
    "tests/labeling/results/",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; within a file nothing changes."""
    items.sort(key=lambda item: _place(item.nodeid))


def _place(nodeid: str) -> int:
    places = (place for place, start in enumerate(LONGEST_FIRST) if nodeid.startswith(start))
    return next(places, len(LONGEST_FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture of a test: what several tests share is put up."""
    put_up(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After every fixture of a test: what the next one does not want is taken down."""
    look_ahead(nextitem)
    try:
        return (yield)
    finally:
        take_down(item, nextitem)


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """No test sees what another one cached; where tables were cut off, ids come again, which they never do outside."""
    # Nor an outage that an earlier test made: it would end half-way through this one, and what was kept with it.
    OUTAGE._until = 0.0
    cache.clear()
    names.forget()
    frozen_axes.cache_clear()
    axes_markup.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Passwords are hashed in no time; the product takes a good second of work for each."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session")
def django_db_setup(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database: our own server has it; on another one it is made, and dropped in the end.

    Dropped even if a thread or a killed command still has a session on it.
    """
    if connection.settings_dict["NAME"] == TEST_DATABASE:
        yield
        return
    request.getfixturevalue("django_db_setup")
    yield
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f"{others} AND pid <> pg_backend_pid()")
