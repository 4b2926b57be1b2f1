"""Studies, schemes, their axes and nodes, and crosswalks between nodes.

A node is never deleted: it is retired, or merged into another.
"""

from functools import lru_cache

import pghistory
import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

MAX_DEPTH = 3  # the trigger `no_cycle` says it too


@lru_cache(4_000)
def node_path(scheme: str, axis: str, code: str) -> str:
    """The page of a node. Kept: a page of results names hundreds."""
    return reverse("node", args=(scheme, axis, code))


class Trust(models.TextChoices):
    """How far a published number can be trusted."""

    PRIMARY = "primary", "Seen in the paper or its data"
    SECONDARY = "secondary", "Seen in somebody else's notes"
    DERIVED = "derived", "Computed from seen numbers"
    INFERRED = "inferred", "Inferred, not seen"


class Study(models.Model):
    """A published data set or paper."""

    slug = models.SlugField(max_length=60, unique=True)
    code = models.CharField(max_length=12, unique=True)
    title = models.TextField()
    authors = models.TextField(blank=True)
    year = models.PositiveSmallIntegerField()
    venue = models.TextField(blank=True)
    url = models.URLField()
    doi = models.CharField(max_length=80, blank=True)
    data_url = models.URLField(blank=True)
    licence = models.TextField()
    sample_total = models.PositiveIntegerField(null=True, blank=True)
    sample = models.JSONField(default=dict, blank=True, help_text="Sample size by framework.")
    period = models.TextField(blank=True)
    method = models.TextField()
    completeness = models.TextField()
    trust_note = models.TextField()
    not_found = ArrayField(models.TextField(), default=list, blank=True)
    facts = models.JSONField(default=list, blank=True, help_text="Published numbers with their trust marks.")
    overlaps = models.ManyToManyField("self", blank=True, help_text="Studies whose samples may share issues.")

    class Meta:
        ordering = ("code",)
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return f"{self.code} {self.title}"

    def get_absolute_url(self) -> str:
        """The study's page."""
        return reverse("study", args=(self.slug,))


class Scheme(models.Model):
    """A set of nodes: the house codebook, or one study's categories."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=160)
    version = models.CharField(max_length=20)
    study = models.OneToOneField(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="scheme")

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def is_house(self) -> bool:
        """Is this our own codebook, not a study's scheme?"""
        return self.study_id is None


class Axis(models.Model):
    """A question that a scheme answers about an issue."""

    scheme = models.ForeignKey(Scheme, on_delete=models.PROTECT, related_name="axes")
    code = models.SlugField(max_length=30)
    name = models.CharField(max_length=60)
    question = models.TextField(blank=True)
    several = models.BooleanField(default=True, help_text="May an issue carry several nodes of this axis?")
    rules = ArrayField(models.TextField(), default=list, blank=True, help_text="How to choose, on the whole axis.")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("scheme", "position")
        verbose_name_plural = "axes"
        constraints = (models.UniqueConstraint(fields=("scheme", "code"), name="axis_scheme_code_unique"),)

    def __str__(self) -> str:
        return f"{self.scheme.slug}/{self.code}"


class NodeQuerySet(models.QuerySet["Node"]):
    """Reusable fragments of node queries."""

    def house(self) -> "NodeQuerySet":
        """Nodes of the house codebook."""
        return self.filter(axis__scheme__study=None)

    def themes(self) -> "NodeQuerySet":
        """The house codebook's active themes, without what is below them."""
        return self.house().filter(axis__code="theme", parent=None, status=Node.Status.ACTIVE)

    def within(self, codes: list[str]) -> "NodeQuerySet":
        """The nodes with these codes and everything below them (the tree is at most 3 deep)."""
        return self.filter(Q(code__in=codes) | Q(parent__code__in=codes) | Q(parent__parent__code__in=codes))


