"""What Postgres itself refuses of jobs, and where it keeps them."""

import datetime as dt
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from kb.models import DiagnosisJob, DiagnosisUpload
from kb.models.diagnosis_jobs import CHUNK

pytestmark = pytest.mark.django_db


def make(**values: Any) -> DiagnosisJob:
    return DiagnosisJob.objects.create(
        **{"bytes_given": 9, "expires_at": timezone.now() + dt.timedelta(hours=1)} | values
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "lost"},
        {"bytes_taken": 10},
        {"bytes_read": -1},
        {"state": "done", "result_text": "{}"},
        {"state": "done", "finished_at": timezone.now()},
        {"state": "working", "result_text": "{}"},
        {"state": "refused", "finished_at": timezone.now()},
        {"state": "waiting", "error": "no"},
    ],
)
def test_a_job_that_contradicts_itself_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        make(**wrong)


@pytest.mark.parametrize("content", [b"", b"x" * (CHUNK + 1)])
def test_a_piece_is_neither_empty_nor_too_large(content: bytes) -> None:
    with pytest.raises(IntegrityError):
        DiagnosisUpload.objects.create(job=make(), file=0, number=0, content=content)


def test_logs_never_reach_the_write_ahead_log() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relpersistence FROM pg_class WHERE relname IN ('kb_diagnosisjob', 'kb_diagnosisupload')"
            " OR oid = (SELECT reltoastrelid FROM pg_class WHERE relname = 'kb_diagnosisupload')"
        )
        found = cursor.fetchall()
    assert {kind for _, kind in found} == {"u"}
    assert len(found) == 3
