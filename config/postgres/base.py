"""Django's connection to PostgreSQL, whose statements name the request that they are for.

So a slow one in PostgreSQL's log or in pg_stat_activity has an owner. A comment costs no round trip, as
`SET application_name` does, and Django prepares no statements that it would break.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

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


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection; Django finds it by this name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers.append(named)
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            from config.telemetry.tracing import statement

            self.execute_wrappers.insert(0, statement)
