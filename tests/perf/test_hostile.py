"""How long hostile searches take, on the page and through the API, at 4,000 issues. Run with `make bench`.

That each of them is answered is tested in tests/contracts/test_hostile_searches.py. Texts that the server in front
would not let through are asked here all the same.
"""

import gc
import time

import pytest
from django.test import Client
from pytest_django import Settings

from tests.contracts.hostile import QUERIES
from tests.perf.corpus import build
from tests.support.engines import PutIssuesIn

SIZE = 4_000
TARGET_MS = 300
SHOWN = 15
FACES = ("/issues/", "/api/v1/search/", "/api/v1/issues/", "/api/v1/search/suggest/")


@pytest.mark.django_db
def test_hostile_searches(search_index: PutIssuesIn, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": None}}
    build(SIZE)
    search_index()
    with capsys.disabled():
        print("\n".join(["", *table()]))  # noqa: T201


def table() -> list[str]:
    """Ask every one once, warm, and return the slowest."""
    client = Client(raise_request_exception=False)
    # As a web process does (config/wsgi.py): else the garbage of the tests is looked through meanwhile.
    gc.collect()
    gc.freeze()
    for path in FACES:
        client.get(path, {"q": "hang in ZeRO-3"})
    times = []
    for name, query in QUERIES.items():
        for path in FACES:
            started, computed = time.perf_counter(), time.thread_time()
            status = client.get(f"{path}?{query}").status_code
            passed = ((time.perf_counter() - started) * 1_000, (time.thread_time() - computed) * 1_000)
            times.append((*passed, status, path, name))
    slow = [one for one in times if one[1] > TARGET_MS]
    lines = [f"{len(times)} hostile searches at {SIZE:,} issues; computing time of the slowest:"]
    for passed_ms, computed_ms, status, path, name in sorted(times, key=lambda one: -one[1])[:SHOWN]:
        lines.append(f"{path:26} {name:34} {status} {computed_ms:6.0f} ms ({passed_ms:.0f} ms in all)")
    lines.append(
        f"{len(slow)} compute for longer than {TARGET_MS} ms; server errors: {sum(t[2] >= 500 for t in times)}"
    )
    return lines
