"""Rounds, and their items with frozen texts.

Places for votes are in `places`; skipped and flagged items in `passes`.
"""

from typing import Any, Self, cast

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from kb.core.secrets import mask_in_place
from kb.models import Issue
from labeling.models.codebook import Codebook, ProjectAxis, ProjectNode
from labeling.models.items import OwnItem
from labeling.models.projects import Guideline, Member, Project

MOST_VOTES = 30
LEAST_HELD, MOST_HELD = 2, 50
MOST_REPEATS, REPEATED_AFTER, MOST_AFTER = 100, 20, 1_000
ONE_OF_BOTH = Q(issue__isnull=False, own=None) | Q(issue=None, own__isnull=False)


class Round(models.Model):
    """A sample of issues, labelled by one codebook under one rule."""

    class Kind(models.TextChoices):
        """What the round is for (study P5, section on labeling)."""

        SCREENING = "screening", "Screening"
        PILOT = "pilot", "Pilot"
        MAIN = "main", "Main"
        RECHECK = "recheck", "Recheck"

    class Rule(models.TextChoices):
        """How votes become a decision."""

        MAJORITY = "majority", "Majority"
        UNANIMOUS = "unanimous", "Unanimous"
        THIRD_EXPERT = "third_expert", "A third expert settles"
        DISCUSSION = "discussion", "Discussion first, then majority"

    class State(models.TextChoices):
        """The round's state."""

        DRAFT = "draft", "Being prepared"
        OPEN = "open", "Open for votes"
        CLOSED = "closed", "Closed"

    class Release(models.TextChoices):
        """When annotators see one another's votes."""

        ROUND = "round", "When the round closes"
        ISSUE = "issue", "When an issue has all its votes"

    class Measure(models.TextChoices):
        """A coefficient that a gate asks for."""

        PERCENT = "percent", "Percent agreement"
        COHEN = "cohen", "Cohen's κ, mean of the pairs"
        FLEISS = "fleiss", "Fleiss' κ"
        ALPHA = "alpha", "Krippendorff's α"
        AC1 = "ac1", "Gwet's AC1"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=9, choices=Kind.choices)
    name = models.CharField(max_length=80)
    state = models.CharField(max_length=6, choices=State.choices, default=State.DRAFT)
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="rounds")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, blank=True, related_name="rounds")
    annotators = models.ManyToManyField(Member, related_name="rounds", blank=True, help_text="Nobody: all annotators.")
    votes_wanted = models.PositiveSmallIntegerField(default=2)
    seniors_wanted = models.PositiveSmallIntegerField(default=0, help_text="Senior votes that every issue needs.")
    rule = models.CharField(max_length=12, choices=Rule.choices, default=Rule.MAJORITY)
    release = models.CharField(max_length=5, choices=Release.choices, default=Release.ROUND)
    hold_minutes = models.PositiveSmallIntegerField(default=60, help_text="How long an issue stays reserved.")
    places_held = models.PositiveSmallIntegerField(
        default=3, db_default=3, help_text="How many issues one person may hold without a vote at the same time."
    )
    order_seed = models.CharField(
        max_length=40, blank=True, db_default="",
        help_text="Shuffles the issues for each person; empty: everybody gets them in the order of the sample.",
    )  # fmt: skip
    repeats = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many of their own issues each annotator meets again."
    )
    repeats_after = models.PositiveSmallIntegerField(
        default=REPEATED_AFTER, db_default=REPEATED_AFTER, help_text="After how many other votes, at the least."
    )
    deadline = models.DateField(null=True, blank=True)
    discussion_days = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Days after an issue's release until its discussion is due; empty: never."
    )
    shows_comments = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Are comments frozen with the issue? Copied from the project.",
    )

    gate_round = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="gated", help_text="Must come before."
    )
    gate_measure = models.CharField(max_length=7, choices=Measure.choices, blank=True)
    gate_at_least = models.FloatField(null=True, blank=True)

    excluding = models.ManyToManyField(
        ProjectNode, through="Exclusion", related_name="+", blank=True,
        help_text="Screening: the answers by which a vote excludes an issue.",
    )  # fmt: skip
    sample = models.JSONField(default=dict, blank=True, help_text="How the issues were drawn: kind, query, seed, size.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("project", "number")
        constraints = (
            models.UniqueConstraint(fields=("project", "number"), name="round_number_unique"),
            models.UniqueConstraint(fields=("id", "project"), name="round_id_project_unique"),
            models.CheckConstraint(
                condition=Q(votes_wanted__gte=1, votes_wanted__lte=MOST_VOTES), name="round_wants_some_votes"
            ),
            models.CheckConstraint(
                condition=Q(seniors_wanted__lte=models.F("votes_wanted")), name="round_seniors_are_among_votes"
            ),
            models.CheckConstraint(condition=Q(hold_minutes__gte=1), name="round_holds_for_a_while"),
            models.CheckConstraint(
                condition=Q(places_held__gte=LEAST_HELD, places_held__lte=MOST_HELD), name="round_caps_places_held"
            ),
            models.CheckConstraint(
                condition=Q(repeats__lte=MOST_REPEATS, repeats_after__gte=1, repeats_after__lte=MOST_AFTER),
                name="round_repeats_are_few",
            ),
            models.CheckConstraint(
                condition=Q(discussion_days=None) | Q(discussion_days__gte=1), name="round_discusses_for_a_day"
            ),
            models.CheckConstraint(
                condition=Q(gate_measure="", gate_at_least=None, gate_round=None)
                | (~Q(gate_measure="") & Q(gate_at_least__isnull=False, gate_round__isnull=False)),
                name="round_gate_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(state="draft", opened_at=None, closed_at=None)
                | Q(state="open", opened_at__isnull=False, closed_at=None)
                | Q(state="closed", opened_at__isnull=False, closed_at__isnull=False),
                name="round_state_has_its_dates",
            ),
        )
        triggers = (
            pgtrigger.ReadOnly(name="shows_all_issues_alike", fields=["shows_comments"]),
            pgtrigger.ReadOnly(name="keeps_its_order", fields=["order_seed"]),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.name}"

    @property
    def called(self) -> str:
        """The name, with a note where the votes are from a file, for wherever they are shown or counted."""
        return f"{self.name} (from a file)" if self.is_from_file else self.name

    @property
    def is_from_file(self) -> bool:
        """Whether its votes were imported; how independent they are is unknown."""
        return bool(self.sample.get("kind") == "import")


class Exclusion(models.Model):
    """An answer by which a vote excludes an issue in a screening round; of the round's own project (migration 0008)."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="exclusions", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    node = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, related_name="+")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        ordering = ("round", "node")
        constraints = (models.UniqueConstraint(fields=("round", "node"), name="exclusion_round_node_unique"),)

    def __str__(self) -> str:
        return f"{self.round_id}: {self.node_id}"


class Snapshot(models.Model):
    """An issue or own item frozen as every annotator sees it; the hash is of `content` in canonical JSON."""

    issue = models.ForeignKey(Issue, on_delete=models.PROTECT, null=True, related_name="snapshots")
    own = models.ForeignKey(OwnItem, on_delete=models.PROTECT, null=True, related_name="snapshots")
    text_hash = models.CharField(max_length=64)
    content = models.JSONField(help_text="title, body, state, dates, host labels, fixes; comments.")
    taken_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("issue", "-taken_at")
        constraints = (
            models.UniqueConstraint(fields=("issue", "text_hash"), name="snapshot_issue_hash_unique"),
            models.UniqueConstraint(fields=("id", "issue"), name="snapshot_id_issue_unique"),
            models.UniqueConstraint(fields=("own", "text_hash"), name="snapshot_own_hash_unique"),
            models.UniqueConstraint(fields=("id", "own"), name="snapshot_id_own_unique"),
            models.CheckConstraint(condition=ONE_OF_BOTH, name="snapshot_of_issue_or_own"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.issue_id or self.own_id} {self.text_hash[:12]}"

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        """Mask secrets also in snapshots that are older than the rule for them; offsets in the text stay."""
        snapshot = super().from_db(*args, **kwargs)
        if "content" in snapshot.__dict__:
            for part in ("title", "body"):
                snapshot.content[part] = mask_in_place(snapshot.content.get(part) or "").text
            for comment in snapshot.content.get("comments", ()):
                comment["body"] = mask_in_place(comment["body"]).text
        return snapshot


class Item(models.Model):
    """An issue or own item in a round. Until it is released, nobody who may vote on it sees anybody else's vote.

    A dropped item is never released: its votes stay blind, and count for nothing.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="items")
    issue = models.ForeignKey(Issue, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    own = models.ForeignKey(OwnItem, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+", db_index=False)
    position = models.PositiveIntegerField(help_text="The order of the sample.")
    released_at = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(null=True, blank=True)
    dropped_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    drop_reason = models.TextField(blank=True, db_default="")

    class Meta:
        ordering = ("round", "position")
        constraints = (
            models.CheckConstraint(
                condition=Q(dropped_at=None, dropped_by=None, drop_reason="")
                | Q(~Q(drop_reason=""), dropped_at__isnull=False, dropped_by__isnull=False, released_at=None),
                name="item_dropped_with_reason",
            ),
            models.CheckConstraint(condition=ONE_OF_BOTH, name="item_of_issue_or_own"),
            models.UniqueConstraint(fields=("round", "issue"), name="item_round_issue_unique"),
            models.UniqueConstraint(fields=("round", "own"), name="item_round_own_unique"),
            models.UniqueConstraint(fields=("round", "position"), name="item_round_position_unique"),
        )
        triggers = (
            pgtrigger.Trigger(
                name="own_of_its_project",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("own_id", "round_id"),
                when=pgtrigger.Before,
                condition=pgtrigger.Q(new__own__isnull=False),
                func="""
                    IF NOT EXISTS (
                        SELECT 1 FROM labeling_round r JOIN labeling_ownitem o ON o.project_id = r.project_id
                        WHERE r.id = NEW.round_id AND o.id = NEW.own_id
                    ) THEN
                        RAISE EXCEPTION 'an own item stays in its project' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.round_id}/{self.position}"

    @property
    def subject(self) -> Issue | OwnItem:
        """What is labelled: the issue, or the project's own item."""
        return self.own or cast("Issue", self.issue)
