"""Checks of quality within a round: gold answers, and issues that annotators answer a second time.

Neither is a vote: nothing here enters agreement between annotators, decisions, publication or exports of votes.
"""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.codebook import NodeVersion, ProjectAxis
from labeling.models.projects import Member
from labeling.models.rounds import Item
from labeling.models.settling import NUMBER_FITS, WithNumber
from labeling.models.votes import Vote


class GoldAnswer(WithNumber):
    """The right answer on one axis of an item, given by somebody who does not vote on it, until the round closes."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="gold_answers", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    given_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    is_undecidable = models.BooleanField(default=False)
    versions = models.ManyToManyField(NodeVersion, related_name="+")
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("item", "axis__position")
        constraints = (
            models.UniqueConstraint(fields=("item", "axis"), name="goldanswer_item_axis_unique"),
            models.CheckConstraint(condition=~Q(reason=""), name="goldanswer_has_reason"),
        )
        triggers = (
            NUMBER_FITS,
            pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),
            pgtrigger.Trigger(
                name="before_the_round_closes",
                operation=pgtrigger.Insert | pgtrigger.Delete,
                when=pgtrigger.Before,
                declare=[("touched", "bigint")],
                func="""
                    touched := CASE TG_OP WHEN 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;
                    IF EXISTS (
                        SELECT 1 FROM labeling_item i JOIN labeling_round r ON r.id = i.round_id
                        WHERE i.id = touched AND r.state = 'closed'
                    ) THEN
                        RAISE EXCEPTION 'gold answers of a closed round stay as they are'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF TG_OP = 'DELETE' THEN
                        RETURN OLD;
                    END IF;
                    IF EXISTS (
                        SELECT 1 FROM labeling_vote v
                        WHERE v.item_id = NEW.item_id AND v.member_id = NEW.given_by_id
                    ) THEN
                        RAISE EXCEPTION 'an annotator of the item may not give its gold answers'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_id}: {self.axis}"


class Repeat(models.Model):
    """An issue that its annotator meets again, after others, and answers without their first vote in sight.

    It looks like any ballot. `content` is the draft, as `labeling.ballots` has it, and in the end the answers.
    """

    vote = models.OneToOneField(Vote, on_delete=models.PROTECT, related_name="repeat")
    due_after = models.PositiveIntegerField(help_text="After how many votes of the round it was due.")
    content = models.JSONField(default=dict)
    active_seconds = models.PositiveIntegerField(default=0, help_text="Working time, without idle time.")
    offered_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())
    submitted_at = models.DateTimeField(null=True, blank=True)
    skipped_at = models.DateTimeField(null=True, blank=True)
    skip_reason = models.TextField(blank=True, db_default="")

    class Meta:
        ordering = ("offered_at", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(skipped_at=None, skip_reason="")
                | (Q(skipped_at__isnull=False, submitted_at=None) & ~Q(skip_reason="")),
                name="repeat_skipped_with_reason",
            ),
        )
        triggers = (
            pgtrigger.Protect(
                name="answered_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__submitted_at__isnull=False) | pgtrigger.Q(old__skipped_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.vote} again"
