"""Which repositories are mirrored, how far each mirror has come, and what each run did.

The mirrored issues themselves live in `kb`. A mirror's wishes (`Mirror`, edited by people) and its progress
(`Cursor`, written by runs) are apart, so that neither overwrites the other.
"""

import datetime as dt

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from kb.core.secrets import mask
from kb.models import Host, Issue, Repository

SHORTEST_MINUTES, USUAL_MINUTES, LONGEST_MINUTES = 1, 15, 7 * 24 * 60


class KeywordList(models.Model):
    """Words of which an issue must hold one, where a general framework's mirror keeps only what concerns LLMs."""

    name = models.CharField(max_length=80, unique=True)
    words = ArrayField(models.CharField(max_length=80), help_text="One is enough; case does not matter.")
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Mirror(models.Model):
    """A repository whose issues are mirrored, and how its readers want that."""

    repository = models.OneToOneField(Repository, on_delete=models.PROTECT, related_name="mirror")
    is_on = models.BooleanField("on", default=True, help_text="When off, mirrored data stays as it is.")
    interval_minutes = models.PositiveIntegerField(
        default=USUAL_MINUTES,
        validators=[MinValueValidator(SHORTEST_MINUTES), MaxValueValidator(LONGEST_MINUTES)],
        help_text="How often the host is checked for changes.",
    )
    backfill_from = models.DateField(
        null=True, blank=True, help_text="Only issues changed since this day; empty for all."
    )
    keywords = models.ForeignKey(
        KeywordList,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="mirrors",
        help_text="Keep only issues with one of these words; empty to keep all.",
    )
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("repository__full_name",)
        constraints = (
            models.CheckConstraint(
                condition=Q(interval_minutes__range=(SHORTEST_MINUTES, LONGEST_MINUTES)),
                name="mirror_interval_sensible",
            ),
        )

    def __str__(self) -> str:
        return str(self.repository)

    @property
    def interval(self) -> dt.timedelta:
        """How often the host is checked for changes."""
        return dt.timedelta(minutes=self.interval_minutes)


class Cursor(models.Model):
    """How far a mirror has come. Written together with the issues it speaks of, in one transaction."""

    mirror = models.OneToOneField(Mirror, on_delete=models.CASCADE, primary_key=True, related_name="cursor")
    updated_at = models.DateTimeField(
        null=True, blank=True, help_text="Every change up to this moment, by the host's clock, is in the mirror."
    )
    next_url = models.TextField(blank=True, help_text="The next page of changes that bear the very same moment.")
    is_complete = models.BooleanField(default=False, help_text="The first time through came to its end.")
    probe_since = models.DateTimeField(null=True, blank=True, help_text="From when the newest changes are asked for.")
    probe_etag = models.CharField(
        max_length=200, blank=True, help_text="What the host's answer to that was marked with."
    )
    expected = models.PositiveIntegerField(null=True, blank=True, help_text="Issues and pull requests on the host.")
    known_gap = ArrayField(
        models.IntegerField(),
        default=list,
        blank=True,
        help_text="How many more issues, open issues and pull requests the host counts than it lists.",
    )
    compared_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When everything was last looked at because host and mirror counted differently.",
    )
    label_names = models.JSONField(
        default=dict, blank=True, help_text="The host's labels as last seen: ids, which survive renames, to names."
    )
    label_marks = models.JSONField(
        default=dict,
        blank=True,
        help_text="The addresses of the host's list of labels, to what each answer was marked with.",
    )
    fresh_at = models.DateTimeField(null=True, blank=True, help_text="When mirror and host were last the same.")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When the next run begins.")
    resume_at = models.DateTimeField(null=True, blank=True, help_text="Nothing is asked before, as the host wishes.")
    failures = models.PositiveIntegerField(default=0, help_text="Runs that failed since the last good one.")
    swept_up_to = models.PositiveBigIntegerField(default=0, help_text="The sweep has looked at rows up to this id.")
    swept_at = models.DateTimeField(null=True, blank=True, help_text="When the last sweep over everything ended.")
    looks = models.JSONField(
        default=list,
        blank=True,
        help_text="When rows were last looked at, by stretches: up to which id, and since when.",
    )
    all_seen_by = models.DateTimeField(null=True, blank=True, help_text="When this sweep over everything should end.")
    sweep_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when everything should be looked at again as soon as the host allows."
    )

    class Meta:
        indexes = (models.Index(fields=("due_at",), name="cursor_due"),)

    def __str__(self) -> str:
        return f"{self.mirror}: {self.updated_at}"


