"""Server time and SQL statements of the pages about a large round: 2,000 issues with seven votes each.

Run with `make bench`. Read by a lead, who sees everything, by an adjudicator, whose first opinions decide what is seen,
and by an annotator. The round is closed, and its majorities are accepted; nothing else is in the project. The first
look is with an empty cache, as it happens once after votes are released; what it leaves to the workers is done before
the next one, and its time stands beside it.
"""

import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from kb.health.heartbeat import KEY
from labeling.models import Decision, Job, Member, Role, Round
from labeling.releases import build as making
from labeling.services import jobs
from labeling.services.decisions import accept
from labeling.services.rounds import close_round
from labeling.tasks import WORK, compare_round, measure_project, measure_round
from tests.labeling.factories import make_member
from tests.perf.labeled import cast_votes, make_large_round

ISSUES, VOTES, LOOKS = 2_000, 7, 5
FIRST_LOOK_MS, LATER_LOOKS_MS = 1_000, 400
TASKS = (measure_round, measure_project, compare_round)


@pytest.fixture
def read_by(codebook: None) -> tuple[Round, dict[str, Member]]:
    """A settled round with a release, and who reads its pages."""
    lead, round_, people = make_large_round(issues=ISSUES, votes=VOTES, annotators=VOTES)
    cast_votes(round_, people)
    close_round(lead=lead, round_=round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    job = making.ask(lead=lead, title="Bench", authors=["Bench, A"], licence="CC0-1.0", note="")
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
    connection.cursor().execute("ANALYZE")
    adjudicator = make_member(lead.project, Role.ADJUDICATOR)
    return round_, {"lead": lead, "adjudicator": adjudicator, "annotator": people[0]}


def _addresses(round_: Round) -> dict[str, tuple[str, Sequence[str]]]:
    """Name of the page -> its address, and for whom it is."""
    project: list[object] = [round_.project.slug]
    one = [*project, round_.number]
    everybody, leads = ("lead", "adjudicator", "annotator"), ("lead",)
    pages: dict[str, tuple[str, list[object], Sequence[str]]] = {
        "disagreements": ("disagreements", one, everybody),
        "disagreement": ("disagreement", [*one, 1_000], leads),
        "rounds with disagreements": ("disagreement-rounds", project, everybody),
        "adjudication": ("adjudication", project, ("adjudicator",)),
        "accept": ("accept", one, leads),
        "effects of settling": ("settling-effects", one, leads),
        "agreement": ("agreement", one, everybody),
        "progress": ("progress", project, leads),
        "people": ("people", project, leads),
        "project": ("project", project, everybody),
        "rounds": ("rounds", project, everybody),
        "round": ("round", one, everybody),
        "issues of the sample": ("sample-issues", one, leads),
        "results": ("results", project, everybody),
        "publish": ("publish", project, leads),
        "releases": ("releases", project, leads),
        "release": ("release", [*project, 1], leads),
        "own work": ("mine", project, ("annotator",)),
        "codebook": ("codebook", project, leads),
    }
    return {name: (reverse(f"labeling:{view}", args=args), who) for name, (view, args, who) in pages.items()}


@pytest.mark.django_db
def test_pages_about_a_large_round(
    read_by: tuple[Round, dict[str, Member]], capsys: pytest.CaptureFixture[str]
) -> None:
    round_, readers = read_by
    too_slow = []
    with capsys.disabled():
        print(f"\n{'page':28} {'reader':12} {'first':>9} {'median':>9} {'most':>9}  statements   workers")  # noqa: T201
        for name, (path, who) in _addresses(round_).items():
            for reader in who:
                client = Client()
                client.force_login(readers[reader].user)
                first, left, *later = _looks(client, path)
                with CaptureQueriesContext(connection) as captured:
                    client.get(path)
                line = f"{name:28} {reader:12} {first:6.0f} ms {statistics.median(later):6.0f} ms {max(later):6.0f} ms"
                print(f"{line}  {len(captured):10}{left:8.1f} s", flush=True)  # noqa: T201
                is_slow = first > FIRST_LOOK_MS or statistics.median(later) > LATER_LOOKS_MS
                too_slow += [line] if is_slow else []
    assert too_slow == []


def _looks(client: Client, path: str) -> list[float]:
    """Milliseconds of the first look, with an empty cache; seconds of work that it left; then of the later looks."""
    cache.clear()
    cache.set(KEY, {"worker": time.time()})
    with ExitStack() as stack:
        sent = [(task, stack.enter_context(patch.object(task, "delay"))) for task in TASKS]
        first = _look(client, path)
        started = time.perf_counter()
        for task, delay in sent:
            for call in delay.call_args_list:
                task(*call.args)
        left = time.perf_counter() - started
        return [first, left, *(_look(client, path) for _ in range(LOOKS))]


def _look(client: Client, path: str) -> float:
    started = time.perf_counter()
    response = client.get(path)
    assert response.status_code == 200, (path, response.status_code)
    return (time.perf_counter() - started) * 1_000
