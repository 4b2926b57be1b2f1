"""Starts servers for the benchmark of search as production does, each until the end of a block."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection

from config.embedded.up import processes

WORKERS = 2
STOP_SECONDS = 20.0
START_SECONDS = 60
MEGABYTE = 1_000_000
# One client asks more than any visitor may.
UNLIMITED = dict.fromkeys(("API_RATE", "SEARCH_RATE", "DIAGNOSIS_RATE"), "1000000/s")


@contextmanager
def product(index: Path, *more: str, **variables: str) -> Iterator[tuple[int, int]]:
    """The product over the index, as in production: its port and process id; `more` options of granian, `variables`."""
    port = _free_port()
    command = [
        sys.executable, "-m", "config.serve", "--host", "127.0.0.1", "--port", str(port), "--workers", str(WORKERS),
        *more,
    ]  # fmt: skip
    with _running(command, settings_over(index) | variables, f"http://127.0.0.1:{port}/healthz") as pid:
        yield port, pid


@contextmanager
def at_home(environment: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """The product as `make up` starts it, with these settings besides its own: its port and process id."""
    port = _free_port()
    command = processes(port)["web"]
    own = {"DATABASE_URL": _database(), "REDIS_URL": settings.REDIS_URL}
    with _running(command, {**own, **environment}, f"http://127.0.0.1:{port}/healthz") as pid:
        yield port, pid


@contextmanager
def datasette(file: Path) -> Iterator[int]:
    """Datasette over a file, without its limits of time: its port."""
    port = _free_port()
    limits = ["sql_time_limit_ms", "facet_time_limit_ms"]
    command = [
        sys.executable, "-m", "datasette", "serve", str(file), "--port", str(port),
        *(part for name in limits for part in ("--setting", name, "120000")),
    ]  # fmt: skip
    with _running(command, {}, f"http://127.0.0.1:{port}/-/versions.json"):
        yield port


@contextmanager
def _running(command: list[str], environment: Mapping[str, str], address: str) -> Iterator[int]:
    process = subprocess.Popen(
        command, env={**os.environ, **UNLIMITED, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        _wait_for(address, process)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # granian does not end when it is asked to at the moment in which it replaces a worker that was killed.
            process.kill()
            process.wait()


def _wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"It does not answer: {address}")


def workers(pid: int) -> list[psutil.Process]:
    """The processes that answer requests, the oldest first."""
    children = psutil.Process(pid).children()
    return sorted((one for one in children if one.status() != psutil.STATUS_ZOMBIE), key=psutil.Process.create_time)


def memory(pid: int) -> list[tuple[float, float]]:
    """Of each worker process: megabytes of its own, and with the mapped files that all of them share."""
    found = [child.memory_full_info() for child in psutil.Process(pid).children(recursive=True)]
    return sorted(((one.uss / MEGABYTE, one.rss / MEGABYTE) for one in found), reverse=True)[:WORKERS]


def computed(pid: int) -> float:
    """Seconds that the worker processes have computed so far; whoever else keeps the machine busy does not count."""
    times = [child.cpu_times() for child in psutil.Process(pid).children(recursive=True)]
    return sum(one.user + one.system for one in times)


def settings_over(index: Path) -> dict[str, str]:
    """The variables of the product's processes over the test database and an index."""
    servers = {"DATABASE_URL": _database(), "REDIS_URL": settings.REDIS_URL}
    return {**servers, "SEARCH_ENGINE": "tantivy", "SEARCH_INDEX_DIR": str(index)}


def _database() -> str:
    """The test database's address."""
    base, _, query = os.environ["DATABASE_URL"].partition("?")
    address = f"{base.rpartition('/')[0]}/{connection.settings_dict['NAME']}"
    return f"{address}?{query}" if query else address


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
