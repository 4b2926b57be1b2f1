"""The starter records stand in the database for as long as tests in a row want them; each test undoes its own changes.

Copying them in takes longer than most tests that read them. What the records are is said in `snapshot.py`.
"""

import pytest
from django.db import connection, transaction
from pytest_django.plugin import blocking_manager_key

from tests.support.snapshot import load_starter_records

_standing: list[transaction.Atomic] = []


def put_up(item: pytest.Item) -> None:
    """Load the records for this test and those that follow; not where the test commits, or there is no database yet."""
    has_database = str(connection.settings_dict["NAME"]).startswith("test_")
    if _standing or not has_database or not _wants(item):
        return
    with item.config.stash[blocking_manager_key].unblock():
        if connection.in_atomic_block:
            return
        outer = transaction.atomic()
        outer.__enter__()
        _standing.append(outer)
        try:
            load_starter_records()
        except BaseException:
            _undo()
            raise


def take_down(item: pytest.Item, following: pytest.Item | None) -> None:
    """Undo them, unless the next test wants them too."""
    if not _standing or (following is not None and _wants(following)):
        return
    with item.config.stash[blocking_manager_key].unblock():
        _undo()


def _undo() -> None:
    transaction.set_rollback(True)
    _standing.pop().__exit__(None, None, None)


def _wants(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    mark = item.get_closest_marker("django_db")
    commits = "transactional_db" in fixtures or "live_server" in fixtures
    return "starter" in fixtures and not commits and not (mark and mark.kwargs.get("transaction"))


@pytest.fixture
def starter(db: None) -> None:
    """The codebook, the curated records and their cause links."""
    if not _standing:
        load_starter_records()
