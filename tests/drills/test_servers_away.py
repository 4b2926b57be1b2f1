"""PostgreSQL or Valkey away: reading goes on as far as it can, the rest says so in one line, and all comes back."""

import subprocess
import sys
import time
from pathlib import Path

from tests.drills.served import served

READING = (
    "/", "/issues/?q=hang", "/about/", "/codebook/", "/explore/", "/api/v1/issues/", "/api/v1/search/?q=hang",
    "/account/login/",
)  # fmt: skip


def test_without_valkey_reading_goes_on(database: Path) -> None:
    with served(database) as site:
        assert {site.ask(path)[0] for path in READING} == {200}
        site.valkey.stop()
        assert {path: site.ask(path)[0] for path in READING} == dict.fromkeys(READING, 200)
        assert "Traceback" not in site.log.read_text()


def test_limits_count_by_process_while_valkey_is_away(database: Path) -> None:
    with served(database, API_RATE="3/min") as site:
        site.valkey.stop()
        assert [site.ask("/api/v1/issues/")[0] for _ in range(5)] == [200, 200, 200, 429, 429]


def test_without_postgres_everything_says_503_in_one_line_and_comes_back(database: Path) -> None:
    with served(database) as site:
        site.timed("/")
        site.postgres.stop()
        before = len(site.log.read_text().splitlines())
        for path in ("/about/", "/codebook/", "/api/v1/issues/"):
            status, headers, text = site.ask(path)
            assert (status, headers["retry-after"]) == (503, "5"), path
            assert "does not answer" in text
        said = site.log.read_text().splitlines()[before:]
        assert len(said) <= 6, said
        assert site.ask("/healthz")[0] == 200
        site.postgres.start()
        assert site.ask("/codebook/")[0] == 200


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
