"""Several web hosts on one PostgreSQL and one Valkey, each with its own index: one is lost, two versions serve."""

import http.client
import itertools
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from config.embedded.layout import ROOT
from tests.drills.served import Answer, Served, end, served

PAGES = ("/", "/codebook/", "/issues/?q=hang", "/explore/", "/about/", "/api/v1/search/?q=hang")
READERS, ASKED, KILLED_AFTER, API_CALLS = 4, 160, 60, 20
# 0.2.0, as it was released.
RELEASED = "449cd858555bf8680b1a01c6a90e4da3b2c441fb"
INDEXED_WITHIN = 60.0
# What a proxy passes on, whichever host it asks.
SITE = "testserver"
STANDS_IN = "The search index is not ready"
ADDRESS = "https://github.com/deepspeedai/DeepSpeed/issues/860"
MADE = f"""
from django.contrib.auth.models import User
from kb.models import Issue, Repository
from kb.services.repositories import ensure_frameworks
User.objects.create_user("reader", password="of-the-drill-1")
ensure_frameworks()
repository = Repository.objects.get(full_name="deepspeedai/DeepSpeed")
Issue.objects.create(repository=repository, ref="860", url="{ADDRESS}", title="it stalls", summary="A rank stalls.")
"""


class Balancer:
    """Asks the hosts in turn, and another one where one does not answer, as a reverse proxy does."""

    def __init__(self, hosts: list[Served]) -> None:
        self._turn = itertools.cycle(hosts)
        self._hosts = len(hosts)
        self.retried = 0

    def ask(self, path: str) -> Answer:
        """The first answer."""
        for _ in range(self._hosts):
            try:
                return next(self._turn).ask(path, Host=SITE)
            except (OSError, http.client.HTTPException):
                self.retried += 1
        raise OSError("no host answers")


@pytest.fixture(scope="module")
def hosts(database: Path) -> Iterator[list[Served]]:
    """Three web hosts with an indexer each."""
    with served(database, API_RATE=f"{API_CALLS}/d") as site, ExitStack() as stack:
        site.manage("shell", "-c", MADE)
        running = [site, *(stack.enter_context(site.beside(name)) for name in ("second", "third"))]
        for host in running:
            host.wait_until_it_answers()
            stack.callback(end, host.serve([sys.executable, "manage.py", "run_indexer"]))
        yield running


@pytest.mark.drill("Several web hosts: the same answers, one session, one limit")
def test_what_is_written_once_is_read_on_every_host(hosts: list[Served]) -> None:
    with psycopg.connect(hosts[0].postgres.url(), autocommit=True) as connection:
        connection.execute("UPDATE kb_issue SET title = 'zyzzyva stalls'")
    for host in hosts:
        wait_until_indexed(host, "zyzzyva stalls")
    assert len({host.ask("/codebook/", Host=SITE)[1]["etag"] for host in hosts}) == 1


@pytest.mark.drill("Several web hosts: the same answers, one session, one limit")
def test_who_logs_in_at_one_host_is_known_at_all(hosts: list[Served]) -> None:
    with httpx.Client(timeout=30) as browser:
        log_in(browser, hosts[0])
        known = [browser.get(f"http://127.0.0.1:{host.port}/account/logout/").status_code for host in hosts]
    assert known == [200] * len(hosts)


@pytest.mark.drill("Several web hosts: the same answers, one session, one limit")
def test_a_limit_counts_for_all_hosts_together(hosts: list[Served]) -> None:
    turn = itertools.cycle(hosts)
    answers = [next(turn).ask("/api/v1/issues/?page_size=1")[0] for _ in range(API_CALLS + 10)]
    assert answers == [200] * API_CALLS + [429] * 10


@pytest.mark.drill("Several web hosts: the same answers, one session, one limit")
def test_when_one_of_three_hosts_is_lost_the_others_answer_everything(hosts: list[Served]) -> None:
    balancer, answered = Balancer(hosts), itertools.count()

    def read(number: int) -> int:
        if next(answered) == KILLED_AFTER:
            kill(hosts[1])
        return balancer.ask(PAGES[number % (len(PAGES) - 1)])[0]

    with ThreadPoolExecutor(READERS) as readers:
        statuses = list(readers.map(read, range(ASKED)))
    assert set(statuses) == {200}
    assert balancer.retried > 0
    hosts[1].web = hosts[1].serve()
    hosts[1].wait_until_it_answers()
    assert len({host.ask("/codebook/", Host=SITE)[1]["etag"] for host in hosts}) == 1


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the last release, which runs with the packages of today."""
    code = subprocess.run(["git", "archive", RELEASED], cwd=ROOT, check=False, capture_output=True)
    if code.returncode != 0:
        # tests/support/servers.py knows this reason.
        pytest.skip("the last release is not in this clone")
    folder = tmp_path_factory.mktemp("released")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=code.stdout, check=True)
    return folder


@pytest.mark.drill("Old and new code serve one database side by side")
def test_two_versions_serve_side_by_side_and_never_mix_their_pages(database: Path, released: Path) -> None:
    pages = PAGES[:-1]
    with served(database) as new, new.beside("old", released) as old, httpx.Client(timeout=30) as browser:
        new.manage("shell", "-c", MADE)
        old.wait_until_it_answers()
        for first, second in ((new, old), (old, new)):
            texts = {path: (ask_page(first, path), ask_page(second, path)) for path in pages}
            for path, (one, other) in texts.items():
                assert one != other, f"{path} of one version was served by the other"
                assert ask_page(first, path) == one
        log_in(browser, old)
        assert browser.get(f"http://127.0.0.1:{new.port}/account/logout/").status_code == 200
        assert "Traceback" not in new.log.read_text() + old.log.read_text()


def ask_page(host: Served, path: str) -> str:
    """The page, which must be there, less what is another one at each request."""
    status, _, text = host.ask(path)
    assert status == 200, path
    return re.sub(r'(nonce|csrfmiddlewaretoken)="?[^" ]*', "", text)


def log_in(browser: httpx.Client, host: Served) -> None:
    """Log in through the page."""
    address = f"http://127.0.0.1:{host.port}/account/login/"
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(address).text)
    assert token is not None
    form = {"login": "reader", "password": "of-the-drill-1", "csrfmiddlewaretoken": token[1]}
    assert browser.post(address, data=form).status_code == 302


def wait_until_indexed(host: Served, title: str) -> None:
    """Until the host's own index finds the issue: the database, which stands in for an index, says that it does."""
    until = time.monotonic() + INDEXED_WITHIN
    while title not in (page := host.ask(f"/issues/?q={title.split()[0]}")[2]) or STANDS_IN in page:
        assert time.monotonic() < until, host.log.read_text()
        time.sleep(0.2)


def kill(host: Served) -> None:
    """All processes of its web server at once, as when a machine is lost."""
    assert host.web is not None
    main = psutil.Process(host.web.pid)
    # The first one would replace a worker that dies.
    for process in [main, *main.children(recursive=True)]:
        process.kill()
    host.web.wait()
