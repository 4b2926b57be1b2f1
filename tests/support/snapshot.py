"""The real codebook and starter knowledge base for tests, loaded once and then copied in quickly.

The first use loads them inside the test's transaction and keeps every table's rows; later uses, by other processes
and later runs too, copy those rows back (with triggers and keys asleep), so that each test still rolls back to an
empty database. Rows are loaded anew each day, and once anything is changed that they may be made from.
"""

import datetime as dt
import fcntl
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import AutoField

from config.embedded.layout import ROOT
from kb.codebook.load import load_codebook
from kb.services.cause_links import rebuild_cause_links
from kb.starter.load import load_starter
from tests.support.migrated import KEPT, state

Snapshot = dict[str, bytes]


def _tables() -> Iterator[str]:
    for model in apps.get_app_config("kb").get_models(include_auto_created=True):
        if not model._meta.proxy:
            yield model._meta.db_table


@cache
def _columns(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
            "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
            [table],
        )
        return str(cursor.fetchone()[0])


def _dump() -> Snapshot:
    snapshot = {}
    with connection.cursor() as cursor:
        for table in _tables():
            with cursor.copy(f"COPY {table} ({_columns(table)}) TO STDOUT") as copy:
                rows = b"".join(bytes(chunk) for chunk in copy)
            if rows:
                snapshot[table] = rows
    return snapshot


def copy_in(snapshot: Snapshot) -> None:
    """Copy rows into tables that are empty, inside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, rows in snapshot.items():
            with cursor.copy(f"COPY {table} ({_columns(table)}) FROM STDIN") as copy:
                copy.write(rows)
        cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute(_numbers_go_on_after(frozenset(snapshot)))


@cache
def _numbers_go_on_after(tables: frozenset[str]) -> str:
    """New rows must not take ids that were copied in."""
    keys = [
        (model._meta.db_table, model._meta.pk.column)
        for model in apps.get_app_config("kb").get_models(include_auto_created=True)
        if isinstance(model._meta.pk, AutoField) and model._meta.db_table in tables
    ]
    sequences = (
        f"SELECT setval(s, greatest(nextval(s), (SELECT max({key}) FROM {table})))"  # noqa: S608
        f" FROM pg_get_serial_sequence('{table}', '{key}') AS s"
        for table, key in keys
    )
    return " UNION ALL ".join(sequences)


def _once(load: Callable[[], None], name: str) -> Callable[[], Snapshot]:
    """`load`, whose later calls restore what the first one made, in whichever process that was; returns the rows."""

    @cache
    def kept() -> Snapshot:
        return {path.name: path.read_bytes() for path in folder().iterdir()}

    @cache
    def folder() -> Path:
        return KEPT / f"{name}-{dt.date.today()}-{_code()}"

    def load_or_restore() -> Snapshot:
        KEPT.mkdir(parents=True, exist_ok=True)
        with (KEPT / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder().is_dir():
                load()
                _keep(_dump(), folder())
                return kept()
            snapshot = kept()
        copy_in(snapshot)
        return snapshot

    return load_or_restore


def _keep(snapshot: Snapshot, folder: Path) -> None:
    """Write the rows down, in place of those that were made from something else."""
    for other in KEPT.glob(f"{folder.name.partition('-')[0]}-*"):
        shutil.rmtree(other)
    half_made = folder.with_name(f"{folder.name}-half")
    half_made.mkdir()
    for table, rows in snapshot.items():
        (half_made / table).write_bytes(rows)
    half_made.rename(folder)


@cache
def _code() -> str:
    """Stands for all that records are loaded by and from: every file of `kb`, and the packages."""
    files = (path for path in (ROOT / "kb").rglob("*") if path.is_file() and path.suffix != ".pyc")
    return state([*files, ROOT / "requirements" / "dev.txt"])


def _load_starter() -> None:
    load_codebook()
    load_starter()
    rebuild_cause_links()


def _load_codebook() -> None:
    load_codebook()


_codebook = _once(_load_codebook, "codebook")
load_starter_records = _once(_load_starter, "starter")


@pytest.fixture
def codebook(db: None) -> None:
    """The house codebook and the studies' schemes."""
    _codebook()
