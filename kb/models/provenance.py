"""How a labeling project came to its answer about an issue, in counts. Publishing the project's results writes it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from kb.models.codebook import Axis
from kb.models.issues import Issue
from kb.models.labels import Source


class Provenance(models.Model):
    """The votes and the outcome on one axis of an issue, also where the outcome is no label."""

    class How(models.TextChoices):
        """What settled it."""

        UNANIMOUS = "unanimous", "All votes were the same"
        MAJORITY = "majority", "The majority of the votes"
        DISCUSSION = "discussion", "The majority after a discussion"
        ADJUDICATION = "adjudication", "An adjudicator"

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="provenances", db_index=False)
    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, related_name="+", db_index=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="provenances")
    project = models.CharField(max_length=120)
    round = models.CharField(max_length=80)
    rule = models.CharField(max_length=60, help_text="By what rule votes were to become an outcome.")
    codebook = models.PositiveSmallIntegerField(help_text="The version of the project's codebook.")
    votes = models.PositiveSmallIntegerField(help_text="How many voted, each without seeing the others.")
    support = models.PositiveSmallIntegerField(help_text="How many of them gave exactly the outcome.")
    answers = models.JSONField(default=list, help_text="Each answer with its number of votes: [[text, votes], ...].")
    agreement = models.FloatField(null=True, blank=True, help_text="The share of pairs of votes that are equal.")
    posts = models.PositiveIntegerField(default=0, help_text="Number of posts in the discussion.")
    revised = models.PositiveSmallIntegerField(default=0, help_text="How many changed their answer after it.")
    how = models.CharField(max_length=12, choices=How.choices)
    is_undecidable = models.BooleanField(default=False, help_text="The outcome is that the report does not say.")
    cause = models.CharField(max_length=60, blank=True, help_text="Why the votes differed, in the adjudicator's eyes.")
    reason = models.TextField(blank=True, help_text="The adjudicator's.")
    decided_on = models.DateField()
    release = models.CharField(max_length=160, blank=True, help_text="The newest frozen release that holds it.")
    confidence = models.CharField(
        max_length=6, choices=Source.Confidence.choices, default=Source.Confidence.LOW,
        db_default=Source.Confidence.LOW, help_text="See docs/confidence.md.",
    )  # fmt: skip
    is_pilot = models.BooleanField(default=False, db_default=False, help_text="Was it decided in a pilot round?")
    is_from_file = models.BooleanField(
        default=False, db_default=False, help_text="Were the votes cast elsewhere, and imported from a file?"
    )
    people = ArrayField(models.CharField(max_length=160), default=list, blank=True, help_text="Who allow to be named.")

    class Meta:
        ordering = ("issue", "axis__position", "source")
        verbose_name_plural = "provenance"
        constraints = (
            models.UniqueConstraint(fields=("issue", "axis", "source"), name="provenance_issue_axis_source_unique"),
            models.CheckConstraint(condition=Q(support__lte=F("votes")), name="provenance_support_is_of_votes"),
            models.CheckConstraint(
                condition=Q(agreement=None) | Q(agreement__gte=0, agreement__lte=1),
                name="provenance_agreement_is_share",
            ),
            models.CheckConstraint(
                condition=~Q(how="adjudication") | ~Q(reason=""), name="provenance_adjudicated_with_reason"
            ),
        )

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.get_how_display()}"
