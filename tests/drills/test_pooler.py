"""PgBouncer in transaction mode: web servers work behind it, and what needs a session says so."""

import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from config.embedded.valkey import free_port
from tests.drills.served import Served, served
from tests.drills.test_hosts import MADE, PAGES, log_in

PGBOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
# Fewer than the threads of one web server.
SESSIONS, READERS, ASKED = 2, 8, 80
INI = """
[databases]
faultbook = host={sockets} user=postgres dbname=faultbook
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
"""

pytestmark = [
    pytest.mark.drill("PgBouncer in transaction mode: web servers work, all else says what it needs"),
    # tests/support/servers.py knows this reason.
    pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed"),
]


@pytest.fixture(scope="module")
def direct(database: Path) -> Iterator[Served]:
    """A site that connects to PostgreSQL itself."""
    with served(database) as site:
        site.manage("shell", "-c", MADE)
        yield site


@pytest.fixture(scope="module")
def pooled(direct: Served) -> Iterator[Served]:
    """A second web server of it, behind PgBouncer."""
    port = free_port()
    ini = direct.folder / "pgbouncer.ini"
    ini.write_text(INI.format(sockets=direct.postgres.sockets, port=port, sessions=SESSIONS))
    with (direct.folder / "pgbouncer.log").open("wb") as log:
        # As PostgreSQL, it refuses to run as root.
        pooler = direct.postgres.spawn([str(PGBOUNCER), str(ini)], log.fileno())
    address = f"postgres://postgres@127.0.0.1:{port}/faultbook"
    try:
        wait_until_it_answers(address)
        with direct.beside("pooled", DATABASE_URL=address, DATABASE_POOL="transaction") as site:
            site.wait_until_it_answers()
            yield site
    finally:
        pooler.send_signal(signal.SIGTERM)
        pooler.wait(20)


def wait_until_it_answers(address: str) -> None:
    """Raises where it does not within ten seconds."""
    until = time.monotonic() + 10
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


def test_many_readers_share_few_sessions_and_may_log_in(pooled: Served) -> None:
    with ThreadPoolExecutor(READERS) as readers:
        statuses = set(readers.map(lambda number: pooled.ask(PAGES[number % len(PAGES)])[0], range(ASKED)))
    assert statuses == {200}
    with httpx.Client(timeout=30) as browser:
        log_in(browser, pooled)
        assert browser.get(f"http://127.0.0.1:{pooled.port}/account/logout/").status_code == 200
    assert "Traceback" not in pooled.log.read_text()


def test_a_pooler_that_no_setting_names_is_found_before_it_shares_a_lock(pooled: Served) -> None:
    pooled._more = {**pooled._more, "DATABASE_POOL": ""}
    with pytest.raises(AssertionError, match="with no word of how it shares sessions"):
        pooled.manage("doctor", "--only", "pool")
    with pytest.raises(AssertionError, match="needs a session of PostgreSQL's own"):
        pooled.manage("run_indexer", "--once")
