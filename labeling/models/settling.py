"""Settling of disagreements: discussion, revised votes, adjudicators' first opinions, and decisions.

None of these changes a blind vote. A decision does not change either: it is reopened, and another one follows.
"""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.codebook import NodeVersion, ProjectAxis
from labeling.models.projects import Member
from labeling.models.rounds import Item, Round

NEVER_CHANGED = pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete)


class Post(models.Model):
    """A post in the discussion of one axis of a released item."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="posts")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="posts")
    text = models.TextField(help_text="Markdown.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (models.CheckConstraint(condition=~Q(text=""), name="post_is_not_empty"),)
        triggers = (NEVER_CHANGED,)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class Revision(models.Model):
    """An annotator's answer after the discussion; the newest one counts, and the blind vote is kept."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="revisions")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="revisions")
    is_undecidable = models.BooleanField(default=False)
    versions = models.ManyToManyField(NodeVersion, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        triggers = (NEVER_CHANGED,)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class Opinion(models.Model):
    """An adjudicator's first opinion, given before they saw any vote."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="opinions", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="opinions")
    is_undecidable = models.BooleanField(default=False)
    versions = models.ManyToManyField(NodeVersion, related_name="+")
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (
            models.UniqueConstraint(fields=("item", "axis", "member"), name="opinion_item_axis_member_unique"),
        )
        triggers = (NEVER_CHANGED,)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class Decision(models.Model):
    """The outcome on one axis of an item, and how it came about."""

    class How(models.TextChoices):
        """The rule by which it was reached."""

        UNANIMOUS = "unanimous", "All votes were the same"
        MAJORITY = "majority", "Majority of the votes"
        DISCUSSION = "discussion", "Majority after discussion"
        ADJUDICATION = "adjudication", "Adjudicator"

    class Cause(models.TextChoices):
        """Why annotators disagreed, as the adjudicator sees it."""

        GUIDELINE = "guideline", "The guidelines have a gap"
        REPORT = "report", "The report is ambiguous"
        SLIP = "slip", "Somebody slipped"
        NODE = "node", "A category is missing"
        OVERLAP = "overlap", "Categories overlap"
        OTHER = "other", "Something else"

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="decisions", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    how = models.CharField(max_length=12, choices=How.choices)
    is_undecidable = models.BooleanField(default=False)
    versions = models.ManyToManyField(NodeVersion, related_name="+")
    votes = models.PositiveSmallIntegerField(help_text="How many votes there were.")
    support = models.PositiveSmallIntegerField(help_text="How many of them gave exactly this answer.")
    acceptance = models.ForeignKey(
        "Acceptance", on_delete=models.PROTECT, null=True, blank=True, related_name="decisions",
        help_text="The acceptance in bulk that it came by.",
    )  # fmt: skip
    adjudicator = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions")
    cause = models.CharField(max_length=9, choices=Cause.choices, blank=True)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    reopened_at = models.DateTimeField(null=True, blank=True)
    reopened_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    reopened_because = models.TextField(blank=True)

    class Meta:
        ordering = ("item", "axis__position", "created_at")
        constraints = (
            models.UniqueConstraint(
                fields=("item", "axis"), condition=Q(reopened_at=None), name="decision_item_axis_unique"
            ),
            models.CheckConstraint(
                condition=(Q(how="adjudication", adjudicator__isnull=False) & ~Q(cause=""))
                | (~Q(how="adjudication") & Q(adjudicator=None, cause="")),
                name="decision_adjudicated_with_cause",
            ),
            # An answer that somebody voted for may speak for itself (`outcomes`); one that nobody did may not.
            models.CheckConstraint(
                condition=~Q(how="adjudication") | ~Q(reason="") | Q(support__gt=0),
                name="decision_unvoted_with_reason",
            ),
            models.CheckConstraint(
                condition=Q(acceptance=None) | ~Q(how="adjudication"), name="decision_accepted_by_votes"
            ),
            models.CheckConstraint(
                condition=Q(reopened_at=None, reopened_by=None, reopened_because="")
                | (Q(reopened_at__isnull=False, reopened_by__isnull=False) & ~Q(reopened_because="")),
                name="decision_reopened_with_reason",
            ),
        )
        triggers = (
            pgtrigger.ReadOnly(name="only_reopened", exclude=["reopened_at", "reopened_by", "reopened_because"]),
            pgtrigger.Protect(name="never_deleted", operation=pgtrigger.Delete),
            pgtrigger.Trigger(
                name="released_and_independent",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM labeling_vote v
                        WHERE v.item_id = NEW.item_id AND v.member_id = NEW.adjudicator_id
                    ) THEN
                        RAISE EXCEPTION 'an annotator of the item may not adjudicate it'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF EXISTS (
                        SELECT 1 FROM labeling_item i WHERE i.id = NEW.item_id AND i.released_at IS NULL
                    ) THEN
                        RAISE EXCEPTION 'an item is decided after its release' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_id}: {self.axis} {self.get_how_display()}"


class Acceptance(models.Model):
    """A lead's acceptance in bulk of what a round's votes decide; its decisions can be reopened together."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="acceptances", db_index=False)
    number = models.PositiveIntegerField()
    how = models.CharField(max_length=12, choices=Decision.How.choices)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("round", "-number")
        constraints = (
            models.UniqueConstraint(fields=("round", "number"), name="acceptance_number_unique"),
            models.CheckConstraint(condition=~Q(how="adjudication"), name="acceptance_is_by_votes"),
        )
        triggers = (NEVER_CHANGED,)

    def __str__(self) -> str:
        return f"{self.round}: {self.get_how_display()} {self.number}"
