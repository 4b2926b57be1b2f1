"""Jobs whose process is killed: what was written stays with its ids, the rest follows, nothing is there twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import pytest
from django.db import connection, transaction
from django.utils import timezone

from kb.models import Label, Provenance
from labeling.exchange import intake as importing
from labeling.exchange.values import Options
from labeling.models import Answer, AnswerNode, Decision, Item, Job, Member, Round, Slot, Vote, VoteImport
from labeling.services import jobs, publishing
from labeling.services.decisions import accept
from labeling.tasks import run_job
from tests.labeling.factories import make_project
from tests.labeling.results.builders import begin_to_publish
from tests.support.factories import make_issues

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = (Item, Slot, Vote, Answer, AnswerNode)
ISSUES = 1_200
WORKER = """
import sys, django
django.setup()
from labeling.tasks import run_job
run_job(int(sys.argv[1]))
"""


def ids() -> list[set[int]]:
    return [set(model._default_manager.values_list("pk", flat=True)) for model in TABLES]


def worker(job: Job) -> subprocess.Popen[bytes]:
    """A process of its own that does the job, on the tests' database."""
    settings = connection.settings_dict
    host, port = settings["HOST"], settings["PORT"]
    name = f"postgres://{settings['USER']}:{settings['PASSWORD']}@{host}:{port}/{settings['NAME']}"
    environment = {
        **os.environ,
        "DATABASE_URL": os.environ["DATABASE_URL"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    if host and not host.startswith("/"):
        environment["DATABASE_URL"] = name
    else:
        before, _, query = os.environ["DATABASE_URL"].partition("?")
        base = before.rsplit("/", 1)[0]
        environment["DATABASE_URL"] = f"{base}/{settings['NAME']}" + (f"?{query}" if query else "")
    return subprocess.Popen([sys.executable, "-c", WORKER, str(job.pk)], env=environment)


def waited_for(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def waiting_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def kept_file(lead: Member, urls: Sequence[str], nodes: tuple[str, str]) -> VoteImport:
    """A file in which two people name a symptom of each issue."""
    lines = [f"{url},{who},symptom,{node}" for url in urls for who, node in zip("ab", nodes, strict=True)]
    text = "\n".join(["issue,annotator,axis,nodes", *lines])
    found, _ = importing.keep_file(
        lead=lead, content=text.encode(), filename="v.csv", format_="long_csv", name="Outside", options=Options()
    )
    return found


def test_an_import_killed_between_its_batches() -> None:
    lead = make_project()
    urls = [issue.url for issue in make_issues(ISSUES)]
    found = kept_file(lead, urls, ("hang", "crash"))
    job = importing.ask(lead=lead, found=found, people={})
    kill_at(job, urls[-1])
    half = ids()
    assert len(half[0]) == 2 * importing.BATCH
    assert len(half[2]) == 4 * importing.BATCH
    assert Job.objects.get().state == Job.State.RUNNING
    assert VoteImport.objects.get().finished_at is None
    assert not Item.objects.filter(released_at__isnull=False).exists()

    assert waited_for(lambda: lock_is_free(job))
    jobs.try_again(lead=lead, job=job)
    run_job(job.pk)
    whole = ids()
    assert [len(some) for some in whole] == [ISSUES, 2 * ISSUES, 2 * ISSUES, 2 * ISSUES, 2 * ISSUES]
    assert all(before <= after for before, after in zip(half, whole, strict=True))
    assert Round.objects.count() == 1
    assert not Item.objects.filter(released_at=None).exists()

    importing.take_in(Job.objects.select_related("project").get())
    assert ids() == whole


def test_a_publication_killed_between_its_batches() -> None:
    lead = make_project()
    urls = [issue.url for issue in make_issues(ISSUES)]
    importing.take_in(importing.ask(lead=lead, found=kept_file(lead, urls, ("hang", "hang")), people={}))
    Job.objects.update(state=Job.State.DONE, finished_at=timezone.now())
    accept(lead=lead, round_=Round.objects.get(), how=Decision.How.UNANIMOUS)
    job = begin_to_publish(lead)
    kill_at(job, urls[-1])
    half = published()
    assert [len(some) for some in half] == [2 * publishing.BATCH, 2 * publishing.BATCH]

    assert waited_for(lambda: lock_is_free(job))
    jobs.try_again(lead=lead, job=job)
    run_job(job.pk)
    whole = published()
    assert [len(some) for some in whole] == [ISSUES, ISSUES]
    assert all(before <= after for before, after in zip(half, whole, strict=True))
    publishing.publish(Job.objects.select_related("project").get(pk=job.pk))
    assert published() == whole


def published() -> list[set[int]]:
    return [set(model._default_manager.values_list("pk", flat=True)) for model in (Label, Provenance)]


def kill_at(job: Job, url: str) -> None:
    """Let a process do the job until it needs this issue, which the last of three batches does, and kill it there."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM kb_issue WHERE url = %s FOR UPDATE", [url])
        process = worker(job)
        assert waited_for(waiting_for_a_lock)
        process.send_signal(signal.SIGKILL)
        process.wait()


def lock_is_free(job: Job) -> bool:
    """The killed process' lock goes with its connection, a moment later."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", [job.pk])
        return not cursor.fetchone()[0]
