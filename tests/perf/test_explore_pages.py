"""Server time and SQL queries of the pages under Explore at 40,000 issues, and how soon a cold browser shows a chart.

A cold browser is a new process with an empty cache; the site has been read before. The peer in the same run is the same
figure as Plotly writes it into a file of its own, opened by the same browser. Run with `make bench`.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from django.core.cache import cache
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker, Settings

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from tests.e2e.browser import chromium, running_browser
from tests.perf.corpus import build, sizes
from tests.perf.serving import at_home
from tests.support.engines import PutIssuesIn

SIZE, ROUNDS = 40_000, 5
MOST_QUERIES, FIRST_CHART_SECONDS = 15, 1.5
PAGES = (
    "/explore/", "/explore/?framework=deepspeed", "/explore/charts/", "/explore/charts/symptom-cause/",
    "/explore/charts/flow/", "/explore/given/?symptom=hang", "/explore/effort/", "/explore/report/",
    "/explore/priorities/", "/explore/audit/", "/playbooks/", "/playbooks/coordination", "/codebook/house/symptom/hang",
    "/studies/", "/studies/p5-llm-challenges", "/studies/open-llm-failures",
)  # fmt: skip
MANIFEST = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
DRAWN_BY_US, DRAWN_BY_PLOTLY = ".chart[data-drawn]", ".js-plotly-plot .main-svg .heatmaplayer image"


@pytest.fixture(scope="module")
def corpus(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> str:
    with django_db_blocker.unblock():
        started = time.perf_counter()
        build(SIZE)
        return f"corpus: {sizes()}, built in {time.perf_counter() - started:.0f} s"


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _server(client: Client, url: str) -> tuple[float, float, int]:
    """Milliseconds with nothing at hand and then, and queries with nothing at hand."""
    client.get(url)
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        response = client.get(url)
        queries = len(captured)
    assert response.status_code == 200, url
    first, then = [], []
    for _ in range(ROUNDS):
        cache.clear()
        first.append(_seconds(partial(client.get, url)))
        then.append(_seconds(partial(client.get, url)))
    return statistics.median(first) * 1_000, statistics.median(then) * 1_000, queries


@pytest.mark.django_db
def test_explore_at_40_000_issues(corpus: str, search_index: PutIssuesIn, capsys: pytest.CaptureFixture[str]) -> None:
    search_index()
    client = Client()
    lines = [f"{'page':36}{'nothing at hand':>17}{'then':>12}{'queries':>9}"]
    for url in PAGES:
        first, then, queries = _server(client, url)
        verdict = "" if url != "/explore/" else "ok" if queries <= MOST_QUERIES else "MISSED"
        lines.append(f"{url:36}{first:14.1f} ms{then:9.1f} ms{queries:9}  {verdict}")
    with capsys.disabled():
        print("\n".join(["", corpus, *lines, f"target of /explore/: {MOST_QUERIES} queries"]))  # noqa: T201


@pytest.mark.django_db
def test_a_cold_browser_shows_its_first_chart(
    corpus: str, search_index: PutIssuesIn, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    path = chromium()
    assert path, "needs Chromium: install it, or name it in CHROMIUM"
    alone = tmp_path / "alone.html"
    chart = BY_SLUG["symptom-cause"]
    figure = draw(chart, gather(QueryDict("")), choices(chart, {})).figure
    go.Figure({"data": figure["data"], "layout": figure["layout"]}).write_html(alone)
    search_index()
    environment = {
        "STATIC_ROOT": str(tmp_path / "static"),
        "STATIC_STORAGE": MANIFEST,
        "SEARCH_ENGINE": "tantivy",
        "SEARCH_INDEX_DIR": str(settings.SEARCH_INDEX_DIR),
    }
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    subprocess.run(collect, check=True, env=os.environ | environment)
    with at_home(environment) as (port, _):
        site = f"http://127.0.0.1:{port}"
        own = {url: _cold(path, f"{site}{url}", DRAWN_BY_US) for url in PAGES[3:5]}
    peer = _cold(path, alone.as_uri(), DRAWN_BY_PLOTLY)
    with capsys.disabled():
        for url, seconds in own.items():
            verdict = "ok" if seconds <= FIRST_CHART_SECONDS else "MISSED"
            print(f"{url:36}{seconds:6.2f} s, {seconds / peer:.2f} x of the same figure alone  {verdict}")  # noqa: T201
        print(f"peer: {chart.slug} as Plotly writes it {peer:.2f} s; target {FIRST_CHART_SECONDS} s")  # noqa: T201


def _cold(path: str, address: str, drawn: str) -> float:
    """Median seconds from asking for a page to its first chart, each time in a new browser."""

    def look() -> float:
        with running_browser(path) as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})

            def open_it() -> None:
                page.goto(address, wait_until="commit")
                page.wait_for_selector(drawn, state="attached")

            return _seconds(open_it)

    look()
    return statistics.median(look() for _ in range(ROUNDS))
