"""The embedded database and broker alone: started from nothing, from crashes, and in awkward places."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.embedded import leftovers
from config.embedded.postgres import Postgres
from config.embedded.progress import ProblemError
from config.embedded.valkey import Valkey

Maker = Callable[[Path], Postgres]


@pytest.fixture
def postgres() -> Iterator[Maker]:
    made: list[Postgres] = []

    def make(folder: Path) -> Postgres:
        folder.mkdir(parents=True, exist_ok=True)
        made.append(Postgres(folder / "postgres", folder / "postgres.log", throwaway=True))
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey", tmp_path / "valkey.log")
    yield server
    server.stop()


@pytest.fixture
def short_path() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="fb-")).resolve()
    yield folder
    shutil.rmtree(folder)


def reach(server: Postgres) -> psycopg.Connection[tuple[str]]:
    return psycopg.connect(f"dbname=faultbook user=postgres host='{server.sockets}'", autocommit=True)


class TestPostgres:
    def test_data_is_kept_and_needs_neither_a_port_nor_a_password(self, postgres: Maker, short_path: Path) -> None:
        server = postgres(short_path)
        server.start()
        with reach(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 'here' AS word")
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        server.stop()
        assert not leftovers.find(short_path)
        server.start()
        assert server.query("SELECT word FROM kept") == "here"

    def test_it_recovers_from_a_kill_and_a_reused_process_number(self, postgres: Maker, short_path: Path) -> None:
        server = postgres(short_path)
        server.start()
        server.query("CREATE TABLE kept AS SELECT 'here' AS word")
        server.query("CHECKPOINT")
        assert server.process is not None
        server.process.kill()
        server.process.wait()
        status = server.folder / "postmaster.pid"
        # The number of a process that lives, and is not PostgreSQL.
        status.write_text("\n".join([str(os.getppid()), *status.read_text().split("\n")[1:]]))
        again = postgres(short_path)
        again.start()
        assert again.query("SELECT word FROM kept") == "here"

    def test_one_that_outlived_its_supervisor_is_replaced(self, postgres: Maker, short_path: Path) -> None:
        first, second = postgres(short_path), postgres(short_path)
        first.start()
        second.start()
        assert not first.alive()
        assert second.query("SELECT 1") == "1"

    def test_a_database_half_made_by_a_crash_is_made_anew(self, postgres: Maker, short_path: Path) -> None:
        server = postgres(short_path)
        server.half_made.mkdir()
        (server.half_made / "PG_VERSION").write_text("18\n")
        server.start()
        assert server.query("SELECT 1") == "1"

    @pytest.mark.parametrize("name", ["x" * 120, 'it\'s a "fine" place, für all'])
    def test_any_path_will_do(self, postgres: Maker, tmp_path: Path, name: str) -> None:
        server = postgres(tmp_path / name)
        server.start()
        assert server.query("SELECT 1") == "1"
        server.stop()
        assert not server.sockets.exists()

    def test_another_versions_data_is_refused_in_plain_words(self, postgres: Maker, short_path: Path) -> None:
        server = postgres(short_path)
        server.folder.mkdir()
        (server.folder / "PG_VERSION").write_text("17\n")
        with pytest.raises(ProblemError, match=r"written by PostgreSQL 17, and this is PostgreSQL 18"):
            server.start()

    def test_the_reason_is_shown_when_it_does_not_start(self, postgres: Maker, short_path: Path) -> None:
        server = postgres(short_path)
        server.settings = {"shared_buffers": "much"}
        with pytest.raises(ProblemError, match="invalid value for parameter"):
            server.start()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root lends PostgreSQL an account")
    def test_root_lends_it_an_account_and_opens_nothing_to_everybody(self, postgres: Maker, short_path: Path) -> None:
        closed = short_path / "closed"
        closed.mkdir(mode=0o700)
        server = postgres(closed)
        server.start()
        assert server.process is not None
        assert psutil.Process(server.process.pid).uids().effective != 0
        assert closed.stat().st_mode & 0o777 == 0o710


class TestValkey:
    def test_what_was_queued_survives_a_kill(self, valkey: Valkey) -> None:
        valkey.start()
        with redis.Redis.from_url(valkey.url()) as client:
            client.rpush("queue", "task")
            client.config_set("appendfsync", "always")
            client.rpush("queue", "another")
        assert valkey.process is not None
        valkey.process.kill()
        valkey.process.wait()
        valkey.start()
        with redis.Redis.from_url(valkey.url()) as client:
            assert client.llen("queue") == 2

    def test_nobody_gets_in_without_the_password(self, valkey: Valkey) -> None:
        valkey.start()
        port = urlsplit(valkey.url()).port or 0
        once = Retry(NoBackoff(), 0)
        with redis.Redis(port=port, retry=once) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
        assert valkey.password not in " ".join(psutil.Process(valkey.process.pid if valkey.process else 0).cmdline())

    def test_the_reason_is_shown_when_it_does_not_start(self, valkey: Valkey) -> None:
        valkey.settings = {"maxmemory": "much"}
        with pytest.raises(ProblemError, match="Valkey did not start"):
            valkey.start()


class TestLeftovers:
    def test_a_process_is_known_by_its_mark_and_stopped(self, tmp_path: Path) -> None:
        sleeper = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"]
        marked = subprocess.Popen(sleeper, env={**os.environ, **leftovers.marked(tmp_path)})
        other = subprocess.Popen(sleeper, env={**os.environ, **leftovers.marked(tmp_path / "other")})
        try:
            assert [process.pid for process in leftovers.find(tmp_path)] == [marked.pid]
            leftovers.stop(leftovers.find(tmp_path), patience=0.2)
            assert marked.poll() is not None
            assert other.poll() is None
        finally:
            marked.kill()
            other.kill()
            other.wait()

    def test_a_reused_process_number_is_not_the_same_process(self) -> None:
        assert leftovers.is_same(os.getpid(), psutil.Process().create_time())
        assert not leftovers.is_same(os.getpid(), psutil.Process().create_time() - 100)
        assert not leftovers.is_same(2**22 + 1, 0.0)
