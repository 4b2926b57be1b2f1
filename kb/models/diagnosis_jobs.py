"""Jobs of diagnoses that take longer than a response may: the uploads until they are read, the result for an hour.

Both tables are unlogged (migration 0023): no log reaches Postgres' write-ahead log, and a crash empties them.
"""

import datetime as dt
import uuid

import orjson
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import GreaterThan, LessThanOrEqual
from django.utils import timezone

from kb.core.diagnosis.schema import DiagnosisData

CHUNK = 1 << 20
KEPT = dt.timedelta(hours=1)


class DiagnosisJob(models.Model):
    """A diagnosis by a worker. Its id is unguessable, and whoever has it may see the job.

    `files`: `{name, bytes, healthy}` each. `bytes_taken`: of the upload; `bytes_read`: of the unpacked text.
    """

    class State(models.TextChoices):
        """The state of the job. Refused: the upload cannot be read. Failed: an error of ours."""

        WAITING = "waiting", "Waiting"
        WORKING = "working", "Working"
        DONE = "done", "Done"
        REFUSED = "refused", "Refused"
        FAILED = "failed", "Failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    files = models.JSONField(default=list)
    bytes_given = models.BigIntegerField()
    bytes_taken = models.BigIntegerField(default=0)
    bytes_read = models.BigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    result_text = models.TextField(blank=True, help_text="The diagnosis as JSON, in the order of its keys.")
    error = models.TextField(blank=True, help_text="Why there is no result, and what to do.")
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last told of it.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(help_text="When it is deleted with everything that is left of it.")

    class Meta:
        indexes = (models.Index(fields=("expires_at",), name="diagnosisjob_expires"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "working", "done", "refused", "failed")),
                name="diagnosisjob_state_known",
            ),
            models.CheckConstraint(
                condition=Q(bytes_given__gte=0, bytes_taken__gte=0, bytes_read__gte=0)
                & Q(bytes_taken__lte=F("bytes_given")),
                name="diagnosisjob_bytes_add_up",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "working"), finished_at__isnull=True)
                | Q(state__in=("done", "refused", "failed"), finished_at__isnull=False),
                name="diagnosisjob_finished_when_ended",
            ),
            models.CheckConstraint(
                condition=(Q(state="done") & ~Q(result_text="")) | (~Q(state="done") & Q(result_text="")),
                name="diagnosisjob_result_when_done",
            ),
            models.CheckConstraint(
                condition=(Q(state__in=("refused", "failed")) & ~Q(error=""))
                | (~Q(state__in=("refused", "failed")) & Q(error="")),
                name="diagnosisjob_reason_when_not_done",
            ),
        )

    def __str__(self) -> str:
        return f"Diagnosis {self.pk}, {self.state}"

    @property
    def is_finished(self) -> bool:
        """Whether the job has ended."""
        return self.finished_at is not None

    @property
    def progress(self) -> float:
        """The processed share of the upload, from 0 to 1; 1 only for finished jobs."""
        if self.is_finished:
            return 1.0
        return min(0.99, round(self.bytes_taken / self.bytes_given, 2)) if self.bytes_given else 0.0

    @property
    def result(self) -> DiagnosisData | None:
        """The diagnosis; None unless done."""
        data: DiagnosisData | None = orjson.loads(self.result_text) if self.result_text else None
        return data


class DiagnosisUpload(models.Model):
    """A chunk of an uploaded file; `file` is its index in the job's `files`."""

    job = models.ForeignKey(DiagnosisJob, on_delete=models.CASCADE, related_name="uploads", db_index=False)
    file = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ("job", "file", "number")
        constraints = (
            models.UniqueConstraint(fields=("job", "file", "number"), name="diagnosisupload_once"),
            models.CheckConstraint(
                condition=GreaterThan(Length("content"), 0) & LessThanOrEqual(Length("content"), CHUNK),
                name="diagnosisupload_is_a_piece",
            ),
        )

    def __str__(self) -> str:
        return f"{self.job_id}, file {self.file}, piece {self.number}"
