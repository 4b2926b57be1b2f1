"""Diagnosis jobs: kept in pieces, made once, looked after, gone in the end."""

import datetime as dt
import io
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import orjson
import psycopg
import pytest
from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from config.celery import app
from config.schedule import BEAT, ROUTES
from kb import tasks
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose import answer as answering
from kb.diagnose import jobs
from kb.diagnose import worker as working
from kb.diagnose.chunks import GoneError, Pieces
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.lock import KEY
from kb.diagnose.uploads import TooLargeError, Upload
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.models.diagnosis_jobs import CHUNK
from tests.kb.diagnose.runs import ERROR, FAILED, as_tar, failed_run, handed_in, steps

pytestmark = pytest.mark.django_db
LOG = FAILED.encode()
HOUR = dt.timedelta(hours=1)
State = DiagnosisJob.State
QUEUE = ROUTES[jobs.TASK]["queue"]


def started(*contents: bytes) -> DiagnosisJob:
    return jobs.start(files=[handed_in(content, f"{place}.log") for place, content in enumerate(contents or (LOG,))])


def again(job: DiagnosisJob) -> DiagnosisJob:
    return DiagnosisJob.objects.get(pk=job.pk)


def at_once(files: Sequence[Upload]) -> Any:
    """What would have been answered to somebody who waits."""
    return orjson.loads(orjson.dumps(answer_at_once(files=files, waiting=Waiting(sent=CHUNK**2, text=CHUNK**2))))


Sent = Callable[[], list[uuid.UUID]]


@pytest.fixture
def sent() -> Iterator[Sent]:
    """The jobs that workers have been told of since it was last asked; no worker takes them here."""
    app.set_default()
    with app.connection_for_read() as connected, connected.SimpleQueue(QUEUE) as queue:
        queue.clear()

        def told() -> list[uuid.UUID]:
            messages = []
            with suppress(queue.Empty):
                while True:
                    messages.append(queue.get(block=False))
                    messages[-1].ack()
            assert {message.headers["task"] for message in messages} <= {jobs.TASK}
            return [uuid.UUID(message.payload[0][0]) for message in messages]

        yield told
        queue.clear()


