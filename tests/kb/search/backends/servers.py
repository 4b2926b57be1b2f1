"""A Postgres with pg_search, which the tests do not bring along: the environment says where one is."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import environ
import psycopg
import pytest
from django.db.utils import ConnectionHandler
from psycopg import sql

from kb.search.backends.pg_search.database import Connect

URL = os.environ.get("PG_SEARCH_URL", "")
# tests/support/servers.py knows this reason.
NEEDED = "needs PG_SEARCH_URL: a superuser's address of a PostgreSQL with pg_search"
OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"


@contextmanager
def database_of_its_own(name: str) -> Iterator[dict[str, Any]]:
    """A new database, as settings that Django connects with; the test is skipped where there is no such server."""
    if not URL:
        pytest.skip(NEEDED)
    name = f"faultbook_{name}_{os.getpid()}"
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield environ.Env.db_url_config(URL) | {"NAME": name}
    finally:
        with psycopg.connect(URL, autocommit=True) as connection:
            connection.execute(OTHERS, [name])
            connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def connecting_to(settings: dict[str, Any]) -> Connect:
    """A session of its own per thread and per call of this: as another process would have."""
    # Not one of Django's `connections`: tests may not touch those that they have not named.
    sessions = ConnectionHandler({"default": settings})
    return lambda: sessions["default"]
