"""Plans and times of everything that searching does without an index, with BENCH_MILLION=1 at a million issues.

Run with `make bench`. What may be read from end to end, and which index must be read: `tests/support/plans.py`.
"""

import os
import time

import pytest
from django.test import Client
from pytest_django import Settings

from tests.support.light import fill
from tests.support.plans import table

MILLION = os.environ.get("BENCH_MILLION", "") not in ("", "0")
SIZE = 1_000_000 if MILLION else 40_000


@pytest.mark.django_db(transaction=True)
def test_plans(client: Client, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    settings.SEARCH_ENGINE = "postgres"
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": None}}
    started = time.perf_counter()
    fill(SIZE)
    wrong: list[str] = []
    with capsys.disabled():
        print(f"\nplans over {SIZE:,} issues, written in {time.perf_counter() - started:.0f} s")  # noqa: T201
        for line in table(client, wrong):
            print(line, flush=True)  # noqa: T201
    assert wrong == []
