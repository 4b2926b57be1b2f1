"""Votes with their answers and evidence, and the drafts that become votes.

A vote is never changed. Its author may take it back into a draft for a while; never once the item is released.
"""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from labeling.models.codebook import NUMBER_DIGITS, NUMBER_PLACES, Codebook, NodeVersion, ProjectAxis
from labeling.models.places import Slot
from labeling.models.projects import Guideline, Member
from labeling.models.rounds import Item


class Confidence(models.IntegerChoices):
    """How sure an annotator is."""

    UNSURE = 1, "Unsure"
    FAIR = 2, "Fairly sure"
    SURE = 3, "Sure"


class Draft(models.Model):
    """A ballot that is not submitted yet; it outlives sessions and reservations."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="drafts", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="drafts")
    content = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0, help_text="Increases with every save, so that other tabs notice.")
    active_seconds = models.PositiveIntegerField(default=0, help_text="Working time, without idle time.")
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta:
        ordering = ("-updated_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("item", "member"), name="draft_item_member_unique"),)

    def __str__(self) -> str:
        return f"{self.item_id} by {self.member_id}"


class Vote(models.Model):
    """One person's blind answers about one item."""

    slot = models.OneToOneField(Slot, on_delete=models.PROTECT, related_name="vote")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="votes", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="votes")
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="votes")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, blank=True, related_name="votes")
    confidence = models.PositiveSmallIntegerField(choices=Confidence.choices)
    note = models.TextField(blank=True, help_text="For the adjudicator.")
    rule_reasons = models.JSONField(default=dict, blank=True, help_text="Cross rule -> why the vote breaks it.")
    active_seconds = models.PositiveIntegerField(default=0)
    receipt = models.CharField(max_length=16, unique=True)
    submitted_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("submitted_at", "pk")
        constraints = (
            models.UniqueConstraint(fields=("item", "member"), name="vote_item_member_unique"),
            models.CheckConstraint(condition=Q(confidence__in=Confidence.values), name="vote_confidence_known"),
        )
        triggers = (
            pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),
            pgtrigger.Trigger(
                name="open_items_only",
                operation=pgtrigger.Insert | pgtrigger.Delete,
                when=pgtrigger.Before,
                # Locked, so that a release or a drop under way is waited for and then seen.
                declare=[("touched", "bigint"), ("released", "timestamptz"), ("dropped", "timestamptz")],
                func="""
                    touched := CASE TG_OP WHEN 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;
                    SELECT i.released_at, i.dropped_at INTO released, dropped
                        FROM labeling_item i WHERE i.id = touched FOR SHARE;
                    IF released IS NOT NULL THEN
                        RAISE EXCEPTION 'the votes of a released item are settled' USING ERRCODE = 'check_violation';
                    END IF;
                    IF dropped IS NOT NULL THEN
                        RAISE EXCEPTION 'the votes of a dropped item stay as they are'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF TG_OP = 'DELETE' THEN
                        RETURN OLD;
                    END IF;
                    RETURN NEW;
                """,
            ),
            pgtrigger.Trigger(
                name="not_by_who_gave_gold",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM labeling_goldanswer g
                        WHERE g.item_id = NEW.item_id AND g.given_by_id = NEW.member_id
                    ) THEN
                        RAISE EXCEPTION 'who gave the gold answers of an item may not vote on it'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.receipt


class Answer(models.Model):
    """A vote's answer on one axis: nodes, a number, a text, or that the report does not say.

    A number's `text` is how it was typed.
    """

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="answers", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+", db_index=False)
    is_undecidable = models.BooleanField(default=False, help_text="The report does not say.")
    text = models.TextField(blank=True, default="", db_default="")
    number = models.DecimalField(max_digits=NUMBER_DIGITS, decimal_places=NUMBER_PLACES, null=True, blank=True)

    class Meta:
        ordering = ("vote", "axis__position")
        constraints = (
            models.UniqueConstraint(fields=("vote", "axis"), name="answer_vote_axis_unique"),
            models.UniqueConstraint(fields=("id", "axis"), name="answer_id_axis_unique"),
        )
        triggers = (
            pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),
            pgtrigger.Trigger(
                name="fits_its_axis",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                declare=[("kind", "text")],
                func="""
                    SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;
                    IF (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable)
                        OR (NEW.text <> '') <> (kind IN ('number', 'text', 'codes') AND NOT NEW.is_undecidable)
                    THEN
                        RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.vote_id}: {self.axis}"


class AnswerNode(models.Model):
    """A node version that an answer names; at most one where the axis allows one."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="nodes", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+", db_index=False)
    several = models.BooleanField(help_text="As its axis says.")
    version = models.ForeignKey(NodeVersion, on_delete=models.PROTECT, related_name="answers")

    class Meta:
        ordering = ("answer", "version__position")
        constraints = (
            models.UniqueConstraint(fields=("answer", "version"), name="answernode_version_unique"),
            models.UniqueConstraint(fields=("answer",), condition=Q(several=False), name="answernode_only_one"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.answer_id}: {self.version}"


class Evidence(models.Model):
    """A passage of the frozen text that an answer rests on; `start` and `end` count characters of that part."""

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="evidence")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    part = models.CharField(max_length=20, help_text="title or body")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        ordering = ("vote", "part", "start")
        verbose_name_plural = "evidence"
        constraints = (models.CheckConstraint(condition=Q(end__gt=F("start")), name="evidence_is_not_empty"),)
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.vote_id}: {self.part} {self.start}-{self.end}"
