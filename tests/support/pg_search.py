"""A PostgreSQL with pg_search: the one at PG_SEARCH_URL, a superuser's address, or one started out of a wheel."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import environ
import psycopg
import pytest
from django.db.utils import ConnectionHandler
from psycopg import sql

from config.embedded.postgres import DATABASE, SETTINGS, THROWAWAY, Postgres
from kb.search.backends.pg_search.database import Connect
from tests.support.wheels import NotInstalledError, Package, installed

PACKAGE = Package("pg_search", "")
OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
NEWER = {"io_method"}  # a setting that PostgreSQL 17 does not know


class PgSearchPostgres(Postgres):
    """PostgreSQL 17 with pg_search and nothing of the product in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "postgres", folder / "postgres.log", throwaway=True)
        self.programs = installed(PACKAGE) / "pgembed" / "pginstall" / "bin"
        known = {name: value for name, value in {**SETTINGS, **THROWAWAY}.items() if name not in NEWER}
        self.settings = {**known, "shared_preload_libraries": "pg_search"}

    def check_version(self) -> None:
        """It is always new."""

    def query(self, sql: str, database: str = DATABASE) -> str:
        """By the driver: the wheel's psql crashes."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            return str(connection.execute(sql.encode()).statusmessage)


@contextmanager
def pg_search_server() -> Iterator[str]:
    """The address of the server. Raises `NotInstalledError` where there is none."""
    if named := os.environ.get("PG_SEARCH_URL", ""):
        yield named
        return
    with tempfile.TemporaryDirectory(prefix="faultbook-pg-search-") as folder:
        server = PgSearchPostgres(Path(folder).resolve())
        server.start()
        try:
            yield server.url("postgres")
        finally:
            server.stop()


@pytest.fixture(scope="session")
def pg_search_url() -> Iterator[str]:
    """A superuser's address of a PostgreSQL with pg_search."""
    try:
        with pg_search_server() as url:
            yield url
    except NotInstalledError as reason:
        # tests/support/servers.py knows this reason.
        pytest.skip(f"no PostgreSQL with pg_search: {reason}")


@contextmanager
def database_of_its_own(url: str, name: str) -> Iterator[dict[str, Any]]:
    """A new database of that server, as settings that Django connects with."""
    name = f"faultbook_{name}_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield environ.Env.db_url_config(url) | {"NAME": name}
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(OTHERS, [name])
            connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def connecting_to(settings: dict[str, Any]) -> Connect:
    """A session of its own per thread and per call of this: as another process would have."""
    # Not one of Django's `connections`: tests may not touch those that they have not named.
    sessions = ConnectionHandler({"default": settings})
    return lambda: sessions["default"]
