"""Shared diagnoses, feedback on diagnoses, and the signatures that staff confirmed.

People see before they send what will be stored, which is redacted (`kb.core.redaction`).
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
    """A redacted diagnosis behind an unguessable link, until a day that its owner chose.

    `hidden`: the number of redactions by kind. The secret in the delete link deletes it; only a digest is stored.
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
        """Its page, for everybody who has the link."""
        return reverse("diagnose-shared", args=(self.token,))


class DiagnosisFeedback(models.Model):
    """Feedback on one part of a diagnosis, redacted, with the excerpt of the diagnosis that a reviewer needs.

    `subject` is FILE:LINE, a code of the house codebook or an issue's address, depending on `about`.
    """

    class About(models.TextChoices):
        """The part of the diagnosis."""

        LINE = "line", "The line that failed first"
        CAUSE = "cause", "A likely cause"
        ISSUE = "issue", "A known issue"

    class State(models.TextChoices):
        """The state of the review."""

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
    """A decision on feedback: by whom, when, why, and the new state."""

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
    """A confirmed signature: failures with it are of this issue, this root cause, or both."""

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
