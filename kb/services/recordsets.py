"""Writing many rows by one statement that takes them as JSON: the texts of SQL that this needs. Columns are ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import psycopg
from django.db import connection


def record(columns: Mapping[str, str]) -> str:
    """The columns (name to type) as the definition of a record."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def listed(columns: Mapping[str, str], prefix: str = "") -> str:
    """The columns' names, separated by commas, each after the prefix."""
    return ", ".join(f"{prefix}{name}" for name in columns)


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as the parameter that `json_to_recordset` takes."""
    return orjson.dumps(rows).decode()


def run(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement within the transaction and return its rows, if it has any.

    Its parameters, megabytes of texts, travel apart from it; Django would write them into the statement, where they
    are escaped here and read through once more there.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []
