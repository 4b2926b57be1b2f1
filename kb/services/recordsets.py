"""Writing many rows with one SQL statement that takes them as JSON."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import psycopg
from django.db import connection, models

# A row as JSON; its keys are columns of the statement that takes it.
JsonRow = Mapping[str, Any]


class DefaultColumn(NamedTuple):
    """A column with its model's default value, and a placeholder for it in SQL."""

    name: str
    cast: str
    value: Any


def default_columns(model: type[models.Model], given: Collection[str]) -> list[DefaultColumn]:
    """The model's columns that a statement has to fill beside the given ones."""
    columns = []
    for field in model._meta.concrete_fields:
        if not (field.primary_key or field.generated or field.column in given):
            value = field.get_db_prep_save(field.get_default(), connection)
            columns.append(DefaultColumn(str(field.column), f"%s::{field.db_type(connection)}", value))
    return columns


def record(columns: Mapping[str, str]) -> str:
    """The columns (name to type) as the definition of a record."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def listed(columns: Mapping[str, str], prefix: str = "") -> str:
    """The columns' names, separated by commas, each with the prefix."""
    return ", ".join(f"{prefix}{name}" for name in columns)


def as_json(rows: Sequence[JsonRow]) -> str:
    """Rows as a parameter of `json_to_recordset`."""
    return orjson.dumps(rows).decode()


def run(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement in the current transaction and return its rows.

    Parameters are bound by the server: Django's cursor would write megabytes of texts into the statement, escape them
    here and have them parsed there.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []
