"""A database from before the migrations were made anew goes on: it is brought up to date and served.

The file is a dump of commit 16dc06f with the codebook, some records and the demo project.
"""

import lzma
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.drills.served import Served, served
from tests.support.catalog import catalog

BEFORE = Path(__file__).parent / "data" / "database-before-0027.sql.xz"
PAGES = ("/", "/codebook/", "/issues/?q=hang", "/explore/", "/labeling/demo/", "/api/v1/issues/")

pytestmark = pytest.mark.drill("an existing database upgrades and serves")


@pytest.fixture(scope="module")
def upgraded(database: Path) -> Iterator[Served]:
    with served(database) as site:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            connection.execute(lzma.decompress(BEFORE.read_bytes()))
        site.manage("migrate", "--verbosity", "0")
        yield site


def test_the_schema_is_that_of_a_new_database(upgraded: Served, database: Path) -> None:
    with served(database) as fresh:
        assert catalog(upgraded.postgres.url()) == catalog(fresh.postgres.url())


def test_its_rows_are_kept_and_served(upgraded: Served) -> None:
    upgraded.manage("load_codebook")
    statuses = {path: upgraded.ask(path)[0] for path in PAGES}
    assert statuses == {path: 302 if path.startswith("/labeling") else 200 for path in PAGES}
    with psycopg.connect(upgraded.postgres.url()) as connection:
        counts = connection.execute("SELECT (SELECT count(*) FROM kb_issue), (SELECT count(*) FROM labeling_vote)")
        assert counts.fetchone() == (60, 13)
