"""The same crowd at our web server and at others that run the same site. Run with `make bench ONLY=servers`."""

import asyncio
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.drills.served import Served, end, prepared, served
from tests.perf.crowd import HEAD, Crowd
from tests.perf.sync_peers import install
from tests.support.wheels import NotInstalledError

WORKERS, THREADS = 2, 4
WSGI = "config.wsgi:application"
ASGI = "django.core.asgi:get_asgi_application"


def commands(port: int) -> Iterator[tuple[str, list[str]]]:
    """Name and command of each server."""
    granian = [sys.executable, "-m", "granian", "--workers", str(WORKERS), "--port", str(port), "--no-ws"]
    yield "ours (config.serve)", [sys.executable, "-m", "config.serve", "--workers", str(WORKERS)]
    yield "granian, WSGI", [*granian, "--interface", "wsgi", "--blocking-threads", str(THREADS), WSGI]
    yield "granian, ASGI", [*granian, "--interface", "asginl", "--factory", ASGI]
    yield (
        "uvicorn",
        [sys.executable, "-m", "uvicorn", "--workers", str(WORKERS), "--port", str(port), "--factory", ASGI],
    )
    try:
        # It has a Python of its own, which finds the site's packages in ours.
        python = ["env", f"PYTHONPATH={sysconfig.get_path('purelib')}", str(install())]
        gunicorn = [*python, "-m", "gunicorn", "--worker-class", "gthread", "--threads", str(THREADS)]
        yield "gunicorn, gthread", [*gunicorn, "--workers", str(WORKERS), "--bind", f"127.0.0.1:{port}", WSGI]
    except NotInstalledError as error:
        print(f"gunicorn is not measured: {error}")  # noqa: T201


def test_a_crowd_at_each_server(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled(), prepared() as database, served(database) as site:
        site.manage("load_starter")
        site.manage("run_indexer", "--once")
        assert site.web is not None
        end(site.web)
        for distinct in (False, True):
            print(f"\nVisitors ask for {'what nobody else asks for' if distinct else 'the same pages'}.\n{HEAD}")  # noqa: T201
            for name, command in commands(site.port):
                print(_row(site, name, command, distinct=distinct), flush=True)  # noqa: T201


def _row(site: Served, name: str, command: list[str], *, distinct: bool) -> str:
    site.web = site.serve(command)
    site.wait_until_it_answers()
    for _ in range(2 * WORKERS):
        site.ask("/")
    try:
        return asyncio.run(Crowd(site.port, distinct=distinct).come()).row(name)
    finally:
        with suppress(subprocess.TimeoutExpired):  # Some do not end while connections are open, and are killed.
            end(site.web, within=10)
