"""Names the request in each statement to PostgreSQL, so that a slow one in its log or in pg_stat_activity has an owner.

A comment costs no round trip, as `SET application_name` does, and Django prepares no statements that it would break.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from kb.http.request_ids import current

# The name comes behind it: what stands first decides for pghistory, and pg_stat_activity cuts long statements off.
FIRST_WORD = re.compile(r"[\s(]*\w+")


def named(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Django's execute wrapper."""
    request = current()
    word = FIRST_WORD.match(sql) if request and isinstance(sql, str) else None
    if word:
        sql = f"{word[0]} /* request {request} */{sql[word.end() :]}"
    return execute(sql, params, many, context)


def name_statements(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """For each connection that is opened; a connection may be opened again."""
    if named in connection.execute_wrappers:
        return
    # In front: who opened it may be within `execute_wrapper`, which takes the last one off at its end.
    connection.execute_wrappers.insert(0, named)
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        from config.telemetry.tracing import statement

        connection.execute_wrappers.insert(0, statement)


def name_all() -> None:
    """Do so in this process."""
    connection_created.connect(name_statements)
