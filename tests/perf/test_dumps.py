"""How long a dump of BENCH_DUMPS issues (100,000 unless told) takes, and how much memory. Run with `make bench`.

Every tenth issue is described, and each has three labels. The bars: three minutes, and 500 MB on top of what the
process had before.
"""

import datetime as dt
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from django.db import connection

from kb.exports.dumps.publishing import publish
from kb.models import Issue
from tests.support.factories import make_repository, make_source

pytestmark = pytest.mark.django_db
SIZE = int(os.environ.get("BENCH_DUMPS", "100000"))
MOST_SECONDS, MOST_MB = 180, 500
WORDS = "A collective waits for ever because one rank left the loop early; the others stay in all_gather. "
LABELS = """
INSERT INTO kb_label (issue_id, node_id, axis_id, source_id, reason)
SELECT i.id, n.id, n.axis_id, %s, 'The log says so.' FROM kb_issue i CROSS JOIN LATERAL (
    SELECT DISTINCT ON (a.id) k.id, k.axis_id FROM kb_node k JOIN kb_axis a ON a.id = k.axis_id
    JOIN kb_scheme s ON s.id = a.scheme_id AND s.slug = 'house'
    WHERE k.status = 'active' AND a.code IN ('symptom', 'root_cause', 'fix_pattern')
    ORDER BY a.id, md5(i.ref || k.code)
) n
"""
T = TypeVar("T")


def fill() -> None:
    """Issues and labels; what follows from labels is left out."""
    repository, day = make_repository(), dt.datetime(2024, 1, 1, 9, 30, tzinfo=dt.UTC)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for start in range(0, SIZE, 5_000):
            Issue.objects.bulk_create(
                Issue(
                    repository=repository, ref=str(number), url=f"{repository.url}/issues/{number}", kind="issue",
                    title=f"It waits, {number}", body=WORDS * 5, state="open", host_updated_at=day,
                    opened_at=day + dt.timedelta(hours=number), comment_count=number % 40,
                    **described(number) if number % 10 == 0 else {},
                )
                for number in range(start, start + 5_000)
            )  # fmt: skip
        cursor.execute(LABELS, [make_source().pk])


def described(number: int) -> dict[str, str]:
    text = f"{number}: {WORDS}"
    return {"public_id": f"FB-{number + 100_000:06}", "heading": text[:100], "summary": text, "resolution": text * 2}


def megabytes() -> float:
    """What the process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def watched(call: Callable[[], T]) -> tuple[T, float, float]:
    """What the call gives, its seconds, and the most megabytes on top of those before it."""
    before, most, done = megabytes(), [0.0], threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], megabytes() - before)

    watcher = threading.Thread(target=look)
    watcher.start()
    start = time.perf_counter()
    try:
        result = call()
    finally:
        done.set()
        watcher.join()
    return result, time.perf_counter() - start, most[0]


@pytest.mark.usefixtures("codebook")
def test_a_large_dump_takes_little_time_and_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill()
    published, seconds, memory = watched(lambda: publish(tmp_path, today=dt.date(2026, 11, 27), keep=1))
    size = sum(path.stat().st_size for path in published.folder.rglob("*") if path.is_file()) / 1e6
    with capsys.disabled():
        print(f"\n{SIZE:,} issues: {seconds:.1f} s, {memory:.0f} MB more memory, {size:.0f} MB of files")  # noqa: T201
    assert seconds <= MOST_SECONDS
    assert memory <= MOST_MB
