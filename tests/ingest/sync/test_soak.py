"""Many mirrors under real workers for half a minute of changes, faults and kills; tests/perf has ten minutes."""

from pathlib import Path

import pytest

from tests.doubles.github import GitHubDouble
from tests.ingest.killing import environment_of
from tests.ingest.soaking import Soak, make_world

pytestmark = pytest.mark.django_db(transaction=True)

# Patience ends as soon as all is true; two busy cores may take long.
REPOSITORIES, SECONDS, PATIENCE = 8, 20.0, 240.0
RUNS = 2 * REPOSITORIES


def test_every_mirror_becomes_true_when_all_is_quiet_again(tmp_path: Path) -> None:
    with GitHubDouble(make_world(REPOSITORIES)) as double:
        report = Soak(double, environment=environment_of(double), folder=tmp_path, seed=4).run(
            seconds=SECONDS, patience=PATIENCE, runs=RUNS
        )
    assert report.wrong == []
    assert report.kills > 0
    assert report.runs["done"] >= RUNS
    # Who is killed while a refusal is under way cannot hand it on.
    assert report.while_limited <= report.kills
