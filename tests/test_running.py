"""`make up`, `make down` and `make reset` as a person meets them: on a first start, after crashes, twice at once.

The whole product is started for real, on one data folder that the tests hand on; the servers alone are
tested in `config/test_embedded_servers.py`.
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from config.embedded import leftovers
from config.embedded.layout import ROOT, Layout
from config.embedded.ports import Port, choose

# A first start takes a good minute where other tests keep the machine busy.
PATIENCE = 240.0


@pytest.fixture(autouse=True)
def _hangups_are_heard() -> Iterator[None]:
    """Also where the tests run under `nohup`: whoever starts ignoring hang-ups goes on doing so, as it should be."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


class Site:
    """One data folder, and what runs on it."""

    def __init__(self, data: Path, port: int) -> None:
        self.layout = Layout(data)
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None

    def environment(self) -> dict[str, str]:
        """What a person's shell has; an empty value counts as unset, and keeps a .env file out."""
        unset = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SITE_URL", "CSRF_TRUSTED_ORIGINS")
        # The site makes its own; an index of its own in our folder would be found by the tests that follow.
        folders = ("STATIC_ROOT", "STATIC_STORAGE", "SEARCH_INDEX_DIR")
        env = {name: value for name, value in os.environ.items() if name not in (*unset, *folders)}
        own = {"FAULTBOOK_DATA": str(self.layout.data), "PORT": str(self.port), "ALLOWED_HOSTS": "127.0.0.1"}
        return {**env, **dict.fromkeys(unset[:2], ""), **own, "LOCAL": "1", "DEBUG": "0", "LOG_LEVEL": "INFO"}

    def command(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run one command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "config.embedded", name],
            cwd=ROOT,
            env={**self.environment(), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py on the running site, and return what it said."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment(), capture_output=True, text=True, check=False)
        return done.stdout

    def start(self, until: str = r"is ready: (\S+)", **more: str) -> str:
        """Start everything, read until a line says so, and return all that was said."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "config.embedded", "up"],
            cwd=ROOT,
            env={**self.environment(), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        said = ""
        while not re.search(until, said):
            piece = os.read(self.process.stdout.fileno(), 65536)
            assert piece, f"It ended too early:\n{said}"
            said += piece.decode()
        return said

    def rest(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what was still said."""
        assert self.process is not None
        said, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said.decode()

    def all_processes(self) -> list[psutil.Process]:
        """Everything that runs on the data folder, the supervisor apart."""
        return leftovers.find(self.layout.data)

    def supervisor(self) -> psutil.Process:
        """The process that `make up` is."""
        assert self.process is not None
        return psutil.Process(self.process.pid)

    def wait_until_quiet(self) -> None:
        """Wait until nothing runs any more."""
        deadline = time.monotonic() + 60
        while self.all_processes():
            assert time.monotonic() < deadline, self.all_processes()
            time.sleep(0.05)

    def end(self) -> None:
        """Leave nothing behind, whatever a test did."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        leftovers.stop(self.all_processes(), patience=1)
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()


def address_in(said: str) -> str:
    found = re.search(r"is ready: (\S+)", said)
    assert found, said
    return found[1]


def status_of(address: str, path: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="fb-running-")).resolve()
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def free() -> Port:
    port = choose(41_000)
    port.release()
    return port


@pytest.fixture(scope="module")
def first_words(folder: Path, free: Port) -> Iterator[str]:
    """What a first start says; stopped again as Ctrl-C does, with its data left for the tests below."""
    site = Site(folder / "data", free.number)
    try:
        said = site.start()
        assert status_of(address_in(said), "/readyz") == 200
        assert site.process is not None
        site.process.send_signal(signal.SIGINT)
        code, rest = site.rest()
        assert (code, rest.strip()) == (0, "Stopped; the data is kept.")
        assert not site.all_processes()
        yield said
    finally:
        site.end()


@pytest.fixture
def site(first_words: str, folder: Path, free: Port) -> Iterator[Site]:
    assert first_words
    made = Site(folder / "data", free.number)
    yield made
    made.end()


def test_a_first_start_tells_its_steps_and_the_address_last(first_words: str) -> None:
    lines = first_words.strip().splitlines()
    steps = [line for line in lines if line.startswith("[")]
    assert [line[:5] for line in steps] == [f"[{number}/7]" for number in range(2, 8)]
    assert all(re.search(r" \.\.\. \d+\.\d s$", line) for line in steps), steps
    assert re.fullmatch(r"Faultbook is ready: http://127\.0\.0\.1:\d+", lines[-1])


def test_a_later_start_has_little_to_do_and_a_second_one_nothing(site: Site) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", site.port))
        taken.listen(1)
        said = site.start()
    assert "up to date" in said
    assert f"Port {site.port} is in use; taking {urlsplit(address_in(said)).port}." in said
    again = site.command("up")
    assert (again.returncode, again.stdout) == (0, f"Faultbook is already running: {address_in(said)}\n")
    assert status_of(address_in(said), "/healthz") == 200
    for part in ("indexer", "search index"):
        assert "well" in site.manage("doctor", "--only", part)
    down = site.command("down")
    assert (down.returncode, down.stdout) == (0, "Stopped; the data is kept.\n")
    assert site.rest()[0] == 0
    assert not site.all_processes()
    assert site.command("down").stdout == "Nothing is running.\n"


def test_after_kills_everything_stops_and_the_next_start_works(site: Site) -> None:
    site.start()
    site.supervisor().kill()
    site.wait_until_quiet()
    assert site.process is not None
    site.process.wait()
    # What a power cut leaves: the number of a process that lives now and is another one.
    state = json.loads((site.layout.data / "up.json").read_text())
    (site.layout.data / "up.json").write_text(json.dumps(state | {"pid": os.getpid()}))
    assert status_of(address_in(site.start()), "/readyz") == 200
    kill_one(site, "config.serve", r"web stopped unexpectedly (exit code -9)")
    site.start()
    kill_one(site, "postgres", "PostgreSQL stopped unexpectedly")


def kill_one(site: Site, victim: str, words: str) -> None:
    """Kill the oldest process of a kind; everything has to follow it, with a word on the reason."""
    processes = sorted(site.supervisor().children(recursive=True), key=lambda process: process.create_time())
    next(process for process in processes if victim in command_of(process)).kill()
    code, said = site.rest()
    assert code == 1
    assert words in said
    # What was killed may take a moment to be gone.
    site.wait_until_quiet()


def command_of(process: psutil.Process) -> str:
    """Its command; none for one that ended in between, as a connection's process of PostgreSQL does."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def test_a_first_start_broken_off_half_way_leaves_nothing_running_and_can_be_repeated(folder: Path, free: Port) -> None:
    site = Site(folder / "broken off", free.number)
    try:
        site.start(until="migrations")
        assert site.process is not None
        site.process.terminate()
        assert site.rest()[0] == 0
        assert not site.all_processes()
        site.start(until="codebook")
        site.supervisor().kill()
        site.wait_until_quiet()
        site.process.wait()
        site.start(until=r"static files \.\.\. \d")
        site.process.send_signal(signal.SIGHUP)
        assert site.rest()[0] == 0
        assert not site.all_processes()
    finally:
        site.end()


def test_reset_asks_and_then_deletes_what_runs_too(folder: Path, free: Port) -> None:
    site = Site(folder / "to go", free.number)
    try:
        site.start(until="PostgreSQL ... .* s")
        refused = site.command("reset")
        assert refused.returncode == 1
        assert "RESET=yes" in refused.stdout
        assert (site.layout.data / "postgres").is_dir()
        done = site.command("reset", RESET="yes")
        assert done.returncode == 0, done.stdout
        assert list(site.layout.data.iterdir()) == []
        assert not site.all_processes()
    finally:
        site.end()


def test_given_servers_are_used_and_none_is_started(folder: Path, free: Port) -> None:
    site = Site(folder / "given", free.number)
    try:
        nowhere = "postgres://postgres@127.0.0.1:1/nowhere"
        said = site.start(until="reason is above", DATABASE_URL=nowhere, REDIS_URL=os.environ["REDIS_URL"])
        assert "Starting PostgreSQL ... not needed, DATABASE_URL is set" in said
        assert "Starting Valkey ... not needed, REDIS_URL is set" in said
        assert "refused" in said
        assert site.rest()[0] == 1
        assert not (site.layout.data / "postgres").exists()
        assert "DATABASE_URL" not in site.layout.run_env.read_text()
    finally:
        site.end()
