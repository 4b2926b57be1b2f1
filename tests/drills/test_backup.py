"""A site is filled, backed up, destroyed and restored: every row, every sequence, search and releases are as before."""

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from kb.backup.dump import LOGGED_TABLES
from kb.backup.manifest import DUMP, MANIFEST
from kb.health.checks import EXTENSIONS
from tests.drills.filled import fill
from tests.drills.served import Served, served

SEARCH = "/api/v1/search/?q=hang"
HASH = "SELECT md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM {} AS t"
COUNT = "SELECT count(*) FROM {}"
SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1"
RELEASES = "SELECT sha256, archive FROM labeling_release"
# Rows are written to these while the backup is made, always to both.
WRITTEN = ("drill_one", "drill_other")

pytestmark = pytest.mark.drill("a backup brings a destroyed database back")


class Destroyed:
    """A site that was filled, backed up while rows were written, emptied and restored; and how it was before."""

    def __init__(self, site: Served) -> None:
        self.site = site
        fill(site)
        site.manage("run_indexer", "--once")
        self.before, self.found_before = hashes(site), found(site)
        with writing(site):
            self.said = site.manage("backup", str(site.folder / "backups"))
        (self.backup,) = (site.folder / "backups").iterdir()
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        site.manage("restore", str(self.backup))


@pytest.fixture(scope="module")
def destroyed(database: Path) -> Iterator[Destroyed]:
    with served(database) as site:
        yield Destroyed(site)


@contextmanager
def writing(site: Served) -> Iterator[None]:
    """For the time of a block."""
    done, begun = threading.Event(), threading.Event()

    def write() -> None:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            while not done.is_set():
                with connection.transaction():
                    for table in WRITTEN:
                        connection.execute(f"INSERT INTO {table} DEFAULT VALUES")
                begun.set()

    with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
        for table in WRITTEN:
            connection.execute(f"CREATE TABLE {table} (at timestamptz DEFAULT now())")
    writer = threading.Thread(target=write)
    writer.start()
    begun.wait(30)
    try:
        yield
    finally:
        done.set()
        writer.join()


def hashes(site: Served) -> dict[str, str]:
    """Of the rows of every table, and of all sequences."""
    with psycopg.connect(site.postgres.url()) as connection:
        tables = [name for (name,) in connection.execute(LOGGED_TABLES) if name not in WRITTEN]
        hashed = {name: rows(connection, sql.SQL(HASH).format(sql.Identifier(name))) for name in tables}
        return {**hashed, "sequences": rows(connection, sql.SQL(SEQUENCES))}


def rows(connection: psycopg.Connection, query: sql.Composed | sql.SQL) -> str:
    return repr(connection.execute(query).fetchall())


def found(site: Served) -> list[str]:
    return [row["url"] for row in json.loads(site.ask(SEARCH)[2])["results"]]


def refusal(site: Served, *arguments: str) -> str:
    with pytest.raises(AssertionError) as refused:
        site.manage("restore", *arguments)
    return str(refused.value)


def changed(backup: Path, folder: Path, name: str, old: bytes, new: bytes) -> str:
    """A copy of a backup with one change."""
    copy = folder / "copy"
    shutil.copytree(backup, copy)
    text = (copy / name).read_bytes()
    assert text.count(old) >= 1
    (copy / name).write_bytes(text.replace(old, new, 1))
    return str(copy)


def test_every_row_and_every_sequence_is_as_it_was(destroyed: Destroyed) -> None:
    assert len(destroyed.before) > 100
    assert hashes(destroyed.site) == destroyed.before


def test_search_answers_as_before_from_an_index_made_anew(destroyed: Destroyed) -> None:
    destroyed.site.manage("run_indexer", "--once")
    destroyed.site.manage("doctor", "--only", "search index")
    assert found(destroyed.site) == destroyed.found_before != []


def test_releases_have_the_checksums_by_which_they_are_cited(destroyed: Destroyed) -> None:
    with psycopg.connect(destroyed.site.postgres.url()) as connection:
        releases = connection.execute(RELEASES).fetchall()
    assert [cited for cited, _ in releases] == [hashlib.sha256(archive).hexdigest() for _, archive in releases] != []


def test_what_was_written_meanwhile_is_there_whole_or_not_at_all(destroyed: Destroyed) -> None:
    told = json.loads((destroyed.backup / MANIFEST).read_text())["tables"]
    with psycopg.connect(destroyed.site.postgres.url()) as connection:
        counts = [connection.execute(sql.SQL(COUNT).format(sql.Identifier(name))).fetchall()[0][0] for name in WRITTEN]
    assert counts == [told[table] for table in WRITTEN]
    assert counts[0] == counts[1] > 0


def test_it_has_the_extensions_that_tables_need_and_none_that_watches_the_server(destroyed: Destroyed) -> None:
    with psycopg.connect(destroyed.site.postgres.url()) as connection:
        restored = connection.execute("SELECT extname FROM pg_extension ORDER BY 1").fetchall()
    assert [name for (name,) in restored] == sorted([*EXTENSIONS, "plpgsql"])


def test_it_is_for_its_owner_alone_and_says_what_is_not_in_it(destroyed: Destroyed) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in (destroyed.backup, *destroyed.backup.iterdir())}
    assert modes == {destroyed.backup.name: 0o700, DUMP: 0o600, MANIFEST: 0o600}
    assert "SECRET_KEY" in destroyed.said


def test_what_does_not_fit_is_refused_and_nothing_is_changed(destroyed: Destroyed, tmp_path: Path) -> None:
    site, before = destroyed.site, hashes(destroyed.site)
    assert "--replace" in refusal(site, str(destroyed.backup))
    damaged = changed(destroyed.backup, tmp_path / "1", DUMP, b"PGDMP", b"PGDMQ")
    assert "checksum" in refusal(site, damaged, "--replace")
    # The last statement of all fails, when everything has been deleted and restored.
    lacking = changed(destroyed.backup, tmp_path / "2", MANIFEST, b'"kb_issue": ', b'"kb_issue": 9')
    assert "Nothing was restored" in refusal(site, lacking, "--replace")
    assert hashes(site) == before
