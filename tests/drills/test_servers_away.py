"""PostgreSQL or Valkey away: reading goes on as far as it can, the rest says so in one line, and all comes back."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.starter.load import RECORDS
from tests.drills.served import Served, served

READING = (
    "/", "/issues/?q=hang", "/about/", "/codebook/", "/explore/", "/api/v1/issues/", "/api/v1/search/?q=hang",
    "/account/login/",
)  # fmt: skip


@pytest.mark.drill("Reading goes on without Valkey")
def test_without_valkey_reading_goes_on(database: Path) -> None:
    with served(database) as site:
        assert {site.ask(path)[0] for path in READING} == {200}
        site.valkey.stop()
        assert {path: site.ask(path)[0] for path in READING} == dict.fromkeys(READING, 200)
        assert "Traceback" not in site.log.read_text()


@pytest.mark.drill("Reading goes on without Valkey")
def test_limits_count_by_process_while_valkey_is_away(database: Path) -> None:
    with served(database, API_RATE="3/min") as site:
        site.valkey.stop()
        assert [site.ask("/api/v1/issues/")[0] for _ in range(5)] == [200, 200, 200, 429, 429]


@pytest.mark.drill("Without PostgreSQL: 503, one line, searches from the index")
def test_without_postgres_everything_says_503_in_one_line_and_comes_back(database: Path) -> None:
    with served(database) as site:
        site.timed("/")
        site.postgres.stop()
        before = len(site.log.read_text().splitlines())
        asked = ("/about/", "/codebook/", "/api/v1/issues/")
        for path in asked:
            status, headers, text = site.ask(path)
            assert (status, headers["retry-after"]) == (503, "5"), path
            assert "does not answer" in text
        said = [line for line in site.log.read_text().splitlines()[before:] if " ERROR " in line]
        assert len(said) == len(asked), said
        assert "Traceback" not in site.log.read_text()
        assert site.ask("/healthz")[0] == 200
        site.postgres.start()
        assert site.ask("/codebook/")[0] == 200


@pytest.mark.drill("Without PostgreSQL: 503, one line, searches from the index")
def test_without_postgres_the_search_index_answers_searches_and_says_so(database: Path, tmp_path: Path) -> None:
    shutil.copytree(RECORDS / "deepspeedai__deepspeed", tmp_path / "deepspeedai__deepspeed")
    with served(database) as site:
        site.manage("load_starter", "--root", str(tmp_path))
        site.manage("reindex")
        found, page = _found(site), _titles(site)
        assert found
        assert not _is_degraded(site)
        site.postgres.stop()
        _wait_until_degraded(site, True)
        assert _found(site) == found
        assert _titles(site) == page
        status, headers, text = site.ask("/issues/?q=hang&framework=deepspeed", Cookie="sessionid=somebodys")
        assert (status, headers["cache-control"]) == (200, "no-store")
        assert '<p class="alert alert-warning" role="status">' in text
        for path in ("/issues/?q=DeepSpeed%23860", "/api/v1/search/?q=DeepSpeed%23860", "/api/v1/issues/?q=hang"):
            status, headers, text = site.ask(path)
            assert (status, headers["retry-after"]) == (503, "5"), path
        assert "Traceback" not in site.log.read_text()
        assert site.log.read_text().count("the search index alone answers searches") == 1
        site.postgres.start()
        _wait_until_degraded(site, False)
        assert _titles(site) == page
        assert site.ask("/issues/?q=DeepSpeed%23860")[0] == 302


def _found(site: Served) -> list[tuple[str, str, str]]:
    results = json.loads(site.ask("/api/v1/search/?q=hang")[2])["results"]
    return [(one["name"], one["title"], one["url"]) for one in results]


def _titles(site: Served) -> list[str]:
    """The titles of the results on the page, with their addresses."""
    status, _, text = site.ask("/issues/?q=hang")
    assert status == 200
    return [line.strip() for line in text.splitlines() if "result-title" in line]


def _is_degraded(site: Served) -> bool:
    status, headers, text = site.ask("/api/v1/search/?q=hang")
    assert status == 200
    said: bool = json.loads(text)["query"]["is_degraded"]
    assert headers["cache-control"] == ("no-store" if said else "public, max-age=60")
    return said


def _wait_until_degraded(site: Served, expected: bool) -> None:
    """Until the web server has noticed; every search is answered meanwhile."""
    until = time.monotonic() + 30
    while _is_degraded(site) is not expected:
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.drill("The indexer outlives a restart of PostgreSQL")
def test_an_idle_indexer_outlives_a_restart_of_postgres(database: Path) -> None:
    with served(database) as site:
        log = site.folder / "indexer.log"
        with log.open("wb") as out:
            indexer = subprocess.Popen(
                [sys.executable, "manage.py", "run_indexer"], env=site.environment, stdout=out, stderr=out
            )
        try:
            wait_for(log, "Feeding the search index", 1)
            site.postgres.stop()
            wait_for(log, "The database does not answer", 1)
            site.postgres.start()
            wait_for(log, "Feeding the search index", 2)
            assert indexer.poll() is None
            assert "Traceback" not in log.read_text()
        finally:
            indexer.kill()
            indexer.wait()


def wait_for(log: Path, words: str, times: int) -> None:
    """Until the log says it so often."""
    until = time.monotonic() + 30
    while log.read_text().count(words) < times:
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.05)