@pghistory.track()
class Node(models.Model):
    """One answer on an axis."""

    class Status(models.TextChoices):
        """A node's life."""

        ACTIVE = "active", "Active"
        RETIRED = "retired", "Retired"
        MERGED = "merged", "Merged into another"

    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, related_name="nodes")
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="children")
    code = models.CharField(max_length=64)
    name = models.CharField(max_length=160)
    definition = models.TextField()
    include = ArrayField(models.TextField(), default=list, blank=True)
    exclude = ArrayField(models.TextField(), default=list, blank=True)
    examples = ArrayField(models.TextField(), default=list, blank=True)
    aliases = ArrayField(models.TextField(), default=list, blank=True, help_text="Search synonyms.")
    specific_to_distributed = models.BooleanField(null=True, blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="absorbed", db_index=False
    )
    position = models.PositiveSmallIntegerField(default=0)

    published_count = models.PositiveIntegerField(null=True, blank=True)
    published_percent = models.FloatField(null=True, blank=True)
    percent_of = models.TextField(blank=True)
    published_trust = models.CharField(max_length=10, choices=Trust.choices, blank=True)
    note = models.TextField(blank=True)
    voted_in_by = models.CharField(
        max_length=120, blank=True, help_text="The labeling project whose vote brought it in: no file knows it."
    )
    no_crosswalk_reason = models.TextField(blank=True)

    objects = NodeQuerySet.as_manager()

    class Meta:
        ordering = ("axis", "position")
        constraints = (
            models.UniqueConstraint(fields=("axis", "code"), name="node_axis_code_unique"),
            models.UniqueConstraint(fields=("id", "axis"), name="node_id_axis_unique"),
            models.CheckConstraint(
                condition=Q(status="merged", merged_into__isnull=False)
                | (~Q(status="merged") & Q(merged_into__isnull=True)),
                name="node_merged_has_target",
            ),
            models.CheckConstraint(condition=~Q(merged_into=F("id")), name="node_not_merged_into_itself"),
            models.CheckConstraint(
                condition=Q(published_count__isnull=True, published_percent__isnull=True) | ~Q(published_trust=""),
                name="node_number_has_trust",
            ),
        )
        triggers = (
            pgtrigger.Trigger(
                name="no_cycle",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("parent_id"),
                when=pgtrigger.After,
                condition=pgtrigger.Q(new__parent__isnull=False),
                declare=[("depth", "integer")],
                func="""
                    WITH RECURSIVE up(id, parent_id, level) AS (
                        SELECT n.id, n.parent_id, 1 FROM kb_node n WHERE n.id = NEW.id
                        UNION ALL
                        SELECT n.id, n.parent_id, up.level + 1 FROM kb_node n JOIN up ON n.id = up.parent_id
                        WHERE up.level <= 3
                    ) SELECT max(level) INTO depth FROM up;
                    IF depth > 3 THEN
                        RAISE EXCEPTION 'node % would be in a cycle or deeper than 3 levels', NEW.code
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NULL;
                """,
            ),
            pgtrigger.Trigger(
                name="no_labels_left_when_retired",
                operation=pgtrigger.UpdateOf("status"),
                when=pgtrigger.Before,
                condition=pgtrigger.Q(new__status__in=("retired", "merged")),
                func="""
                    IF EXISTS (SELECT 1 FROM kb_label l WHERE l.node_id = NEW.id) THEN
                        RAISE EXCEPTION 'node % still carries labels: move them first', NEW.code
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
            pgtrigger.Protect(name="never_deleted", operation=pgtrigger.Delete),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The node's page."""
        return node_path(self.axis.scheme.slug, self.axis.code, self.code)


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(), pghistory.DeleteEvent())
class Crosswalk(models.Model):
    """A SKOS mapping: `from_node` has a `relation` match `to_node` (SKOS Reference, section 10)."""

    class Relation(models.TextChoices):
        """SKOS's mapping properties."""

        EXACT = "exact", "same meaning as"
        CLOSE = "close", "close to"
        BROAD = "broad", "narrower than"
        NARROW = "narrow", "broader than"

    from_node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="crosswalks_out")
    to_node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="crosswalks_in")
    relation = models.CharField(max_length=6, choices=Relation.choices)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("from_node", "to_node")
        constraints = (
            models.UniqueConstraint(fields=("from_node", "to_node"), name="crosswalk_pair_unique"),
            models.CheckConstraint(condition=~Q(from_node=F("to_node")), name="crosswalk_not_to_itself"),
        )

    def __str__(self) -> str:
        return f"{self.from_node} {self.get_relation_display()} {self.to_node}"
