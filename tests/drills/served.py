"""A site of a drill's own: its PostgreSQL, its Valkey, and the web server as in production."""

import copy
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from config.embedded.layout import ROOT
from config.embedded.postgres import Postgres
from config.embedded.valkey import Valkey, free_port
from tests.support.migrated import copy_migrated

START_SECONDS = 180
Answer = tuple[int, dict[str, str], str]


class Served:
    """The running site."""

    def __init__(self, folder: Path, more: Mapping[str, str]) -> None:
        self.postgres = Postgres(folder / "postgres", folder / "postgres.log", throwaway=True)
        self.valkey = Valkey(folder / "valkey", folder / "valkey.log", throwaway=True)
        self.log = folder / "web.log"
        self.port = free_port()
        self.folder, self._more = folder, more
        # Another version's, where it is that one which is to be run.
        self.code, self.python = ROOT, sys.executable
        self.web: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What its processes get."""
        return {
            **os.environ, "DATABASE_URL": self.postgres.url(), "REDIS_URL": self.valkey.url(),
            "FAULTBOOK_DATA": str(self.folder), "SEARCH_INDEX_DIR": str(self.folder / "search"),
            "GRANIAN_PORT": str(self.port), "GRANIAN_WORKERS": "1", "LOG_LEVEL": "INFO",
            # Drills do not come again when a slow machine refuses them.
            "WEB_WAIT_SECONDS": "20", **self._more,
        }  # fmt: skip

    def start(self) -> None:
        """Start everything."""
        self.postgres.start()
        self.valkey.start()
        self.web = self.serve()
        self.wait_until_it_answers()

    def serve(self, command: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
        """The web server, by the one command unless another is named."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command or (self.python, "-m", "config.serve"),
                cwd=self.code, env=self.environment, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def manage(self, *arguments: str) -> str:
        """What a command prints."""
        command = [self.python, "-W", "ignore", "manage.py", *arguments]
        done = subprocess.run(command, cwd=self.code, env=self.environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait_until_it_answers(self) -> None:
        """Raises TimeoutError where it never does."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            try:
                if self.ask("/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(self.log.read_text())

    def ask(self, path: str, *, timeout: float = 30, **headers: str) -> Answer:
        """A page: status, headers, text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read().decode()
        finally:
            connection.close()

    def timed(self, path: str) -> float:
        """Seconds that a newcomer waits for a page, which must be there."""
        began = time.monotonic()
        assert self.ask(path)[0] == 200
        return time.monotonic() - began

    def open(self, sent: bytes) -> socket.socket:
        """A connection that sends this and then nothing."""
        found = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        found.sendall(sent)
        return found

    @contextmanager
    def beside(self, name: str, code: Path = ROOT, **more: str) -> Iterator["Served"]:
        """Another web host on the same PostgreSQL and Valkey, with a folder, a port and perhaps code of its own."""
        host = copy.copy(self)
        host._more = {**self._more, **more}
        host.code, host.folder, host.port = code, self.folder / name, free_port()
        host.folder.mkdir()
        host.log = host.folder / "web.log"
        host.web = host.serve()
        try:
            yield host
        finally:
            if host.web.poll() is None:
                end(host.web)

    def stop(self) -> None:
        """End everything."""
        if self.web is not None:
            end(self.web)
        self.valkey.stop()
        self.postgres.stop()


def end(process: "subprocess.Popen[bytes]", *, within: float = 30) -> float:
    """Ask a process to stop; returns the seconds it took. Raises TimeoutExpired, and kills it then."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    return time.monotonic() - began


@contextmanager
def prepared() -> Iterator[Path]:
    """The folder of a stopped PostgreSQL with all tables and the codebook, for `served` to copy."""
    with new_folder() as folder:
        site = Served(folder, {})
        copy_migrated(site.postgres.folder, site.environment)
        site.postgres.start()
        try:
            site.manage("load_codebook")
        finally:
            site.postgres.stop()
        yield site.postgres.folder


@contextmanager
def served(database: Path, **more: str) -> Iterator[Served]:
    """A site until the end of a block, on a copy of a prepared database; `more` variables for its processes."""
    with new_folder() as folder:
        site = Served(folder, more)
        subprocess.run(["cp", "-a", str(database), str(site.postgres.folder)], check=True)
        try:
            site.start()
            yield site
        finally:
            site.stop()


@contextmanager
def new_folder() -> Iterator[Path]:
    """Of our own: pytest shuts its own to PostgreSQL's account whenever another session starts."""
    folder = Path(tempfile.mkdtemp(prefix="faultbook-drill-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
