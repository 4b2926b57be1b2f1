"""The whole way of a job over a real broker and worker: asked for, made, its worker killed, deleted meanwhile."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client

from config.celery import app
from config.embedded.up import processes
from config.schedule import ROUTES
from kb.diagnose import jobs
from kb.health.heartbeat import KEY
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.tasks import record_heartbeat
from tests.ingest.forking import ROOT
from tests.ingest.small import database_address
from tests.kb.diagnose.runs import ERROR, failed_run

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1 << 20
# A machine that is busy with something else says nothing of jobs.
PATIENCE = 120.0
State = DiagnosisJob.State


def wait_until(is_so: Callable[[], object]) -> None:
    """Look again and again, for as long as anybody would wait."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.05)


class Workers:
    """Workers as `make up` starts them, on the tests' database and broker."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, name: str = "diagnoser") -> None:
        """Start one, in a group of its own."""
        environment = {**os.environ, "DATABASE_URL": database_address()}
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                processes(0)[name], cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        self._processes.append(process)

    def kill(self) -> None:
        """Kill all of them with all their processes, at once."""
        for process in self._processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._processes.clear()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    app.set_default()
    found = Workers(tmp_path / "log")
    with app.connection_for_write() as connected, connected.SimpleQueue(ROUTES[jobs.TASK]["queue"]) as queue:
        queue.clear()
        try:
            yield found
        finally:
            found.kill()
            queue.clear()


@contextmanager
def reading_held_up() -> Iterator[None]:
    """Who reads a piece meanwhile waits in the middle of the job."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE kb_diagnosisupload IN ACCESS EXCLUSIVE MODE")
        yield


def ask(client: Client, size: int = 6 * MIB) -> Any:
    response = client.generic("POST", "/api/v1/diagnose", failed_run(size), "text/plain")
    assert response.status_code == 202
    return response.json()


def state_of(job: Any) -> str:
    return str(DiagnosisJob.objects.filter(pk=job["id"]).values_list("state", flat=True).first())


def test_a_large_log_is_diagnosed_by_a_worker(client: Client, workers: Workers) -> None:
    workers.start()
    job = ask(client, 20 * MIB)
    assert job["state"] == "waiting"
    wait_until(lambda: state_of(job) == State.DONE)
    found = client.get(job["url"]).json()
    assert found["progress"] == 1.0
    assert found["bytes_read"] >= found["bytes_given"] == found["bytes_taken"] > 20 * MIB
    assert ERROR in found["result"]["lines"][0]["text"]
    assert not DiagnosisUpload.objects.exists()


def test_a_job_whose_worker_is_killed_is_made_by_the_next_one(client: Client, workers: Workers) -> None:
    job = ask(client)
    with reading_held_up():
        workers.start()
        wait_until(lambda: state_of(job) == State.WORKING)
        workers.kill()
    assert DiagnosisUpload.objects.exists()

    def is_sent_again() -> bool:
        jobs.look_after()
        return state_of(job) == State.WAITING

    wait_until(is_sent_again)
    workers.start()
    wait_until(lambda: state_of(job) == State.DONE)
    assert DiagnosisJob.objects.get().attempts == 2
    assert not DiagnosisUpload.objects.exists()


def test_a_job_that_is_deleted_while_it_is_read_leaves_nothing_and_the_worker_goes_on(
    client: Client, workers: Workers
) -> None:
    job = ask(client)
    with reading_held_up():
        workers.start()
        wait_until(lambda: state_of(job) == State.WORKING)
        assert client.delete(job["url"]).status_code == 204
    following = ask(client)
    wait_until(lambda: state_of(following) == State.DONE)
    assert client.get(job["url"]).status_code == 404
    assert [str(one.pk) for one in DiagnosisJob.objects.all()] == [following["id"]]
    assert not DiagnosisUpload.objects.exists()


@pytest.mark.drill("A packed log costs in proportion to its bytes, one address has its share")
def test_what_others_do_does_not_wait_for_a_diagnosis(client: Client, workers: Workers) -> None:
    cache.delete(KEY)
    job = ask(client)
    with reading_held_up():
        workers.start()
        workers.start("worker")
        wait_until(lambda: state_of(job) == State.WORKING)
        record_heartbeat.delay(time.time())
        wait_until(lambda: cache.get(KEY))
        assert state_of(job) == State.WORKING
    wait_until(lambda: state_of(job) == State.DONE)
