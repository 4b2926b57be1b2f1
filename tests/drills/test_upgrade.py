"""A database of each release is brought to the present and served. `release_dump` makes the files, one a release."""

import lzma
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.drills.served import Served, served
from tests.support.catalog import catalog

RELEASES = sorted((Path(__file__).parent / "data").glob("faultbook-*.sql.xz"))
PAGES = ("/", "/codebook/", "/issues/?q=hang", "/explore/", "/labeling/demo/", "/api/v1/issues/")
COUNTS = """
SELECT (SELECT count(*) FROM kb_issue), (SELECT count(*) FROM labeling_vote), (SELECT count(*) FROM labeling_release)
"""
ROWS = {"faultbook-0.2.0": (83, 13, 1)}

pytestmark = pytest.mark.drill("an existing database upgrades and serves")


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param.name).removesuffix(".sql.xz")


@pytest.fixture(scope="module")
def upgraded(database: Path, release: str) -> Iterator[Served]:
    with served(database) as site:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            dump = Path(__file__).parent / "data" / f"{release}.sql.xz"
            connection.execute(lzma.decompress(dump.read_bytes()))
        site.manage("migrate", "--verbosity", "0")
        yield site


def test_the_schema_is_that_of_a_new_database(upgraded: Served, database: Path) -> None:
    with served(database) as fresh:
        assert catalog(upgraded.postgres.url()) == catalog(fresh.postgres.url())


def test_its_rows_are_kept_and_served(upgraded: Served, release: str) -> None:
    upgraded.manage("load_codebook")
    statuses = {path: upgraded.ask(path)[0] for path in PAGES}
    assert statuses == {path: 302 if path.startswith("/labeling") else 200 for path in PAGES}
    with psycopg.connect(upgraded.postgres.url()) as connection:
        assert connection.execute(COUNTS).fetchone() == ROWS[release]
