"""Locks by name: one session at a time, by keys that another version knows, and gone with whoever held them."""

import threading
from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from kb.services.locks import LockHeldError, LockName, lock_transaction, session_lock, try_lock, unlock, unlock_all

pytestmark = pytest.mark.django_db(transaction=True)

# A key as versions before wrote it: while an upgrade goes on, both must mean the same lock.
KEYS: list[tuple[LockName, str]] = [
    ("study small-labels", "hashtextextended('study small-labels', 0)"),
    (("faultbook", "cause links"), "hashtext('faultbook'), hashtext('cause links')"),
    ((26_871, 7), "26871, 7"),
]


@pytest.fixture
def other() -> Iterator[BaseDatabaseWrapper]:
    """A session of another process."""
    other = connection.copy()
    yield other
    other.close()


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_the_key_of_a_name_stays_what_it_was(other: BaseDatabaseWrapper, name: LockName, key: str) -> None:
    with other.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_lock({key})")
        with pytest.raises(LockHeldError), session_lock(name):
            pass
        cursor.execute(f"SELECT pg_advisory_unlock({key})")
    with session_lock(name), other.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({key})")
        assert cursor.fetchone() == (False,)


def test_a_session_lock_ends_with_its_block_also_by_an_error(other: BaseDatabaseWrapper) -> None:
    with pytest.raises(ZeroDivisionError), session_lock("one"), transaction.atomic():
        raise ZeroDivisionError
    with other.cursor() as cursor:
        assert try_lock(cursor, "one")
        unlock(cursor, "one")
        assert try_lock(cursor, "one")
        unlock_all(cursor)
    with session_lock("one"):
        pass


@pytest.mark.parametrize("wait_seconds", [30.0, None])
def test_a_lock_is_waited_for(other: BaseDatabaseWrapper, wait_seconds: float | None) -> None:
    with other.cursor() as cursor:
        assert try_lock(cursor, "one")
    timer = threading.Timer(0.3, other.connection.close)
    timer.start()
    # The session that held it ends meanwhile.
    with session_lock("one", wait_seconds=wait_seconds):
        timer.join()


def test_a_transaction_holds_its_lock_to_its_end(other: BaseDatabaseWrapper) -> None:
    with other.cursor() as cursor:
        with transaction.atomic(), connection.cursor() as own:
            assert lock_transaction(own, "one")
            assert not lock_transaction(cursor, "one", wait=False)
        assert lock_transaction(cursor, "one", wait=False)


def test_a_session_that_is_shared_by_transaction_holds_no_lock(settings: Settings) -> None:
    settings.DATABASE_POOL = "transaction"
    with pytest.raises(ImproperlyConfigured, match="needs a session"), session_lock("tests of locks"):
        pass
