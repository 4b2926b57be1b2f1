"""A time limit for statements that only read. What is asked for beyond the results must never cost the results."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled


class TooLateError(Exception):
    """A statement took longer than it may; the transaction around it goes on."""


@contextmanager
def at_most(milliseconds: int) -> Iterator[None]:
    """Each statement within may take so long. Raises `TooLateError`. Nothing may be written within: it is undone."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
            yield
            # Where there is a transaction around this one, the limit would hold until that one's end.
            transaction.set_rollback(True)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooLateError from error
        raise
