"""Thirty mirrors under real workers and a real clock for ten minutes of changes, faults and kills. `make bench`.

BENCH_SOAK_SECONDS takes another length. A mirror that is not the truth in the end fails.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.github import GitHubDouble
from tests.ingest.killing import environment_of
from tests.ingest.soaking import Report, Soak, make_world

pytestmark = pytest.mark.django_db(transaction=True)

REPOSITORIES, PATIENCE = 30, 180.0
SECONDS = float(os.environ.get("BENCH_SOAK_SECONDS", "600"))


def test_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with GitHubDouble(make_world(REPOSITORIES)) as double:
        report = Soak(double, environment=environment_of(double), folder=tmp_path, seed=11).run(
            seconds=SECONDS, patience=PATIENCE
        )
    with capsys.disabled():
        print("\n" + "\n".join(_told(report)))  # noqa: T201
    assert report.wrong == []
    assert report.while_limited <= report.kills


def _told(report: Report) -> Iterator[str]:
    runs = ", ".join(f"{count} {status}" for status, count in sorted(report.runs.items()))
    yield f"{REPOSITORIES} mirrors, {SECONDS:.0f} s: {report.changes:,} changes, {report.kills} kills of workers"
    yield f"  {report.requests:,} requests, {report.while_limited} while limited; runs: {runs}"
    yield f"  longest lag {report.lag:.0f} s; all fresh {report.settled_after:.0f} s after everything was quiet"
    yield f"  differences from the truth: {len(report.wrong)}"
