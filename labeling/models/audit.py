"""The audit log of a project: who of its members, or of the site's staff, did what and when. Only ever added to."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.projects import Member, Project


class AuditEntry(models.Model):
    """One act. It keeps a round's number and name rather than the round, which can be discarded before it opens."""

    class Kind(models.TextChoices):
        """What was done."""

        INVITED = "invited", "Invitation made"
        REVOKED = "revoked", "Invitation withdrawn"
        JOINED = "joined", "Joined"
        LEFT = "left", "Left"
        REMOVED = "removed", "Removed"
        ROLES = "roles", "Roles changed"
        GUIDELINES = "guidelines", "Guidelines written"
        ITEMS = "items", "Own items taken in"
        ITEMS_GONE = "items_gone", "Own items deleted"
        OPENED = "opened", "Round opened"
        CLOSED = "closed", "Round closed"
        DISCARDED = "discarded", "Round discarded"
        VOTES = "votes", "Votes wanted changed"
        DEADLINE = "deadline", "Deadline moved"
        ANNOTATORS = "annotators", "Annotators of a round changed"
        DROPPED = "dropped", "Issue dropped"
        RESTORED = "restored", "Issue put back"
        ANSWERED = "answered", "Flag answered"
        GOLD = "gold", "Gold answers given"
        NOT_GOLD = "not_gold", "Gold answers taken out"
        ENDED = "ended", "Discussion ended"
        CONTINUED = "continued", "End of a discussion taken back"
        MAPPED = "mapped", "Answers mapped to house categories"
        CODING = "coding", "Open coding begun"
        CODED = "coded", "Codebook made of open codes"
        ACCEPTED = "accepted", "Answers accepted"
        REOPENED = "reopened", "Decisions reopened"
        BALLOT = "ballot", "Change of the codebook put to the vote"
        PUBLISH = "publish", "Publication asked for"
        TAKEN_BACK = "taken_back", "Request for publication taken back"
        GRANTED = "granted", "Publication accepted by staff"
        REFUSED = "refused", "Publication refused by staff"
        PUBLISHED = "published", "Published"
        WITHDRAW = "withdraw", "Withdrawal of the publication asked for"
        RELEASED = "released", "Release made"
        READER = "reader", "Reader stored"
        UNREAD = "unread", "Reader removed"
        ASSISTED = "assisted", "Suggestions on ballots set"
        ARCHIVED = "archived", "Archived"
        UNARCHIVED = "unarchived", "Taken out of the archive"
        SUSPENDED = "suspended", "Suspended by staff"
        RESUMED = "resumed", "Resumed by staff"
        BARRED = "barred", "Publication withdrawn by staff"
        ALLOWED = "allowed", "Publishing allowed by staff"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="audit_entries")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Who did it."
    )
    staff = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="Who of the site's staff did it.",
    )  # fmt: skip
    about = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The member that it was done to.",
    )
    round_number = models.PositiveSmallIntegerField(null=True, blank=True)
    round_name = models.CharField(max_length=120, blank=True)
    detail = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name_plural = "audit entries"
        constraints = (
            models.CheckConstraint(
                condition=Q(member__isnull=False, staff=None) | Q(member=None, staff__isnull=False),
                name="auditentry_done_by_one",
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.project}: {self.get_kind_display().lower()}"
