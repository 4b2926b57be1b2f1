"""Labels on issues, their sources, and the cause links that are counted from them."""

import pghistory
import pgtrigger
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import StrIndex
from django.urls import reverse

from kb.models.codebook import Axis, Node, Study
from kb.models.issues import Issue


class SourceKind(models.TextChoices):
    """How labels are made, the most trusted kind first. Every order by trust uses this one."""

    CONSENSUS = "consensus", "Consensus of a labeling round"
    CURATED = "curated", "Curated"
    STUDY = "study", "Imported from a study"
    RULE = "rule", "Suggested by a rule"

    @property
    def made(self) -> str:
        """How labels of this kind are made, as text for pages, files and the API."""
        return MADE[self]


MADE = {
    SourceKind.CONSENSUS: (
        "Several people labelled the issue and settled where they differed; the issue's page tells their votes, and "
        "whether these came from a file."
    ),
    SourceKind.CURATED: (
        "Automated readers (language models) gave the curated labels in two passes; every record links to its thread."
    ),
    SourceKind.STUDY: "Taken over unchanged from a published data set, with that study's own note on how it was made.",
    SourceKind.RULE: "A program's suggestion from the text. Nobody has checked it.",
}

# The same in brief, by the number of passes over a record.
READ_BY = {
    2: "read by automated readers (language models), two passes",
    1: "read by an automated reader (a language model), one pass so far",
}


def trust_order(path: str = "") -> StrIndex:
    """An expression that sorts sources, most trusted first. `path` is a lookup prefix such as `source__`."""
    return StrIndex(Value(" ".join(SourceKind.values)), F(f"{path}kind"))


class Source(models.Model):
    """Who holds a label and how far to trust it. One source of the kind `rule` holds all suggestions."""

    Kind = SourceKind

    class Confidence(models.TextChoices):
        """How far labels of this source can be trusted."""

        HIGH = "high", "High"
        MEDIUM = "medium", "Medium"
        LOW = "low", "Low"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=160)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    confidence = models.CharField(max_length=6, choices=Confidence.choices)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="sources")
    url = models.URLField(blank=True)
    licence = models.TextField(blank=True)
    trust_note = models.TextField(blank=True)

    class Meta:
        ordering = (trust_order(), "slug")
        constraints = (
            models.CheckConstraint(
                condition=Q(kind="study", study__isnull=False) | (~Q(kind="study") & Q(study__isnull=True)),
                name="source_study_kind_has_study",
            ),
            models.CheckConstraint(
                condition=Q(kind="rule", slug="rule") | (~Q(kind="rule") & ~Q(slug="rule")),
                name="source_rule_is_one",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def by_trust(self) -> tuple[int, str]:
        """A sort key, most trusted first."""
        return list(self.Kind.values).index(self.kind), self.slug


class LabelQuerySet(models.QuerySet["Label"]):
    """Reusable fragments of label queries."""

    def by_people(self) -> "LabelQuerySet":
        """Labels without suggestions by rules."""
        return self.exclude(source__kind=Source.Kind.RULE)


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(), pghistory.DeleteEvent())
class Label(models.Model):
    """A source's answer about an issue: one node."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="labels", db_index=False)
    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, related_name="+", db_index=False)
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="labels", db_index=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="labels")
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=models.functions.Now())

    # The confidence of this answer where its provenance was read with it; empty means that of the source.
    confidence = ""

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering = ("issue", "axis", "node", "source")
        constraints = (
            models.UniqueConstraint(fields=("issue", "node", "source"), name="label_issue_node_source_unique"),
        )
        indexes = (models.Index(fields=("node", "issue"), name="label_node_issue"),)
        triggers = (
            pgtrigger.Trigger(
                name="on_active_nodes_only",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                level=pgtrigger.Statement,
                referencing=pgtrigger.Referencing(new="new_labels"),
                func="""
                    IF EXISTS (
                        SELECT 1 FROM new_labels l JOIN kb_node n ON n.id = l.node_id WHERE n.status <> 'active'
                    ) THEN
                        RAISE EXCEPTION 'a label may not be put on a retired or merged node'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NULL;
                """,
            ),
            pgtrigger.Trigger(
                name="moves_to_active_nodes_only",
                operation=pgtrigger.UpdateOf("node_id"),
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (SELECT 1 FROM kb_node n WHERE n.id = NEW.node_id AND n.status <> 'active') THEN
                        RAISE EXCEPTION 'a label may not be put on a retired or merged node'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.node}"


@pghistory.track(fields=["note"], model_name="CauseLinkNoteEvent")
class CauseLink(models.Model):
    """Symptom → root cause within one source: counts, the share with its interval, and a note by staff.

    Counts are distinct issues. `probability` is P(cause | symptom) = issues / symptom_issues with a 95 %
    Wilson interval; `lift` is that over the cause's base rate cause_issues / all_issues.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="cause_links")
    symptom = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="links_to_causes")
    cause = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="links_to_symptoms")
    issues = models.PositiveIntegerField()
    symptom_issues = models.PositiveIntegerField()
    cause_issues = models.PositiveIntegerField()
    all_issues = models.PositiveIntegerField()
    probability_low = models.FloatField()
    probability_high = models.FloatField()
    probability = models.GeneratedField(
        expression=F("issues") * 1.0 / F("symptom_issues"), output_field=models.FloatField(), db_persist=True
    )
    lift = models.GeneratedField(
        expression=F("issues") * 1.0 * F("all_issues") / (F("symptom_issues") * 1.0 * F("cause_issues")),
        output_field=models.FloatField(),
        db_persist=True,
    )
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("source", "-issues", "symptom", "cause")
        constraints = (
            models.UniqueConstraint(fields=("source", "symptom", "cause"), name="causelink_unique"),
            models.CheckConstraint(
                condition=Q(issues__gte=1, symptom_issues__gte=F("issues"), cause_issues__gte=F("issues")),
                name="causelink_counts_nest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.symptom} → {self.cause}"

    def get_absolute_url(self) -> str:
        """The link's page."""
        return reverse("cause-link", args=(self.source.slug, self.symptom.code, self.cause.code))
