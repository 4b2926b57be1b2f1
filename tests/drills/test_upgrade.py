"""A database of each release is brought to the present and served. `release_dump` makes the files, one a release.

The release's code may still run meanwhile. It is not here, but it sends statements that name the tables and columns it
knows: such statements are sent while the migrations run, and what an INSERT would lack is read off the new tables.
"""

import lzma
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from config.embedded.postgres import COUNT_STATEMENTS
from tests.drills.served import Served, served
from tests.support.catalog import catalog

DATA = Path(__file__).parent / "data"
RELEASES = sorted(path.name.removesuffix(".sql.xz") for path in DATA.glob("faultbook-*.sql.xz"))
PAGES = ("/", "/codebook/", "/issues/?q=hang", "/explore/", "/labeling/demo/", "/api/v1/issues/")
COUNTS = """
SELECT (SELECT count(*) FROM kb_issue), (SELECT count(*) FROM labeling_vote), (SELECT count(*) FROM labeling_release)
"""
ROWS = {"faultbook-0.2.0": (83, 13, 1)}

COLUMNS = """
SELECT table_name, array_agg(column_name::text), array_agg(data_type::text) FROM information_schema.columns
WHERE table_schema = 'public' AND table_name IN
    (SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE') GROUP BY table_name
"""
NEEDED = """
SELECT table_name, column_name::text FROM information_schema.columns WHERE table_schema = 'public'
    AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER'
"""
# On an idle machine no statement waits for a second.
PATIENCE = "-c lock_timeout=60s"
# What a release's code can do no longer once its database is migrated. Later releases get empty sets: what goes is left
# unused for one release first, and what is new may be left out of an INSERT.
NO_LONGER_READ = {"faultbook-0.2.0": {"kb_searchchange", "kb_searchindexer", "labeling_publication"}}
NO_LONGER_WRITTEN = {
    "faultbook-0.2.0": {
        "ingest_cursor.label_marks", "ingest_cursor.looks", "kb_searchbuild.host_id", "labeling_projectaxis.kind",
        "labeling_staffaction.scope",
    }
}  # fmt: skip

pytestmark = pytest.mark.drill("an existing database upgrades and serves")


@dataclass
class Statements:
    """What a release's code reads while somebody migrates, and how that went."""

    url: str
    tables: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    rounds: int = 0

    @contextmanager
    def sent(self) -> Iterator[None]:
        """For the time of a block."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.tables = {name: (columns, types) for name, columns, types in connection.execute(COLUMNS)}
        done = threading.Event()
        reader = threading.Thread(target=self._send, args=[done])
        reader.start()
        try:
            yield
        finally:
            done.set()
            reader.join()

    def _send(self, done: threading.Event) -> None:
        with psycopg.connect(self.url, autocommit=True, options=PATIENCE) as connection:
            while not done.is_set() or not self.rounds:
                for table, (columns, _) in self.tables.items():
                    names = sql.SQL(", ").join(map(sql.Identifier, columns))
                    try:
                        connection.execute(sql.SQL("SELECT {} FROM {} LIMIT 1").format(names, sql.Identifier(table)))
                    except psycopg.Error:
                        self.refused.add(table)
                self.rounds += 1
                # The migrations need the processor, too.
                done.wait(0.2)

    def no_longer_written(self) -> set[str]:
        """Columns that an INSERT of the release lacks and must have, or whose type is another one."""
        with psycopg.connect(self.url) as connection:
            needed = connection.execute(NEEDED).fetchall()
            now = {name: dict(zip(columns, types, strict=True)) for name, columns, types in connection.execute(COLUMNS)}
        lacking = {
            f"{table}.{column}" for table, column in needed if column not in self.tables.get(table, ([column],))[0]
        }
        others = {
            f"{table}.{column}"
            for table, (columns, types) in self.tables.items()
            for column, kind in zip(columns, types, strict=True)
            if now.get(table, {}).get(column, kind) != kind
        }
        return lacking | others


@dataclass(frozen=True)
class Upgraded:
    """A site on a migrated database, and how the release's code fared."""

    release: str
    site: Served
    old: Statements


@pytest.fixture(scope="module", params=RELEASES)
def upgraded(request: pytest.FixtureRequest, database: Path) -> Iterator[Upgraded]:
    with served(database) as site:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            connection.execute(lzma.decompress((DATA / f"{request.param}.sql.xz").read_bytes()))
        # As the embedded server does at each start.
        site.postgres.query(COUNT_STATEMENTS)
        old = Statements(site.postgres.url())
        with old.sent():
            site.manage("migrate", "--verbosity", "0")
        yield Upgraded(request.param, site, old)


def test_the_schema_is_that_of_a_new_database(upgraded: Upgraded, database: Path) -> None:
    with served(database) as fresh:
        assert catalog(upgraded.site.postgres.url()) == catalog(fresh.postgres.url())


def test_the_code_of_the_release_reads_on_while_it_is_migrated(upgraded: Upgraded) -> None:
    assert upgraded.old.rounds > 1
    assert upgraded.old.refused == NO_LONGER_READ[upgraded.release]


def test_the_code_of_the_release_writes_on_afterwards(upgraded: Upgraded) -> None:
    assert upgraded.old.no_longer_written() == NO_LONGER_WRITTEN[upgraded.release]


def test_its_rows_are_kept_and_served(upgraded: Upgraded) -> None:
    site = upgraded.site
    site.manage("load_codebook")
    statuses = {path: site.ask(path)[0] for path in PAGES}
    assert statuses == {path: 302 if path.startswith("/labeling") else 200 for path in PAGES}
    with psycopg.connect(site.postgres.url()) as connection:
        assert connection.execute(COUNTS).fetchone() == ROWS[upgraded.release]
