"""Diagnoses that somebody chose to share, what people say of diagnoses, and what staff confirmed of that.

Nothing gets here by itself: people see beforehand what is stored of theirs, and it is redacted
(`kb.core.redaction`).
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import GreaterThan, LessThanOrEqual
from django.urls import reverse

from kb.models.codebook import Node
from kb.models.issues import Issue

MOST_SHARED, MOST_EXCERPT = 512 * 1024, 32 * 1024
MOST_TITLE, MOST_NOTE, MOST_WORDS = 120, 2_000, 500


class SharedDiagnosis(models.Model):
    """A redacted diagnosis behind a link that nobody can guess, until a day that its owner chose.

    `hidden`: how many of each kind were hidden. Whoever has the delete link's secret may delete it; only a digest of
    that is kept.
    """

    token = models.CharField(max_length=43, unique=True)
    delete_digest = models.CharField(max_length=64)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    title = models.CharField(max_length=MOST_TITLE, blank=True)
    data_text = models.TextField(help_text="The redacted diagnosis as JSON, in the order of its keys.")
    hidden = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("expires_at",), name="shareddiagnosis_expires"),)
        constraints = (
            models.CheckConstraint(
                condition=GreaterThan(Length("token"), 21) & GreaterThan(Length("delete_digest"), 63),
                name="shareddiagnosis_hard_to_guess",
            ),
            models.CheckConstraint(
                condition=GreaterThan(Length("data_text"), 1) & LessThanOrEqual(Length("data_text"), MOST_SHARED),
                name="shareddiagnosis_size",
            ),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="shareddiagnosis_ends"),
        )

    def __str__(self) -> str:
        return self.title or f"Shared diagnosis {self.pk}"

    def get_absolute_url(self) -> str:
        """Where everybody who has the link reads it."""
        return reverse("diagnose-shared", args=(self.token,))


class DiagnosisFeedback(models.Model):
    """What somebody says of one thing in a diagnosis, redacted, with as much of the diagnosis as a reviewer needs.

    `subject`: what it is about, a FILE:LINE, a code of the house codebook or an issue's address, by `about`.
    """

    class About(models.TextChoices):
        """What in the diagnosis was right or wrong."""

        LINE = "line", "The line that failed first"
        CAUSE = "cause", "A likely cause"
        ISSUE = "issue", "A known issue"

    class State(models.TextChoices):
        """What staff made of it."""

        NEW = "new", "New"
        ACCEPTED = "accepted", "Accepted"
        DECLINED = "declined", "Declined"

    about = models.CharField(max_length=5, choices=About.choices)
    subject = models.CharField(max_length=MOST_WORDS)
    is_right = models.BooleanField()
    really_at = models.CharField(max_length=MOST_WORDS, blank=True, help_text="FILE:LINE of what failed first.")
    issue_url = models.CharField(max_length=MOST_WORDS, blank=True, help_text="The issue that it was.")
    note = models.CharField(max_length=MOST_NOTE, blank=True)
    signature_version = models.PositiveSmallIntegerField(null=True, blank=True)
    signature_key = models.CharField(max_length=128, blank=True)
    signature_text = models.CharField(max_length=MOST_NOTE, blank=True)
    excerpt_text = models.TextField(help_text="As much of the diagnosis as a reviewer needs, redacted, as JSON.")
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.NEW)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("-pk",)
        permissions = (("review_diagnosisfeedback", "Can review what people say of diagnoses"),)
        indexes = (models.Index(fields=("state", "-id"), name="diagnosisfeedback_queue"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(about__in=("line", "cause", "issue")), name="diagnosisfeedback_about_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=("new", "accepted", "declined")), name="diagnosisfeedback_state_known"
            ),
            models.CheckConstraint(
                condition=Q(signature_version__isnull=True, signature_key="")
                | (Q(signature_version__isnull=False) & ~Q(signature_key="")),
                name="diagnosisfeedback_signature_is_whole",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("excerpt_text"), MOST_EXCERPT), name="diagnosisfeedback_size"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_about_display()}: {'right' if self.is_right else 'wrong'}"


class FeedbackDecision(models.Model):
    """One step of a feedback's history: who decided what, when and why. `state`: what it became."""

    feedback = models.ForeignKey(DiagnosisFeedback, on_delete=models.CASCADE, related_name="decisions")
    state = models.CharField(max_length=8, choices=DiagnosisFeedback.State.choices)
    reason = models.CharField(max_length=MOST_NOTE, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=("new", "accepted", "declined")), name="feedbackdecision_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="declined") | ~Q(reason=""), name="feedbackdecision_declined_with_reason"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_state_display()}: {self.reason}"


class KnownSignature(models.Model):
    """Staff confirmed what a failure of this signature is: an issue, a cause of the house codebook, or both."""

    version = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=128)
    text = models.CharField(max_length=MOST_NOTE)
    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    cause = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    feedback = models.OneToOneField(DiagnosisFeedback, on_delete=models.CASCADE, related_name="known_signature")
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("key", "version"), name="knownsignature_key"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(issue__isnull=False) | Q(cause__isnull=False), name="knownsignature_says_something"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="knownsignature_key_given"),
        )

    def __str__(self) -> str:
        return self.text or self.key
