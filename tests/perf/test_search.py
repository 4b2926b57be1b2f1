"""Time, size and memory of search at 40,000 issues, and with BENCH_MILLION=1 at a million. Run with `make bench`.

Asked through HTTP and JSON, as a tool does: the best 20, the number of matches, and every facet in one request.
Nothing is asserted: what is promised stands in the last column.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.http import QueryDict
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from kb.codebook.load import load_codebook
from kb.core.search.backend import Prepared
from kb.core.search.tantivy import TantivyIndex, facets
from kb.search import backends, search
from kb.search.backends.fields import FIELDS
from kb.search.backends.pg_search import PgSearchBackend, PgSearchIndex
from kb.search.indexing import WRITE
from kb.services.repositories import ensure_frameworks
from kb.starter.load import load_starter
from tests.perf import peers, serving
from tests.perf.questions import questions
from tests.perf.recombined import documents_up_to, prepared_up_to
from tests.perf.timing import Times, at_once, http_client, one_after_another
from tests.support.pg_search import connecting_to, database_of_its_own, pg_search_server
from tests.support.wheels import NotInstalledError

MILLION = os.environ.get("BENCH_MILLION", "") not in ("", "0")
# At a million a peer takes up to half a minute for one search: it is asked every sixth one, and so are we beside it.
PEER_STEPS = {40_000: 1, 1_000_000: 6}
SIZES = (40_000, 1_000_000) if MILLION else (40_000,)
PATH = "/api/v1/search/"
ROUNDS, PEER_ROUNDS, CLIENTS, SECONDS = 5, 1, 8, 15
# By size: median and p95 in milliseconds, requests per second with this p95, minutes to build.
TARGETS = {40_000: (12, 30, 100, 150, 5), 1_000_000: (30, 100, 40, 150, 5)}


@pytest.fixture(scope="module")
def _knowledge(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        ensure_frameworks()
        load_codebook()
        load_starter()
        yield


@pytest.fixture
def folder() -> Iterator[Path]:
    """On the disk, not in memory: a million take gigabytes."""
    made = Path(tempfile.mkdtemp(prefix="faultbook-bench-", dir=os.environ.get("BENCH_DIR")))
    yield made
    shutil.rmtree(made)


@pytest.mark.usefixtures("_knowledge")
@pytest.mark.django_db(transaction=False)
@pytest.mark.parametrize("size", SIZES)
def test_search(size: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        for line in table(size, folder):
            print(line, flush=True)  # noqa: T201


def table(size: int, folder: Path) -> Iterator[str]:
    """Build and measure; the lines of the table as they come."""
    median, p95, rate, rate_p95, minutes = TARGETS[size]
    seconds = build(size, folder / "index")
    yield f"\nsearch over {size:,} issues"
    yield _line("index built in", f"{seconds:.0f} s", f"{seconds / size * 1e3:.2f} ms each", f"{minutes} min")
    yield _line("index size", f"{_megabytes(folder / 'index'):,.0f} MB")
    asked = [f"{one.address}&facets=true&page_size=20" for one in questions()]
    with serving.product(folder / "index") as (port, pid):
        before = serving.computed(pid)
        ours = one_after_another(http_client(port, PATH), asked, ROUNDS)
        # The first round is not timed, but computed.
        computed = (serving.computed(pid) - before) * 1_000 / (len(asked) * (ROUNDS + 1))
        yield _line(f"one client, {len(asked)} searches", *_times(ours), f"{median} / {p95} ms")
        yield _line("computing time of one search", f"{computed:.1f} ms")
        for pace in (0, rate):
            many = at_once(lambda: http_client(port, PATH), asked, clients=CLIENTS, seconds=SECONDS, rate=pace)
            name = f"{CLIENTS} clients" + (f", {rate} /s" if pace else ", as fast as can be")
            yield _line(name, *_times(many), f"{many.rate:.0f} /s", f"{rate} /s, p95 {rate_p95} ms")
        for own, with_files in serving.memory(pid):
            yield _line("memory of a web process", f"{own:.0f} MB", f"{with_files:,.0f} MB with mapped files")
        some = asked[:: PEER_STEPS[size]]
        ours_of_some = one_after_another(http_client(port, PATH), some, ROUNDS)
    yield from _in_process(folder / "index", asked)
    yield from _pg_search(size, asked)
    raw = one_after_another(peers.raw_tantivy(folder / "index"), asked, ROUNDS)
    beside = f"{ours.median - raw.median:+.1f} ms"
    yield _line("peer: tantivy alone, in process", *_times(raw), f"ours takes {beside}", "+10 ms")
    yield from _sqlite_peers(size, folder, some, ours_of_some)


def build(size: int, root: Path) -> float:
    """Write the index as the indexer does; returns the seconds."""
    started = time.perf_counter()
    index = TantivyIndex(root, settings.SEARCH_WRITER_MEMORY_MB, FIELDS)
    writing = index.build(fresh=True)
    gathered: list[Prepared] = []
    for chunk in prepared_up_to(size):
        gathered += chunk
        if len(gathered) >= WRITE:
            writing.add(gathered, gathered[-1][0])
            gathered = []
    if gathered:
        writing.add(gathered, gathered[-1][0])
    writing.finish()
    index.close()
    return time.perf_counter() - started


def _in_process(root: Path, asked: list[str]) -> Iterator[str]:
    """The search without HTTP and JSON: with counts kept from one request to the next, as above, and without."""
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=root):
        kept = one_after_another(lambda query: search(QueryDict(query)).total, asked, ROUNDS)
        with patch.object(facets, "MOST_KEPT", 0):
            anew = one_after_another(lambda query: search(QueryDict(query)).total, asked, ROUNDS)
    yield _line("in process", *_times(kept))
    yield _line("in process, facets counted anew", *_times(anew))


def _pg_search(size: int, asked: list[str]) -> Iterator[str]:
    """The same search over the other engine's index, in a PostgreSQL of its own."""
    try:
        with pg_search_server() as url, database_of_its_own(url, "bench") as database:
            connect = connecting_to(database)
            started = time.perf_counter()
            writing = PgSearchIndex(settings.SEARCH_WRITER_MEMORY_MB, connect).build(fresh=True)
            for chunk in documents_up_to(size):
                writing.add([(document.id, document) for document in chunk], chunk[-1].id)
            writing.finish()
            yield _line("pg_search: index built in", f"{time.perf_counter() - started:.0f} s")
            with connect().cursor() as cursor:
                cursor.execute("SELECT pg_database_size(current_database())")
                yield _line("pg_search: database", f"{cursor.fetchone()[0] / serving.MEGABYTE:,.0f} MB")
            with patch.object(backends, "current", lambda: PgSearchBackend(connect)):
                found = one_after_another(lambda query: search(QueryDict(query)).total, asked, PEER_ROUNDS)
            yield _line("pg_search, in process", *_times(found))
            connect().close()
    except NotInstalledError as reason:
        yield _line("pg_search", str(reason))


