"""With WAL archived as docs/running.md says, a database returns to the moment before a mistake."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.layout import ROOT
from config.embedded.postgres import Postgres
from tests.drills.served import new_folder

pytestmark = pytest.mark.drill("a database returns to the moment before a mistake")

# As the page has it.
ARCHIVE = re.findall(r"^archive_command = '(.+)'$", (ROOT / "docs/running.md").read_text(), re.MULTILINE)[0]
ROWS = "SELECT (SELECT count(*) FROM kb_node) || ' ' || (SELECT string_agg(DISTINCT version, ',') FROM kb_scheme)"


class Archived:
    """A server whose WAL is archived into a folder that outlives it."""

    def __init__(self, folder: Path, database: Path) -> None:
        self.folder, self.archive = folder, folder / "archive"
        self.archive.mkdir()
        # PostgreSQL's own account writes here where it is another one.
        self.archive.chmod(0o777)
        subprocess.run(["cp", "-a", str(database), str(folder / "postgres")], check=True)
        self.server = self.start(folder / "postgres")

    def start(self, folder: Path, **settings: str) -> Postgres:
        archive = ARCHIVE.replace("/var/backups/wal", str(self.archive))
        server = Postgres(folder, self.folder / "postgres.log", throwaway=True)
        server.settings |= {"wal_level": "replica", "max_wal_senders": "2", "archive_mode": "on", **settings}
        server.settings["archive_command"] = archive
        server.start()
        return server

    def back_up(self) -> Path:
        """A copy of the data folder, made by pg_basebackup while the server runs."""
        base = self.archive / "base"
        command = [str(self.server.programs / "pg_basebackup"), "--pgdata", str(base), "--checkpoint", "fast"]
        with (self.folder / "basebackup.log").open("wb") as log:
            done = self.server.spawn([*command, "-h", str(self.server.sockets), "-U", "postgres"], log.fileno()).wait()
        assert done == 0, (self.folder / "basebackup.log").read_text()
        return base

    def return_to(self, moment: str, base: Path) -> None:
        """The server is gone with its data; another one begins with the copy and reads the archive up to a moment."""
        self.server.stop()
        shutil.rmtree(self.server.folder)
        signal = base / "recovery.signal"
        signal.touch()
        signal.chmod(0o666)
        self.server = self.start(
            base, restore_command=f"cp {self.archive}/%f %p",
            recovery_target_time=moment, recovery_target_action="promote",
        )  # fmt: skip


@pytest.fixture
def archived(database: Path) -> Iterator[Archived]:
    with new_folder() as folder:
        archived = Archived(folder, database)
        try:
            yield archived
        finally:
            archived.server.stop()


def test_what_came_before_is_there_and_the_mistake_is_not(archived: Archived) -> None:
    base = archived.back_up()
    archived.server.query("UPDATE kb_scheme SET version = 'after the copy'")
    before = archived.server.query(ROWS)
    moment = archived.server.query("SELECT clock_timestamp()")
    archived.server.query("TRUNCATE kb_scheme CASCADE")
    archived.return_to(moment, base)
    assert archived.server.query(ROWS) == before
    assert before.endswith(" after the copy")
