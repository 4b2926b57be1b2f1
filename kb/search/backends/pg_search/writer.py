"""Writes the tables: changes to those in use, and whole new ones beside them.

How far new tables are filled is written in the same transaction as their rows, so that a killed build goes on exactly
where it was.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db import InterfaceError
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from kb.core.search.backend import EngineUnavailableError, Prepared
from kb.core.search.values import Document
from kb.search.backends.pg_search import words
from kb.search.backends.pg_search.database import Connect, asking, check_tables, manifest_of, writing
from kb.search.backends.pg_search.reader import product_database
from kb.search.backends.pg_search.schema import (
    COLUMNS,
    NEXT,
    ROWS,
    Manifest,
    drop_tables,
    fingerprint,
    make_index,
    make_tables,
    rename_tables,
    row,
)
from kb.services.locks import require_session, try_lock, unlock

LOCK = ("faultbook", "search tables")
# pg_search makes an index with no less.
LEAST_MEGABYTES = 64
NO_EXTENSION = (
    "PostgreSQL lacks the extension pg_search. Install it, name it in shared_preload_libraries, and have a superuser "
    "run CREATE EXTENSION pg_search."
)


class PgSearchIndex:
    """The written side: one process at a time, from its first call until `close` or the end of its connection."""

    def __init__(self, memory_mb: int, connect: Connect = product_database) -> None:
        self._connect = connect
        self._memory_mb = max(memory_mb, LEAST_MEGABYTES)
        self._held_by: Any = None

    def prepare(self, document: Document) -> Prepared:
        """The document itself, of which it is then known that a row can be made."""
        row(document)
        return document.id, document

    def apply(self, documents: Iterable[Document], gone: Iterable[int]) -> None:
        """Replace documents and remove ids, all at once or not at all."""
        with asking(self._connect) as cursor:
            check_tables(cursor)
        self._take_lock()
        with writing(self._connect) as cursor:
            write(cursor, "", documents, gone)

    def build(self, *, fresh: bool = False) -> "PgSearchBuild":
        """Go on with the tables that were begun; start some from nothing if there are none, or if `fresh`."""
        self._take_lock()
        self._prepare()
        return PgSearchBuild(self._connect, self._memory_mb, fresh=fresh)

    def close(self) -> None:
        """Let another process write."""
        session = self._connect().connection
        # The end of a session ends its lock.
        if session is not None and session is self._held_by and not session.closed:
            with asking(self._connect) as cursor:
                unlock(cursor, LOCK)
        self._held_by = None

    def _take_lock(self) -> None:
        with asking(self._connect) as cursor:
            # The lock goes with the connection, and Django may have opened another one.
            session = self._connect().connection
            if session is None:
                raise InterfaceError("The connection is closed.")
            if self._held_by is session:
                return
            require_session(cursor)
            if not try_lock(cursor, LOCK):
                raise EngineUnavailableError("Another process is writing the search index.")
            self._held_by = session

    def _prepare(self) -> None:
        """Have the extension, made here if this account may."""
        with asking(self._connect) as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'pg_search'")
            is_there = bool(cursor.fetchone()[0])
        if is_there:
            return
        try:
            with writing(self._connect) as cursor:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_search")
        except EngineUnavailableError as error:
            raise EngineUnavailableError(f"{NO_EXTENSION} ({error})") from error


class PgSearchBuild:
    """Tables under construction. They get their index in the end: made at once, it is smaller and sooner done."""

    def __init__(self, connect: Connect, memory_mb: int, *, fresh: bool) -> None:
        self._connect = connect
        self._memory_mb = memory_mb
        with writing(connect) as cursor:
            begun = None if fresh else manifest_of(cursor, ROWS + NEXT)
            if begun is None or begun.fingerprint != fingerprint():
                begun = Manifest(fingerprint())
                cursor.execute(drop_tables(NEXT))
                cursor.execute(make_tables(NEXT))
                _note(cursor, begun)
        self._manifest = begun
        self.last_id = begun.last_id

    def add(self, documents: Iterable[Prepared], last_id: int) -> None:
        """Add documents for good; a document that is in already is replaced."""
        manifest = replace(self._manifest, last_id=max(self.last_id, last_id))
        with writing(self._connect) as cursor:
            write(cursor, NEXT, [row for _, row in documents], ())
            _note(cursor, manifest)
        self._manifest, self.last_id = manifest, manifest.last_id

    def size(self) -> int:
        """How many rows the new tables hold."""
        with asking(self._connect) as cursor:
            cursor.execute(f"SELECT count(*) FROM {ROWS}{NEXT}")  # noqa: S608
            return int(cursor.fetchone()[0])

    def finish(self) -> None:
        """Make the index, and put the new tables in the place of those in use."""
        with writing(self._connect) as cursor:
            cursor.execute("SELECT set_config('maintenance_work_mem', %s, true)", [f"{self._memory_mb}MB"])
            cursor.execute(make_index(NEXT))
        with asking(self._connect) as cursor:
            cursor.execute(f"ANALYZE {ROWS}{NEXT}")
        with writing(self._connect) as cursor:
            cursor.execute(rename_tables())


def write(cursor: CursorWrapper, ending: str, documents: Iterable[Document], gone: Iterable[int]) -> None:
    """Replace documents and remove ids; of two documents with one id the last one counts."""
    kept = {document.id: document for document in documents}
    rows = [row(document) for document in kept.values()]
    replaced = sorted({*kept, *gone})
    words.change(cursor, ending, words.gained(kept.values()), words.lost(cursor, ending, replaced))
    cursor.execute(f"DELETE FROM {ROWS}{ending} WHERE id = ANY (%s)", [replaced])  # noqa: S608
    columns = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
    # One statement for all of them: each makes a segment of the index.
    with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(ROWS + ending), columns)) as copy:
        for values in rows:
            copy.write_row(values)


def _note(cursor: CursorWrapper, manifest: Manifest) -> None:
    table = sql.Identifier(ROWS + NEXT)
    cursor.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(table, sql.Literal(manifest.written())))
