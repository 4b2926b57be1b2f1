"""Distinguishes a database that is down from a bug of ours; the message for visitors. Pure."""

import psycopg

AWAY = "The database does not answer at the moment. Try again in a few seconds."
RETRY_SECONDS = 5

# SQLSTATE of shutting down, starting up and too many connections; class 08 is about connections.
STATES = ("57P01", "57P02", "57P03", "53300")


def database_is_away(error: BaseException | None) -> bool:
    """Whether the error, or one that it came from, means that the database is down."""
    while error is not None:
        if isinstance(error, psycopg.OperationalError):
            # Without a state nobody answered.
            state = error.sqlstate or ""
            return not state or state in STATES or state.startswith("08")
        error = error.__cause__ or error.__context__
    return False