@contextmanager
def somebody_at(job: DiagnosisJob) -> Iterator[None]:
    """Another worker holds the job's lock."""
    values = connection.get_connection_params()
    with psycopg.connect(
        **{name: values[name] for name in ("dbname", "user", "host", "port") if name in values}
    ) as other:
        other.execute(f"SELECT pg_advisory_lock({KEY})", [str(job.pk)])
        yield


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens each time that a worker writes down how far it is."""
    tell = working.Progress._tell

    def told(self: working.Progress) -> None:
        happens()
        tell(self)

    monkeypatch.setattr(working.Progress, "_tell", told)


class TestStarting:
    def test_what_was_handed_in_is_kept_whole_in_pieces(self) -> None:
        content = failed_run(2 * CHUNK)
        job = started(content, b"", LOG)
        pieces = DiagnosisUpload.objects.filter(job=job).order_by("file", "number")
        assert [(one.file, one.number) for one in pieces] == [(0, 0), (0, 1), (0, 2), (2, 0)]
        assert b"".join(bytes(one.content) for one in pieces) == content + LOG
        assert job.bytes_given == len(content) + len(LOG)

    def test_it_is_its_owners_and_gone_with_them(self) -> None:
        ada = User.objects.create_user("ada")
        job = jobs.start(files=[handed_in(LOG)], owner=ada)
        assert job.owner == ada
        ada.delete()
        assert not DiagnosisJob.objects.exists()
        assert not DiagnosisUpload.objects.exists()

    def test_its_number_cannot_be_guessed(self) -> None:
        numbers = [started().pk for _ in range(3)]
        assert {number.version for number in numbers} == {4}
        assert len(set(numbers)) == 3

    def test_nothing_is_kept_of_what_is_too_large(self, settings: Settings) -> None:
        settings.DIAGNOSIS_UPLOAD_MB = 1
        with pytest.raises(TooLargeError, match="More than 1 MB"):
            started(failed_run(CHUNK))
        assert not DiagnosisJob.objects.exists()

    def test_nothing_is_kept_of_a_stream_that_breaks_off(self) -> None:
        class Broken(io.BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                if self.tell() > CHUNK:
                    raise OSError("gone")
                return super().read(size)

        broken = handed_in(b"")
        object.__setattr__(broken, "stream", Broken(failed_run(3 * CHUNK)))
        with pytest.raises(OSError, match="gone"):
            jobs.start(files=[broken])
        assert not DiagnosisJob.objects.exists()
        assert not DiagnosisUpload.objects.exists()


class TestRunning:
    def test_its_result_is_that_of_the_files_themselves(self) -> None:
        packed = as_tar({"rank3.log": failed_run(3 * CHUNK), "rank0.log": steps(CHUNK).encode()})
        job = started(packed, failed_run(CHUNK))
        assert working.run(job_id=job.pk)
        files = [handed_in(packed, "0.log"), handed_in(failed_run(CHUNK), "1.log")]
        done = again(job)
        assert done.result == at_once(files)
        assert ERROR in str(done.result)
        assert done.state == State.DONE
        assert done.bytes_taken == done.bytes_given
        assert done.expires_at - timezone.now() > HOUR * 0.9
        assert not DiagnosisUpload.objects.exists()

    def test_healthy_files_are_held_beside_it(self) -> None:
        noise = "ERROR heartbeat of the watcher failed with code 7\n"
        files = [handed_in((noise + FAILED).encode()), handed_in((noise * 3).encode(), "ok.log", healthy=True)]
        job = jobs.start(files=files)
        working.run(job_id=job.pk)
        assert again(job).result == at_once(files)

    def test_a_second_delivery_does_nothing(self) -> None:
        job = started()
        assert working.run(job_id=job.pk)
        before = again(job)
        assert not working.run(job_id=job.pk)
        after = again(job)
        assert (after.attempts, after.finished_at) == (1, before.finished_at)

    def test_a_delivery_while_another_worker_is_at_it_does_nothing(self) -> None:
        job = started()
        with somebody_at(job):
            assert not working.run(job_id=job.pk)
        assert again(job).state == State.WAITING
        assert DiagnosisUpload.objects.exists()

    def test_one_whose_worker_died_is_begun_anew(self) -> None:
        job = started()
        DiagnosisJob.objects.update(state=State.WORKING, attempts=1, bytes_taken=5)
        assert working.run(job_id=job.pk)
        assert again(job).state == State.DONE
        assert again(job).bytes_taken == len(LOG)

    def test_one_that_killed_two_workers_gets_no_third(self) -> None:
        job = started()
        DiagnosisJob.objects.update(state=State.WORKING, attempts=2)
        assert not working.run(job_id=job.pk)
        assert again(job).state == State.FAILED
        assert "may need more memory" in again(job).error
        assert not DiagnosisUpload.objects.exists()

    def test_what_cannot_be_read_is_refused(self) -> None:
        job = started(bytes(range(32)) * 99)
        assert working.run(job_id=job.pk)
        assert again(job).state == State.REFUSED
        assert "does not look like a text log" in again(job).error
        assert not DiagnosisUpload.objects.exists()

    def test_more_text_than_a_job_may_read_is_told(self, settings: Settings) -> None:
        settings.DIAGNOSIS_TEXT_MB = 1
        job = started(LOG + failed_run(4 * CHUNK))
        working.run(job_id=job.pk)
        result = again(job).result
        assert result is not None
        assert "Only the first 1 MiB of text are read." in " ".join(result["unknown"])

    def test_no_longer_than_it_may(self, settings: Settings) -> None:
        settings.DIAGNOSIS_MINUTES = 0
        job = started()
        assert working.run(job_id=job.pk)
        assert again(job).state == State.REFUSED
        assert "longer than 0 minutes" in again(job).error
        assert not DiagnosisUpload.objects.exists()

    def test_the_workers_own_limit_of_time_is_told_the_same_way(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop() -> None:
            raise SoftTimeLimitExceeded

        meanwhile(monkeypatch, stop)
        job = started()
        assert working.run(job_id=job.pk)
        assert again(job).state == State.REFUSED
        assert "minutes" in again(job).error

    def test_an_error_of_ours_is_told_and_raised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def break_down() -> None:
            raise ZeroDivisionError

        meanwhile(monkeypatch, break_down)
        job = started()
        with pytest.raises(ZeroDivisionError):
            working.run(job_id=job.pk)
        assert again(job).state == State.FAILED
        assert "an error of ours" in again(job).error
        assert not DiagnosisUpload.objects.exists()

    def test_one_that_is_deleted_while_it_is_read_stops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        job = started(failed_run(3 * CHUNK))
        meanwhile(monkeypatch, lambda: jobs.delete(job_id=job.pk))
        assert not working.run(job_id=job.pk)
        assert not DiagnosisJob.objects.exists()
        assert not DiagnosisUpload.objects.exists()

    def test_one_that_is_deleted_while_it_is_judged_leaves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        job = started()

        def judged_late(**values: Any) -> DiagnosisData:
            found = answering.answer(**values)
            jobs.delete(job_id=job.pk)
            return found

        monkeypatch.setattr(working, "answer", judged_late)
        assert not working.run(job_id=job.pk)
        assert not DiagnosisJob.objects.exists()

    def test_nobody_can_run_what_is_not_there(self) -> None:
        assert not working.run(job_id=uuid.uuid4())


class TestLookingAfter:
    def test_what_has_run_out_goes_with_its_pieces(self, sent: Sent) -> None:
        old, new = started(), started()
        DiagnosisJob.objects.filter(pk=old.pk).update(expires_at=timezone.now())
        jobs.look_after()
        assert list(DiagnosisJob.objects.all()) == [new]
        assert set(DiagnosisUpload.objects.values_list("job", flat=True)) == {new.pk}
        assert sent() == []

    def test_a_job_without_a_worker_is_sent_again_once_and_then_has_failed(self, sent: Sent) -> None:
        job = started()
        DiagnosisJob.objects.update(state=State.WORKING, attempts=1)
        jobs.look_after()
        assert (again(job).state, sent()) == (State.WAITING, [job.pk])
        DiagnosisJob.objects.update(state=State.WORKING, attempts=2)
        jobs.look_after()
        assert (again(job).state, sent()) == (State.FAILED, [])
        assert "stopped in the middle, twice" in again(job).error
        assert not DiagnosisUpload.objects.exists()

    def test_a_job_that_is_being_read_is_left_alone(self, sent: Sent) -> None:
        job = started()
        DiagnosisJob.objects.update(state=State.WORKING, attempts=1)
        with somebody_at(job):
            jobs.look_after()
        assert (again(job).state, sent()) == (State.WORKING, [])

    def test_a_job_that_no_worker_heard_of_is_told_again_after_a_while(self, sent: Sent) -> None:
        lost, _fresh = started(), started()
        DiagnosisJob.objects.filter(pk=lost.pk).update(sent_at=timezone.now() - jobs.RESEND_AFTER * 2)
        jobs.look_after()
        jobs.look_after()
        assert sent() == [lost.pk]

    def test_without_a_broker_a_job_waits_until_there_is_one(
        self, monkeypatch: pytest.MonkeyPatch, sent: Sent, django_capture_on_commit_callbacks: Any
    ) -> None:
        with monkeypatch.context() as away:
            away.setattr(jobs, "current_app", Celery(broker="redis://127.0.0.1:1/0", set_as_current=False))
            with django_capture_on_commit_callbacks(execute=True):
                job = started()
        assert (again(job).state, sent()) == (State.WAITING, [])
        DiagnosisJob.objects.update(sent_at=timezone.now() - jobs.RESEND_AFTER * 2)
        jobs.look_after()
        assert sent() == [job.pk]


class TestProgress:
    def test_it_is_written_once_a_second_at_most(self) -> None:
        job = started()
        moments = iter([0.0, 0.0, 0.5, 0.9, 1.0, 1.5])
        progress = working.Progress(job.pk, seconds=60, clock=lambda: next(moments))
        written = []
        for size in (10, 20, 30, 40, 50):
            progress.taken(10)
            progress_of = again(job)
            written.append((size, progress_of.bytes_taken))
        assert written == [(10, 10), (20, 10), (30, 10), (40, 40), (50, 40)]

    def test_it_tells_of_one_that_was_deleted(self) -> None:
        with pytest.raises(GoneError):
            working.Progress(uuid.uuid4(), seconds=60).read(1)

    @pytest.mark.parametrize(("taken", "expected"), [(0, 0.0), (50, 0.5), (100, 0.99)])
    def test_it_is_whole_only_in_the_end(self, taken: int, expected: float) -> None:
        job = DiagnosisJob(bytes_given=100, bytes_taken=taken)
        assert job.progress == expected
        job.finished_at = timezone.now()
        assert job.progress == 1.0


class TestPieces:
    @pytest.mark.parametrize("size", [1_000, CHUNK - 1, CHUNK, 3 * CHUNK])
    def test_they_are_read_as_one_stream_from_any_place(self, size: int) -> None:
        content = failed_run(2 * CHUNK)
        job, told = started(b"x", content), list[int]()
        stream = Pieces(job.pk, 1, len(content), told.append)
        for place in (0, 7, CHUNK, 2 * CHUNK + 5):
            stream.seek(place)
            parts = list(iter(lambda: stream.read(size), b""))
            assert b"".join(parts) == content[place:]
        assert sum(told) == len(content)
        # Who reads for the second time is told, too, that time is over or the job gone.
        assert told[-1] == 0

    def test_missing_ones_are_no_end(self) -> None:
        content = failed_run(2 * CHUNK)
        job = started(content)
        DiagnosisUpload.objects.filter(number=1).delete()
        stream = Pieces(job.pk, 0, len(content), lambda _: None)
        with pytest.raises(GoneError):
            list(iter(lambda: stream.read(CHUNK), b""))


def test_the_beat_looks_after_jobs_every_few_minutes() -> None:
    assert BEAT["diagnoses"]["task"] == tasks.look_after_diagnoses.name
    assert tasks.diagnose.name == jobs.TASK
    assert BEAT["diagnoses"]["schedule"] == 120.0
