"""The connection that this engine works on, and its failures as the one error that callers of an engine know."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from django.db import Error
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from kb.core.search.backend import EngineUnavailableError
from kb.search.backends.pg_search.schema import ROWS, Manifest, fingerprint, read_manifest

# The calling thread's connection.
Connect = Callable[[], BaseDatabaseWrapper]


@contextmanager
def asking(connect: Connect) -> Iterator[CursorWrapper]:
    """A cursor to read with. What fails spoils no transaction that the caller may be in."""
    with _failures_told("The search tables cannot be read"):
        connection = connect()
        with connection.cursor() as cursor, _block(connection) if not connection.get_autocommit() else nullcontext():
            yield cursor


@contextmanager
def writing(connect: Connect) -> Iterator[CursorWrapper]:
    """A cursor to write with, in a transaction of its own."""
    with _failures_told("The search tables cannot be written"):
        connection = connect()
        with connection.cursor() as cursor, _block(connection):
            yield cursor


def check_tables(cursor: CursorWrapper) -> None:
    """Raise EngineUnavailableError unless the tables are there and of this version."""
    manifest = manifest_of(cursor, ROWS)
    if manifest is None:
        raise EngineUnavailableError("There is no search index yet.")
    if manifest.fingerprint != fingerprint():
        raise EngineUnavailableError("The search index was made by another version of the program.")
    cursor.execute("SELECT to_regclass(%s)", [f"{ROWS}_bm25"])
    if cursor.fetchone()[0] is None:
        # It goes with the extension, while the tables stay.
        raise EngineUnavailableError("The search tables have lost their index.")


def manifest_of(cursor: CursorWrapper, table: str) -> Manifest | None:
    """What the table was made with; None when there is no such table."""
    cursor.execute("SELECT obj_description(to_regclass(%s), 'pg_class')", [table])
    return read_manifest(cursor.fetchone()[0])


@contextmanager
def _block(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """A transaction, or a savepoint within one; Django's own would only know connections by an alias."""
    with connection.wrap_database_errors, connection.connection.transaction():
        yield


@contextmanager
def _failures_told(what: str) -> Iterator[None]:
    try:
        yield
    except Error as error:
        raise EngineUnavailableError(f"{what}: {str(error).strip().splitlines()[0][:300]}") from error