class Pending(models.Model):
    """An issue whose comments and fixes have yet to be fetched; written with the page that brought the issue."""

    issue = models.OneToOneField(Issue, on_delete=models.CASCADE, primary_key=True, related_name="pending_details")
    mirror = models.ForeignKey(Mirror, on_delete=models.CASCADE, related_name="pending", db_index=False)
    since = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True, help_text="After a failure: when to try again.")

    class Meta:
        ordering = ("issue",)
        verbose_name_plural = "pending details"
        indexes = (models.Index(fields=("mirror", "attempts", "issue"), name="pending_next"),)

    def __str__(self) -> str:
        return str(self.issue)


class LeftOut(models.Model):
    """An issue that a mirror's keywords left out: counted, listed, and kept after all if somebody says so."""

    mirror = models.ForeignKey(Mirror, on_delete=models.CASCADE, related_name="left_out", db_index=False)
    ref = models.CharField(max_length=20)
    kind = models.CharField(max_length=12)
    title = models.TextField(blank=True)
    host_updated_at = models.DateTimeField(null=True, blank=True)
    overruled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    overruled_at = models.DateTimeField(null=True, blank=True, help_text="When somebody said to keep it after all.")

    class Meta:
        ordering = ("mirror", F("host_updated_at").desc(nulls_last=True))
        verbose_name_plural = "left out"
        constraints = (models.UniqueConstraint(fields=("mirror", "ref"), name="leftout_once"),)

    def __str__(self) -> str:
        return f"{self.mirror}#{self.ref}"

    @property
    def shown_title(self) -> str:
        """The title as it may leave the product: without what people paste by accident (`kb.core.secrets`)."""
        return mask(self.title).text


class SyncRun(models.Model):
    """One run of a mirror: what it asked, what it brought, why it stopped."""

    class Kind(models.TextChoices):
        """What the run was for."""

        POLL = "poll", "What is new"
        SWEEP = "sweep", "Everything looked at again"
        ONE = "one", "One issue"

    class Status(models.TextChoices):
        """How it ended."""

        RUNNING = "running", "Running"
        DONE = "done", "Done"
        PAUSED = "paused", "To be continued"
        LIMITED = "limited", "Waiting for the host's limit"
        FAILED = "failed", "Failed"
        INTERRUPTED = "interrupted", "Interrupted"

    mirror = models.ForeignKey(Mirror, on_delete=models.CASCADE, related_name="runs", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    pages = models.PositiveIntegerField(default=0)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0)
    detailed = models.PositiveIntegerField(default=0, help_text="Issues whose comments and fixes were fetched.")
    deleted = models.PositiveIntegerField(default=0)
    moved = models.PositiveIntegerField(default=0)
    requests = models.PositiveIntegerField(default=0)
    not_modified = models.PositiveIntegerField(default=0, help_text="Requests answered with 304, which cost nothing.")
    waited_seconds = models.FloatField(default=0)
    budget_left = models.PositiveIntegerField(null=True, blank=True)
    lag_seconds = models.FloatField(null=True, blank=True, help_text="How old the mirror was when the run began.")
    problem = models.TextField(blank=True, help_text="What went wrong, in plain words.")
    advice = models.TextField(blank=True, help_text="What to do about it.")

    class Meta:
        ordering = ("-started_at", "-pk")
        indexes = (
            models.Index(fields=("mirror", "-started_at"), name="syncrun_latest"),
            models.Index(fields=("started_at",), name="syncrun_started"),
        )

    def __str__(self) -> str:
        return f"{self.mirror} {self.started_at:%Y-%m-%d %H:%M}"

    @property
    def duration(self) -> dt.timedelta | None:
        """How long the run took; None while it goes on."""
        return self.finished_at - self.started_at if self.finished_at else None


class Delivery(models.Model):
    """A webhook's delivery, or somebody's wish to have an issue read anew: a hint that something changed."""

    guid = models.CharField(max_length=80, unique=True)
    host = models.CharField(max_length=40, choices=Host.choices, default=Host.GITHUB)
    event = models.CharField(max_length=40)
    action = models.CharField(max_length=40, blank=True)
    repository = models.CharField(max_length=200, blank=True)
    ref = models.CharField(max_length=20, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    handled_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("-received_at", "-pk")
        verbose_name_plural = "deliveries"
        indexes = (
            models.Index(fields=("received_at",), condition=Q(handled_at__isnull=True), name="delivery_unhandled"),
        )

    def __str__(self) -> str:
        return self.guid
