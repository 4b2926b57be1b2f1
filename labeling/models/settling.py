"""Settling of disagreements: discussion, revised votes, adjudicators' first opinions, and decisions.

None of these changes a blind vote. A decision does not change either: it is reopened, and another one follows.
"""

import pgtrigger
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Now
from django.db.models.lookups import GreaterThanOrEqual

from labeling.ballots import number_text
from labeling.models.codebook import NUMBER_DIGITS, NUMBER_PLACES, NodeVersion, ProjectAxis
from labeling.models.projects import Member
from labeling.models.rounds import Item, Round

NEVER_CHANGED = pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete)
NUMBER_FITS = pgtrigger.Trigger(
    name="number_fits_its_axis",
    operation=pgtrigger.Insert,
    when=pgtrigger.Before,
    declare=[("kind", "text")],
    func="""
        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;
        IF kind IN ('text', 'codes') OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN
            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    """,
)


class WithNumber(models.Model):
    """An answer that was given after the votes: on some axes it is a number."""

    number = models.DecimalField(max_digits=NUMBER_DIGITS, decimal_places=NUMBER_PLACES, null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def number_text(self) -> str:
        """The number as it is written; empty where there is none."""
        return "" if self.number is None else number_text(self.number)


# A post as long as this says something: "ok" does not. In bytes of UTF-8, blanks and punctuation left out, so that
# Chinese, three bytes a character, needs fewer of them.
LEAST_BYTES = 20


class Post(models.Model):
    """A post in the discussion of one axis of a released item."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="posts")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="posts")
    text = models.TextField(help_text="Markdown.")
    is_substantial = models.GeneratedField(
        expression=GreaterThanOrEqual(
            Func(
                Func(F("text"), Value("[[:space:][:punct:]]"), Value(""), Value("g"), function="REGEXP_REPLACE"),
                function="OCTET_LENGTH",
                output_field=models.IntegerField(),
            ),
            Value(LEAST_BYTES),
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (models.CheckConstraint(condition=~Q(text=""), name="post_is_not_empty"),)
        triggers = (NEVER_CHANGED,)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class Revision(WithNumber):
    """An annotator's answer after the discussion; the newest one counts, and the blind vote is kept."""

    class Kind(models.TextChoices):
        """How it was chosen."""

        OWN = "own", "Another answer"
        STAY = "stay", "Stays with their answer"
        TAKE = "take", "Takes another's answer"

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="revisions")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="revisions")
    kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.OWN, db_default=Kind.OWN)
    taken_from = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Whose answer was taken."
    )
    is_undecidable = models.BooleanField(default=False)
    versions = models.ManyToManyField(NodeVersion, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (
            models.CheckConstraint(
                condition=(Q(kind="take", taken_from__isnull=False) & ~Q(taken_from=F("member")))
                | Q(kind__in=("own", "stay"), taken_from=None),
                name="revision_taken_from_another",
            ),
        )
        triggers = (NEVER_CHANGED, NUMBER_FITS)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class DiscussionEnd(models.Model):
    """A lead's end of the discussion of one axis of a released item; it can be taken back, and stays on record."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="discussion_ends", db_index=False)
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("item", "axis"), condition=Q(taken_back_at=None), name="discussionend_item_axis_unique"
            ),
            models.CheckConstraint(
                condition=Q(taken_back_at=None, taken_back_by=None)
                | Q(taken_back_at__isnull=False, taken_back_by__isnull=False),
                name="discussionend_taken_back_by_somebody",
            ),
        )
        indexes = (models.Index(fields=("item", "axis"), name="discussionend_item_axis"),)
        triggers = (
            pgtrigger.ReadOnly(name="only_taken_back", exclude=["taken_back_at", "taken_back_by"]),
            pgtrigger.Protect(name="never_deleted", operation=pgtrigger.Delete),
            pgtrigger.Trigger(
                name="of_a_released_item",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM labeling_item i WHERE i.id = NEW.item_id AND i.released_at IS NULL
                    ) THEN
                        RAISE EXCEPTION 'an item is discussed after its release' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_id}: {self.axis}"


class Opinion(WithNumber):
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
        triggers = (NEVER_CHANGED, NUMBER_FITS)

    def __str__(self) -> str:
        return f"{self.item_id}: {self.member}"


class Decision(WithNumber):
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
            NUMBER_FITS,
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
