"""Background jobs as people see them: their arguments, progress and result."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from labeling.models.projects import Member, Project


class Job(models.Model):
    """A background job. It may be retried at any time, and goes on from what it has done."""

    class Kind(models.TextChoices):
        """What the job does."""

        PUBLISH = "publish", "Publishing"
        WITHDRAW = "withdraw", "Withdrawing"
        RELEASE = "release", "Making a release"
        IMPORT = "import", "Importing votes"
        FILL = "fill", "Drawing the sample"
        ITEMS = "items", "Taking own items in"

    class State(models.TextChoices):
        """How far the job is."""

        WAITING = "waiting", "Waiting for a worker"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="jobs",
        help_text="Who started it; empty: the site's staff.",
    )  # fmt: skip
    arguments = models.JSONField(default=dict, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict, blank=True, help_text="Its result: counts and what it created.")
    message = models.TextField(blank=True, help_text="Why it failed.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "kind"), condition=Q(state__in=("waiting", "running")), name="job_one_at_a_time"
            ),
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="job_done_is_of_total"),
            models.CheckConstraint(
                condition=Q(state__in=("done", "failed"), finished_at__isnull=False)
                | Q(state__in=("waiting", "running"), finished_at=None),
                name="job_finished_is_dated",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.get_state_display().lower()}"
