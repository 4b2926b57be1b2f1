"""A project's publication: what was asked for, what curators accepted, refused and withdrew, and why.

What is public stands in the knowledge base (`kb.models.Label`, `kb.models.Provenance`); who may be told, in selectors.
"""

from typing import Any

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from kb.models import Axis, Issue, Source
from labeling.models.codebook import ProjectNode
from labeling.models.projects import Member, Project
from labeling.models.settling import Decision


def _scope(help_text: str) -> "ArrayField[Any, Any]":
    """A list of axes and categories, as `labeling.scopes` reads it."""
    return ArrayField(models.CharField(max_length=100), default=list, blank=True, help_text=help_text)


class Publication(models.Model):
    """A project's source in the knowledge base, the same however often it is published and withdrawn."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="publication")
    source = models.OneToOneField(Source, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True, help_text="When it was last updated.")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    includes_pilots = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("project",)

    def __str__(self) -> str:
        return f"{self.project}: {self.source}"


class CategoryRequest(models.Model):
    """A category that a project voted in and asks a curator to take into the house codebook."""

    class State(models.TextChoices):
        """The curator's decision."""

        WAITING = "waiting", "Waiting for a curator"
        ACCEPTED = "accepted", "Accepted"
        REFUSED = "refused", "Refused"

    node = models.OneToOneField(ProjectNode, on_delete=models.CASCADE, related_name="request")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(state="waiting", decided_at=None, decided_by=None)
                | Q(~Q(state="waiting"), decided_at__isnull=False, decided_by__isnull=False),
                name="categoryrequest_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(state="refused") | ~Q(reason=""), name="categoryrequest_refused_with_reason"
            ),
        )

    def __str__(self) -> str:
        return f"{self.node}: {self.get_state_display().lower()}"


class StaffAction(models.Model):
    """An action of the staff on a project, with its reason. Never changed; deleted only with a demo project.

    Of the actions on an answer, the newest says whether it may be public (`labeling.scopes`).
    """

    class Kind(models.TextChoices):
        """The kind of action."""

        WITHDRAW = "withdraw", "Publication withdrawn"
        ALLOW = "allow", "Publishing allowed again"
        SUSPEND = "suspend", "Project suspended"
        RESUME = "resume", "Project resumed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="staff_actions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    scope = _scope("What is withdrawn or allowed again; empty: everything.")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=~Q(reason=""), name="staffaction_has_reason"),
            models.CheckConstraint(
                condition=Q(kind__in=("withdraw", "allow")) | Q(scope=[]), name="staffaction_scope_of_publication"
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.project}: {self.get_kind_display().lower()}"


class PublicationRequest(models.Model):
    """A lead's request to publish, and a curator's decision on it. What was asked for is never changed."""

    class State(models.TextChoices):
        """The curator's decision, or the lead's second thoughts."""

        WAITING = "waiting", "Waiting for a curator"
        ACCEPTED = "accepted", "Accepted"
        REFUSED = "refused", "Refused"
        WITHDRAWN = "withdrawn", "Taken back"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="publication_requests")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+", help_text="The lead who asked.")
    scope = _scope("What to publish; empty: everything.")
    pilots = models.BooleanField(default=False)
    decisions = ArrayField(models.BigIntegerField(), default=list, blank=True, help_text="In scope when it was made.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what would be public, as it was when it was made.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    accepted_scope = _scope("What the curator accepted of it; empty: everything.")
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("project",), condition=Q(state="waiting"), name="publicationrequest_one_waiting"
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", decided_at=None, decided_by=None)
                | Q(~Q(state="waiting"), decided_at__isnull=False, decided_by__isnull=False),
                name="publicationrequest_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(state="refused") | ~Q(reason=""), name="publicationrequest_refused_with_reason"
            ),
            models.CheckConstraint(
                condition=Q(state="accepted") | Q(published_at=None, accepted_scope=[]),
                name="publicationrequest_published_if_accepted",
            ),
        )
        triggers = (
            pgtrigger.ReadOnly(
                name="asked_once",
                fields=["project", "member", "scope", "pilots", "decisions", "digest", "created_at"],
            ),
            pgtrigger.Protect(
                name="decided_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__state__df=pgtrigger.F("new__state")) & ~pgtrigger.Q(old__state="waiting"),
            ),
            pgtrigger.Trigger(
                name="two_people",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
                func="""
                    IF NEW.state = 'accepted' AND (TG_OP = 'INSERT' OR OLD.state <> 'accepted') AND EXISTS (
                        SELECT 1 FROM labeling_member m JOIN labeling_project p ON p.id = m.project_id
                        WHERE p.id = NEW.project_id AND NOT p.is_demo AND m.user_id = NEW.decided_by_id
                    ) THEN
                        RAISE EXCEPTION 'nobody accepts what their own project publishes'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.get_state_display().lower()}"


class AcceptedAnswer(models.Model):
    """An answer as a curator saw and accepted it: the only thing that publishing writes. Never changed."""

    request = models.ForeignKey(PublicationRequest, on_delete=models.PROTECT, related_name="answers", db_index=False)
    issue = models.ForeignKey(Issue, on_delete=models.PROTECT, related_name="+", db_index=False)
    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, related_name="+", db_index=False)
    decision = models.ForeignKey(
        Decision, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False,
        help_text="None: the answer is taken out of the knowledge base.",
    )  # fmt: skip
    nodes = ArrayField(models.BigIntegerField(), default=list, blank=True, help_text="The house nodes, as accepted.")

    class Meta:
        ordering = ("request", "issue", "axis")
        constraints = (
            models.UniqueConstraint(
                fields=("request", "issue", "axis"), name="acceptedanswer_request_issue_axis_unique"
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.request_id}: {self.issue_id}"
