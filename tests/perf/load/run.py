"""A site at 40,000 issues with all kinds of visitors at once, and a mirror's first reading beside them. `make load`.

URL names a running site instead: then nobody labels, nothing is mirrored, and its limits count.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config.embedded.install import ROOT
from labeling.models import Round
from tests.doubles.github.process import running
from tests.labeling.factories import make_member, make_project, make_round
from tests.perf.corpus import build, sizes
from tests.perf.serving import product, settings_over
from tests.perf.sync_peers import install
from tests.perf.test_sync import SIZE, start
from tests.support.engines import PutIssuesIn

ISSUES = int(os.environ.get("ISSUES", "") or 40_000)
ANNOTATORS, ITEMS, VOTES = 20, 2_000, 3
USERS, SECONDS = os.environ.get("USERS", "") or "50", os.environ.get("DURATION", "") or "60"
SECRET = "only-for-the-load"
VISITORS = Path(__file__).with_name("visitors.py")


@pytest.mark.django_db(transaction=True)
def test_load(search_index: PutIssuesIn, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        if address := os.environ.get("URL", ""):
            _visit(address.rstrip("/"), {})
            return
        build(ISSUES)
        round_ = make_labelled()
        search_index()
        print(f"\n{sizes()}, {os.cpu_count()} cores; {USERS} visitors, {ANNOTATORS} annotators")  # noqa: T201
        site = {"secret": SECRET, "sessions": list(sessions(round_)), "round": address_of(round_)}
        with product(settings.SEARCH_INDEX_DIR, GITHUB_WEBHOOK_SECRET=SECRET, NUM_PROXIES="1") as (port, _), _indexer():
            _visit(f"http://127.0.0.1:{port}", site)


def make_labelled() -> Round:
    """An open round."""
    lead = make_project()
    people = [make_member(lead.project) for _ in range(ANNOTATORS)]
    round_ = make_round(lead, issues=ITEMS, votes_wanted=VOTES)
    round_.annotators.set(people)
    return round_


def sessions(round_: Round) -> Iterator[str]:
    """One for each annotator."""
    for member in round_.annotators.all():
        client = Client()
        client.force_login(member.user)
        yield client.cookies["sessionid"].value


def address_of(round_: Round) -> str:
    """Where its API is."""
    return f"/api/v1/labeling/projects/{round_.project.slug}/rounds/{round_.number}/"


def _visit(address: str, site: Mapping[str, object]) -> None:
    """Let the visitors come; a mirror reads meanwhile where the site is ours."""
    command = [str(install()), "-m", "locust", "--headless", "--locustfile", str(VISITORS), "--host", address]
    told = {"LOAD_SITE": json.dumps(site), "USERS": USERS, "DURATION": SECONDS, "PYTHONPATH": str(ROOT)}
    quiet = ["--loglevel", "ERROR", "--only-summary"]
    with subprocess.Popen([*command, *quiet], cwd=ROOT, env={**os.environ, **told}) as visitors:
        if site:
            _mirror()
        visitors.wait()


def _mirror() -> None:
    """A first reading, as long as it takes."""
    with running(**SIZE) as double:
        time.sleep(10)
        began = time.perf_counter()
        with start(double, "sync_repo", double.repo, "--once") as process:
            process.wait()
        assert process.returncode == 0
        print(f"a mirror's first reading beside them: {time.perf_counter() - began:.1f} s")  # noqa: T201


@contextmanager
def _indexer() -> Iterator[None]:
    command = [sys.executable, str(ROOT / "manage.py"), "run_indexer"]
    environment = {**os.environ, **settings_over(settings.SEARCH_INDEX_DIR)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()
