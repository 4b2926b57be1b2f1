"""How long charts take to count and draw, with nothing at hand and remembered, at 40,000 issues and at a million.

The peer in the same run is the same count by plain joins of labels. A million is made by repeating the facts of the
40,000 (BENCH_MILLION=1), so that only what facts answer themselves is asked of it. Run with `make bench`.
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import QueryDict
from pytest_django import DjangoDbBlocker

from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from tests.perf.corpus import build, sizes

HEAT_MAP = BY_SLUG["symptom-cause"]
SIZE, TIMES = 40_000, 25
ROUNDS = 7
TARGET_MS, TARGET_CACHED_MS, TARGET_MILLION_MS = 60, 10, 300
FILTERS = ("", "framework=deepspeed", "year=2024", "symptom=hang", "comments=>=5", "source=curated")
HELD = ("", "framework=deepspeed", "year=2024", "state=closed")
PEER = """
SELECT s.node_id, c.node_id, count(DISTINCT s.issue_id)
FROM kb_label s JOIN kb_axis sa ON sa.id = s.axis_id AND sa.code = 'symptom'
JOIN kb_label c ON c.issue_id = s.issue_id JOIN kb_axis ca ON ca.id = c.axis_id AND ca.code = 'root_cause'
JOIN kb_issue i ON i.id = s.issue_id AND i.kind <> 'pull_request'
GROUP BY 1, 2
"""
REPEAT = """
INSERT INTO kb_issuefacts (issue_id, holder, framework_id, is_pull, is_open, opened_on, hours_open, comments, hard,
    lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme)
SELECT issue_id + 100000000::bigint * k, holder, framework_id, is_pull, is_open, opened_on, hours_open, comments, hard,
    lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme
FROM kb_issuefacts, generate_series(1, %s) AS k
"""


@pytest.fixture(scope="module")
def corpus(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> str:
    with django_db_blocker.unblock():
        started = time.perf_counter()
        build(SIZE)
        return f"corpus: {sizes()}, built in {time.perf_counter() - started:.0f} s"


def _times(call: Callable[[], object], before: Callable[[], None] = lambda: None) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        before()
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1_000)
    return times


def _measure(chart: Chart, query: str) -> tuple[float, float]:
    """Milliseconds with nothing at hand, and remembered."""
    params = QueryDict(query)

    def once() -> None:
        draw(chart, gather(params), choices(chart, params.dict()))

    once()
    return statistics.median(_times(once, cache.clear)), statistics.median(_times(once))


def _table(filters: Sequence[str], target: float) -> list[str]:
    lines = [f"{'chart':22}{'filters':24}{'counted':>10}{'remembered':>12}"]
    for chart in CHARTS:
        for query in filters:
            counted, kept = _measure(chart, query)
            verdict = "ok" if counted <= target and kept <= TARGET_CACHED_MS else "MISSED"
            lines.append(f"{chart.slug:22}{query or '-':24}{counted:7.1f} ms{kept:9.1f} ms  {verdict}")
    return lines


@pytest.mark.django_db
def test_charts_at_40_000_issues(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = _table(FILTERS, TARGET_MS)
    own = _measure(HEAT_MAP, "")[0]
    peer = statistics.median(_times(_peer))
    with capsys.disabled():
        print("\n".join(["", corpus, *table]))  # noqa: T201
        print(f"peer: joins of labels alone {peer:.1f} ms, {peer / own:.1f} x of {HEAT_MAP.slug} drawn whole")  # noqa: T201
        print(f"targets: {TARGET_MS} ms, remembered {TARGET_CACHED_MS} ms")  # noqa: T201


@pytest.mark.django_db
@pytest.mark.skipif(not os.environ.get("BENCH_MILLION"), reason="BENCH_MILLION=1 measures at a million")
def test_charts_at_a_million_issues(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(REPEAT, [TIMES - 1])
        cursor.execute("ANALYZE kb_issuefacts")
        cursor.execute("SELECT count(*) FROM kb_issuefacts WHERE holder = 0")
        (rows,) = cursor.fetchone()
    with capsys.disabled():
        print("\n".join(["", f"{rows:,} issues", *_table(HELD, TARGET_MILLION_MS)]))  # noqa: T201


def _peer() -> None:
    with connection.cursor() as cursor:
        cursor.execute(PEER)
        cursor.fetchall()
