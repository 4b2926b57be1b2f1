"""A pytest plugin: a database and a broker of the tests' own, up before the settings are read, gone afterwards.

Loaded by `-p tests.support.servers` (pyproject.toml); each of several workers has servers of its own.
TEST_DATABASE_URL and TEST_REDIS_URL name others to use instead.
With REQUIRE_ALL=1 a skipped test fails the session, unless its reason is listed here.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from config.embedded.postgres import DATABASE, Postgres
from config.embedded.valkey import Valkey
from tests.support.migrated import copy_migrated

# Reasons that even a complete run may give, by a part of their text.
MAY_SKIP = (
    "../shared/", "only root lends PostgreSQL an account", "no PostgreSQL with pg_search", "PgBouncer is not installed",
    "the last release is not in this clone", "needs node_modules", "needs promtool",
)  # fmt: skip
TEST_DATABASE = "test_faultbook"
REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "") not in ("", "0")

# Stated in full, so that neither the shell's environment nor a .env file decides what is tested.
SETTINGS = {
    "SECRET_KEY": "for-the-tests-only-" + "0123456789abcdefghijklmnopqrstuvwxyz",
    "LOCAL": "1",
    "DEBUG": "0",
    "ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
    "CSRF_TRUSTED_ORIGINS": "",
    "SITE_URL": "",
    "GITHUB_TOKEN": "",
    "GITHUB_WEBHOOK_SECRET": "",
    "METRICS_TOKEN": "",
    "GITHUB_LOGIN_ID": "",
    "GITHUB_LOGIN_SECRET": "",
    "OIDC_ISSUER": "",
    "SIGNUP_OPEN": "",
    "EMAIL_URL": "",
    "MAIL_FROM": "",
    "CONTACT_EMAIL": "",
    "STAFF_SECOND_FACTOR": "",
    "BACKUP_DIR": "",
    "SEARCH_ENGINE": "tantivy",
    "LOG_LEVEL": "WARNING",
    "STATIC_STORAGE": "django.contrib.staticfiles.storage.StaticFilesStorage",
}


class Servers:
    """What was started for this session."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="faultbook-tests-")).resolve()
        self.started: list[Postgres | Valkey] = []

    def start(self) -> None:
        """Start what no address was given for, and point the settings at it."""
        folders = {"FAULTBOOK_DATA": "", "STATIC_ROOT": "static", "SEARCH_INDEX_DIR": "search"}
        os.environ.update(SETTINGS, **{name: str(self.folder / inside) for name, inside in folders.items()})
        (self.folder / "static").mkdir()
        os.environ["REDIS_URL"] = _of_worker(os.environ.get("TEST_REDIS_URL", "")) or self._start_valkey()
        os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL", "") or self._start_postgres()

    def _start_valkey(self) -> str:
        server = Valkey(self.folder / "valkey", self.folder / "valkey.log", throwaway=True)
        self.started.append(server)
        server.start()
        return server.url()

    def _start_postgres(self) -> str:
        """With the test database in it, all migrations applied."""
        server = Postgres(self.folder / "postgres", self.folder / "postgres.log", throwaway=True)
        copy_migrated(server.folder, SETTINGS)
        self.started.append(server)
        server.start()
        server.query(f"ALTER DATABASE {DATABASE} RENAME TO {TEST_DATABASE}", "postgres")
        return server.url(TEST_DATABASE)

    def stop(self) -> None:
        """Stop and delete everything; twice does no harm."""
        while self.started:
            self.started.pop().stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _of_worker(redis_url: str) -> str:
    """A database of this worker's own (pytest-xdist) on a given broker; pytest-django sees to that in PostgreSQL."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    return urlsplit(redis_url)._replace(path=f"/{number}").geturl() if number and redis_url else redis_url


servers = pytest.StashKey[Servers]()
skips: list[tuple[str, str]] = []


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """Start the servers before pytest-django reads the settings; a wrapper runs before all others."""
    running = early_config.stash[servers] = Servers()
    atexit.register(running.stop)
    running.start()
    return (yield)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors: many tests wait for a limit, a kill, a browser or a process that begins."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + 1


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers; this runs after Ctrl-C too."""
    if servers in config.stash:
        config.stash[servers].stop()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a skipped test."""
    note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a skipped module."""
    note_skip(report)


def note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Keep a skip that a complete run may not have."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(allowed in reason for allowed in MAY_SKIP):
        skips.append((report.nodeid, reason))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a complete run that was not complete."""
    if REQUIRE_ALL and skips and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which skips failed the run."""
    if REQUIRE_ALL and skips:
        terminalreporter.section("skipped, although REQUIRE_ALL is set")
        for node, reason in skips:
            terminalreporter.line(f"{node}: {reason}")
