"""Writes the tables of a dump: JSON lines, Parquet and one SQLite file, in memory that does not grow with the tables.

The same rows give the same bytes: rows have an order, DuckDB one thread, SQLite one transaction per table.
"""

import datetime as dt
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import orjson
from django.db import connection

from kb.exports.dumps.table import Column, Row, Table
from kb.exports.parquet import SETTINGS, SQL_TYPES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BATCH = 2_000
LEVEL = 9
SQLITE_TYPES = {"integer": "INTEGER", "boolean": "INTEGER", "number": "REAL"}
MEMORY: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "200MB", "preserve_insertion_order": True}


def write_tables(tables: Sequence[Table], folder: Path) -> dict[str, int]:
    """Write each table below `folder`, and all into `faultbook.sqlite`; the number of rows by table.

    What the tables say belongs together: the caller has begun a transaction that sees one state.
    """
    counts = {}
    for kind in ("jsonl", "parquet"):
        (folder / kind).mkdir()
    with closing(sqlite3.connect(folder / "faultbook.sqlite", isolation_level=None)) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096;")
        for table in tables:
            counts[table.name] = _write_table(table, folder, database)
        database.execute("VACUUM")
    return counts


def _write_table(table: Table, folder: Path, database: sqlite3.Connection) -> int:
    names = [column.name for column in table.columns]
    types = [column.type for column in table.columns]
    lines = folder / "jsonl" / f"{table.name}.jsonl.zst"
    insert = _create(table, database)
    count = 0
    with zstd.open(lines, "wb", level=LEVEL) as file:
        for rows in _batches(table):
            values = [list(map(_json_value, row, types)) for row in rows]
            file.write(b"".join(orjson.dumps(dict(zip(names, row, strict=True))) + b"\n" for row in values))
            database.executemany(insert, [list(map(_sqlite_value, row)) for row in values])
            count += len(rows)
    if not count:
        # Nothing written is no file of zstd's yet.
        lines.write_bytes(zstd.compress(b""))
    if table.searched:
        database.execute(f"INSERT INTO [{table.name}_fts] ([{table.name}_fts]) VALUES ('rebuild')")  # noqa: S608
    database.execute("COMMIT")
    _write_parquet(table, lines, folder / "parquet" / f"{table.name}.parquet")
    return count


def _batches(table: Table) -> Iterator[list[Row]]:
    if not isinstance(table.rows, str):
        yield list(table.rows())
        return
    with connection.chunked_cursor() as cursor:
        cursor.execute(table.rows)
        while rows := cursor.fetchmany(BATCH):
            yield rows


def _json_value(value: Any, kind: str) -> Any:
    """The value as JSON has it; an empty text is not stated, moments are in UTC to the second."""
    if value == "":
        return None
    if kind == "object" and isinstance(value, str):
        return orjson.loads(value)
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, dt.datetime) else value


def _sqlite_value(value: Any) -> Any:
    """The value as SQLite has it: lists and JSON as text, which Datasette counts by, too."""
    if isinstance(value, (list, dict)):
        return orjson.dumps(value).decode()
    return value.isoformat() if isinstance(value, dt.date) else value


def _create(table: Table, database: sqlite3.Connection) -> str:
    """Make the empty table and its full text; the statement that inserts a row."""
    columns = ", ".join(f"[{column.name}] {SQLITE_TYPES.get(column.type, 'TEXT')}" for column in table.columns)
    database.execute("BEGIN")
    database.execute(f"CREATE TABLE [{table.name}] ({columns})")
    for name in (*table.facets, *_keys(table.columns)):
        database.execute(f"CREATE INDEX [{table.name}_{name}] ON [{table.name}] ([{name}])")
    if table.searched:
        names = ", ".join(f"[{name}]" for name in table.searched)
        database.execute(f"CREATE VIRTUAL TABLE [{table.name}_fts] USING fts5 ({names}, content = [{table.name}])")
    places = ", ".join("?" * len(table.columns))
    return f"INSERT INTO [{table.name}] VALUES ({places})"  # noqa: S608


def _keys(columns: Iterable[Column]) -> list[str]:
    return [column.name for column in columns if column.name in ("public_id", "issue", "url")]


def _write_parquet(table: Table, lines: Path, target: Path) -> None:
    types = {column.name: SQL_TYPES[column.type] for column in table.columns}
    with duckdb.connect(config={**SETTINGS, **MEMORY}) as database:
        rows = database.read_json(
            str(lines), format="newline_delimited", compression="zstd", columns=types, maximum_object_size=2**26
        )
        rows.write_parquet(str(target), compression="zstd", row_group_size=20_000)
