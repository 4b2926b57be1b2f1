"""The starter records stand in the database for as long as tests in a row want them.

Copying them in takes longer than most tests that read them. A test that rolls back undoes its own changes; after one
that commits, the tables that it changed are put right. What the records are is said in `snapshot.py`.
"""

from collections.abc import Iterator, Mapping

import pytest
from django.db import connection, transaction
from django.test import TransactionTestCase
from pytest_django.plugin import blocking_manager_key

from tests.support.emptying import empty_database
from tests.support.snapshot import Snapshot, copy_in, load_starter_records

_standing: list[transaction.Atomic] = []


class Committed:
    """The records as a test committed them: their rows, and by table how many there are and who wrote them."""

    def __init__(self) -> None:
        self.is_wanted_next = False
        self._rows: Snapshot = {}
        self._written: dict[str, tuple[int, str]] = {}

    def __bool__(self) -> bool:
        return bool(self._written)

    def note(self, rows: Snapshot) -> None:
        """They were copied in by the present transaction, which is going to be committed."""
        self._rows, self._written = rows, {}
        self._note_writer(rows)

    def clean(self) -> None:
        """After a test that commits: leave the records as they were if the next one wants them, or nothing at all."""
        if not (self and self.is_wanted_next):
            self._rows, self._written = {}, {}
            empty_database()
            return
        with transaction.atomic():
            empty_database(but=self._written)
            changed = {table: self._rows[table] for table in self._changed()}
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = replica")
                for table in changed:
                    cursor.execute(f"DELETE FROM {table}")  # noqa: S608
            if changed:
                copy_in(changed)
                self._note_writer(changed)

    def _note_writer(self, tables: Mapping[str, bytes]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()::xid::text")
            (writer,) = cursor.fetchone()
            for table in tables:
                cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608
                self._written[table] = (cursor.fetchone()[0], writer)

    def _changed(self) -> list[str]:
        """Tables with a row more or less, or one that somebody else wrote."""
        checks = (
            f"SELECT '{table}' FROM {table} HAVING count(*) <> {rows} OR count(*) FILTER (WHERE xmin = '{writer}') <> {rows}"  # noqa: S608, E501
            for table, (rows, writer) in self._written.items()
        )
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(checks))
            return [table for (table,) in cursor.fetchall()]


_committed = Committed()


def put_up(item: pytest.Item) -> None:
    """Load the records for this test and those that follow; not where the test commits, or there is no database yet."""
    has_database = str(connection.settings_dict["NAME"]).startswith("test_")
    if not has_database:
        return
    with item.config.stash[blocking_manager_key].unblock():
        if _committed and not _commits_records(item):
            # The test that was to have them was skipped.
            _committed.is_wanted_next = False
            _committed.clean()
        if _standing or not _wants(item) or connection.in_atomic_block:
            return
        outer = transaction.atomic()
        outer.__enter__()
        _standing.append(outer)
        try:
            load_starter_records()
        except BaseException:
            _undo()
            raise


def look_ahead(following: pytest.Item | None) -> None:
    """Before a test's fixtures are taken down: will the next test want committed records?"""
    _committed.is_wanted_next = following is not None and _commits_records(following)


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
    return "starter" in getattr(item, "fixturenames", ()) and not _commits(item)


def _commits_records(item: pytest.Item) -> bool:
    return "starter" in getattr(item, "fixturenames", ()) and _commits(item)


def _commits(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    mark = item.get_closest_marker("django_db")
    return "transactional_db" in names or "live_server" in names or bool(mark and mark.kwargs.get("transaction"))


@pytest.fixture
def starter(request: pytest.FixtureRequest, db: None) -> None:
    """The codebook, the curated records and their cause links."""
    if _standing or _committed:
        return
    with transaction.atomic():
        rows = load_starter_records()
        if _commits(request.node):
            _committed.note(rows)


@pytest.fixture(scope="session", autouse=True)
def _quick_emptying() -> Iterator[None]:
    """Tests that commit leave an empty database behind, or the records alone, in little time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: _committed.clean())
        yield
