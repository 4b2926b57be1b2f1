"""The real codebook and starter knowledge base for tests, loaded once and then copied in quickly.

The first use loads them inside the test's transaction and keeps every table's rows in memory; later uses
copy those rows back (with triggers and keys asleep), so that each test still rolls back to an empty database.
"""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import AutoField

from kb.codebook.load import load_codebook
from kb.services.cause_links import rebuild_cause_links
from kb.starter.load import load_starter

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


def _restore(snapshot: Snapshot) -> None:
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


def _once(load: Callable[[], None]) -> Callable[[], None]:
    """`load`, whose second and later calls restore what the first one made."""

    @cache
    def first() -> Snapshot:
        load()
        return _dump()

    def again() -> None:
        if first.cache_info().currsize:
            _restore(first())
        else:
            first()

    return again


def _load_starter() -> None:
    load_codebook()
    load_starter()
    rebuild_cause_links()


def _load_codebook() -> None:
    load_codebook()


_codebook = _once(_load_codebook)
load_starter_records = _once(_load_starter)


@pytest.fixture
def codebook(db: None) -> None:
    """The house codebook and the studies' schemes."""
    _codebook()
