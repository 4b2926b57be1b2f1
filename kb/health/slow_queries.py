"""The statements that PostgreSQL spent most time on, as pg_stat_statements counts them; `doctor --queries` lists them.

Values never show: PostgreSQL has replaced them, and statements of which it keeps them are left out.
"""

import re
from dataclasses import dataclass

from django.db import DatabaseError, connection

MOST = 10
LONGEST_TEXT = 300
HOW = (
    "PostgreSQL has to load it (shared_preload_libraries = 'pg_stat_statements'), and a superuser has to run"
    " CREATE EXTENSION pg_stat_statements in this database."
)
STATEMENTS = """
SELECT query, calls, total_exec_time, mean_exec_time
FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query ~* %s
ORDER BY total_exec_time DESC LIMIT %s
"""
# Of commands such as ALTER ROLE, PostgreSQL keeps the values.
PLAIN = r"^\s*(select|insert|update|delete|merge|with)\M"
# Of the request that asked first.
COMMENT = re.compile(r"/\* request [\w-]+ \*/")


@dataclass(frozen=True)
class SlowQuery:
    """A statement without its values, how often it ran, and how long, in milliseconds."""

    statement: str
    calls: int
    total_ms: float
    mean_ms: float


def slow_queries() -> list[SlowQuery]:
    """The ten that took longest in all. Raises `LookupError` where PostgreSQL does not count."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(STATEMENTS, [PLAIN, MOST])
            rows = cursor.fetchall()
    except DatabaseError as error:
        raise LookupError(HOW) from error
    return [SlowQuery(_short(text), calls, round(total, 1), round(mean, 2)) for text, calls, total, mean in rows]


def _short(text: str) -> str:
    """On one line, as far as one reads it."""
    line = " ".join(COMMENT.sub("", text).split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]} ..."