def _sqlite_peers(size: int, folder: Path, asked: list[str], ours: Times) -> Iterator[str]:
    yield _line(f"ours, {len(asked)} searches", *_times(ours))
    file = folder / "peer.db"
    peers.write_sqlite(file, documents_up_to(size))
    yield _line("peer: SQLite's file", f"{_megabytes(file):,.0f} MB")
    yield _peer("peer: FTS5, in process", one_after_another(peers.sqlite(file), asked, PEER_ROUNDS), ours)
    with serving.datasette(file) as port:
        client = http_client(port, "/peer/issues.json")
        found = one_after_another(client, list(peers.datasette_addresses(asked)), PEER_ROUNDS)
        yield _peer("peer: Datasette over HTTP", found, ours, "2 x / 30 x" if size >= 1_000_000 else "")


def _peer(name: str, peer: Times, ours: Times, target: str = "") -> str:
    ratios = f"{peer.median / ours.median:.1f} x / {peer.p95 / ours.p95:.1f} x of ours"
    return _line(name, *_times(peer), ratios, target)


def _times(times: Times) -> tuple[str, str]:
    return f"{times.median:,.1f} ms", f"p95 {times.p95:,.1f} ms"


def _line(name: str, *cells: str) -> str:
    return f"{name:34} " + " ".join(f"{cell:>20}" for cell in cells)


def _megabytes(path: Path) -> float:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file()) / serving.MEGABYTE
