"""Readers: named sources of answers about a round's issues that are no person, and what ballots showed of them.

Their answers are nobody's votes and count for no decision. Which places show them is `Slot.is_assisted`.
"""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.codebook import ProjectAxis
from labeling.models.projects import Member
from labeling.models.rounds import Item, Round

LEAST_PERCENT, MOST_PERCENT = 10, 90


class Reader(models.Model):
    """A model's answers from a file. With a percentage, it assists its round: that share of places shows them."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="readers", db_index=False)
    name = models.CharField(max_length=80, help_text="Of the model or the program.")
    version = models.CharField(max_length=80, blank=True)
    answered_on = models.DateField(null=True, blank=True)
    note = models.CharField(max_length=200, blank=True, help_text="The prompt's SHA-256, or a note.")
    cost = models.CharField(max_length=40, blank=True)
    filename = models.CharField(max_length=200)
    format = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64, help_text="Of the file and its format.")
    content = models.BinaryField()
    report = models.JSONField(default=dict, help_text="What the file gives, as counts, and its first rejected lines.")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    taken_at = models.DateTimeField(null=True, blank=True, help_text="When its answers were stored.")
    assist_percent = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of the places, how many in a hundred show its answers; empty: none."
    )
    assist_seed = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ("round", "pk")
        constraints = (
            models.UniqueConstraint(fields=("round", "sha256"), name="reader_round_sha256_unique"),
            models.UniqueConstraint(
                fields=("round",), condition=Q(assist_percent__isnull=False), name="reader_one_assists"
            ),
            models.CheckConstraint(
                condition=Q(assist_percent=None, assist_seed="")
                | Q(
                    ~Q(assist_seed=""), assist_percent__gte=LEAST_PERCENT, assist_percent__lte=MOST_PERCENT,
                    taken_at__isnull=False,
                ),
                name="reader_assists_by_its_seed",
            ),
        )  # fmt: skip
        triggers = (
            pgtrigger.Trigger(
                name="assists_as_drafted",
                operation=pgtrigger.UpdateOf("assist_percent", "assist_seed") | pgtrigger.Delete,
                when=pgtrigger.Before,
                func="""
                    IF (TG_OP = 'DELETE' AND OLD.assist_percent IS NOT NULL
                        OR TG_OP = 'UPDATE' AND (OLD.assist_percent, OLD.assist_seed)
                            IS DISTINCT FROM (NEW.assist_percent, NEW.assist_seed))
                        AND EXISTS (
                            SELECT 1 FROM labeling_round r WHERE r.id = OLD.round_id AND r.state <> 'draft'
                        )
                    THEN
                        RAISE EXCEPTION 'an opened round keeps the reader that assists it'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF TG_OP = 'DELETE' THEN
                        RETURN OLD;
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.called

    @property
    def called(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


class ReaderAnswer(models.Model):
    """A reader's answer on one axis of an item: codes of the axis' nodes, a text (which may be a number), or neither.

    Codes rather than versions, so that a draft's answers survive a new codebook.
    """

    reader = models.ForeignKey(Reader, on_delete=models.CASCADE, related_name="answers", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+", db_index=False)
    codes = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    is_undecidable = models.BooleanField(default=False, help_text="The report does not say.")
    text = models.TextField(blank=True)

    class Meta:
        ordering = ("reader", "item", "axis__position")
        constraints = (
            models.UniqueConstraint(fields=("reader", "item", "axis"), name="readeranswer_once"),
            models.CheckConstraint(
                condition=Q(is_undecidable=True, codes=[], text="")
                | Q(~Q(codes=[]), is_undecidable=False, text="")
                | Q(~Q(text=""), is_undecidable=False, codes=[]),
                name="readeranswer_says_one_thing",
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.reader_id}: {self.item_id} {self.axis}"


class Suggestion(models.Model):
    """What a member was shown of the reader that assists, from when on; the same to page and program.

    It outlives the place it was shown on: who has seen it takes no blind place on the item any more.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="suggestions", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    reader = models.ForeignKey(Reader, on_delete=models.PROTECT, related_name="+", db_index=False)
    content = models.JSONField(help_text="Axis code -> the answer, as a draft holds one.")
    shown_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("shown_at", "pk")
        constraints = (models.UniqueConstraint(fields=("item", "member"), name="suggestion_item_member_unique"),)
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.item_id} to {self.member_id}"
