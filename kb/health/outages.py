"""Telling a database that is away from a fault of our own, and what visitors are told. Pure."""

import psycopg

AWAY = "The database does not answer at the moment. Try again in a few seconds."
RETRY_SECONDS = 5

# Shutting down, starting up, too many connections; class 08 is about connections. Without a state nobody answered.
STATES = ("57P01", "57P02", "57P03", "53300")


def database_is_away(error: BaseException | None) -> bool:
    """Did the database not answer at all? Looks at what the error came from, too."""
    while error is not None:
        if isinstance(error, psycopg.OperationalError):
            state = error.sqlstate or ""
            return not state or state in STATES or state.startswith("08")
        error = error.__cause__ or error.__context__
    return False
