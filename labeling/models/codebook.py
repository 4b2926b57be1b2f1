"""A project's own codebook: its axes, its nodes, their versions, and the numbered codebooks made of those.

A label points at a node's version, so that it goes on meaning what was meant. The knowledge base's nodes
(`kb.models.Node`) are where a project's nodes come from and where its results are published.
"""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from kb.models import Axis, Node
from labeling.models.projects import Project

# Of a number that is an answer: as `labeling.ballots.NUMBER` takes them.
NUMBER_DIGITS, NUMBER_PLACES = 15, 6


class AxisKind(models.TextChoices):
    """What an answer is. A scale's nodes are its steps, in order."""

    ONE = "one", "One answer"
    SEVERAL = "several", "Several answers"
    SCALE = "scale", "A step on a scale"
    NUMBER = "number", "A number"
    TEXT = "text", "Free text"
    CODES = "codes", "Open codes"


# Answered in words: read side by side, never compared and never decided.
IN_WORDS = (AxisKind.TEXT, AxisKind.CODES)


class ProjectAxis(models.Model):
    """A question that every vote answers; `axis` is the house axis that it was frozen from, none for a project's own.

    It is in every codebook from number `since` to number `until`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="axes")
    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=7, choices=AxisKind.choices)
    code = models.SlugField(max_length=30)
    name = models.CharField(max_length=60)
    question = models.TextField(blank=True)
    several = models.BooleanField(help_text="May an issue carry several nodes of this axis?")
    position = models.PositiveSmallIntegerField()
    since = models.PositiveSmallIntegerField(default=1, db_default=1, help_text="The first codebook that asks it.")
    until = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The last one; empty: all later ones.")

    class Meta:
        ordering = ("project", "position")
        verbose_name_plural = "project axes"
        constraints = (
            models.UniqueConstraint(fields=("project", "code"), name="projectaxis_code_unique"),
            models.UniqueConstraint(fields=("id", "several"), name="projectaxis_id_several_unique"),
            models.UniqueConstraint(fields=("id", "project"), name="projectaxis_id_project_unique"),
            models.CheckConstraint(
                condition=Q(kind="several", several=True)
                | Q(kind__in=("one", "scale", "number", "text", "codes"), several=False),
                name="projectaxis_several_as_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(axis=None) | Q(kind__in=("one", "several")), name="projectaxis_house_has_nodes"
            ),
            models.CheckConstraint(
                condition=Q(until=None) | Q(until__gte=models.F("since")), name="projectaxis_ends_after_it_begins"
            ),
            models.UniqueConstraint(
                fields=("project",), condition=Q(kind="codes"), name="projectaxis_one_of_open_codes"
            ),
        )
        triggers = (
            pgtrigger.Trigger(
                name="kind_once_answered",
                operation=pgtrigger.UpdateOf("kind"),
                when=pgtrigger.Before,
                func="""
                    IF NEW.kind <> OLD.kind AND (
                        EXISTS (SELECT 1 FROM labeling_projectnode n WHERE n.axis_id = OLD.id)
                            AND NEW.kind IN ('number', 'text', 'codes')
                        OR EXISTS (SELECT 1 FROM labeling_answer a WHERE a.axis_id = OLD.id)
                    ) THEN
                        RAISE EXCEPTION 'an axis with answers keeps its kind' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.name}"

    @property
    def has_nodes(self) -> bool:
        """Whether its answers are nodes, rather than a number or words."""
        return self.kind not in (AxisKind.NUMBER, *IN_WORDS)

    @property
    def is_settled(self) -> bool:
        """Whether its answers are compared and decided: words are read side by side and never the same."""
        return self.kind not in IN_WORDS


class ProjectNode(models.Model):
    """An answer, independent of its wording; `node` is the house node that it is published as, once there is one."""

    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="nodes")
    code = models.CharField(max_length=64)
    node = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ("axis", "code")
        constraints = (
            models.UniqueConstraint(fields=("axis", "code"), name="projectnode_code_unique"),
            models.UniqueConstraint(fields=("id", "axis"), name="projectnode_id_axis_unique"),
        )
        triggers = (
            pgtrigger.Trigger(
                name="on_axes_with_nodes",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("axis_id"),
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM labeling_projectaxis a WHERE a.id = NEW.axis_id
                            AND a.kind IN ('number', 'text', 'codes')
                    ) THEN
                        RAISE EXCEPTION 'a number or a text has no nodes' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.code


class NodeVersion(models.Model):
    """A node's name and definition at one time; never changed."""

    node = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, related_name="versions")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveSmallIntegerField()
    parent = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=160)
    definition = models.TextField()
    include = ArrayField(models.TextField(), default=list, blank=True)
    exclude = ArrayField(models.TextField(), default=list, blank=True)
    examples = ArrayField(models.TextField(), default=list, blank=True)
    aliases = ArrayField(models.TextField(), default=list, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("axis", "position", "node", "number")
        constraints = (
            models.UniqueConstraint(fields=("node", "number"), name="nodeversion_number_unique"),
            models.UniqueConstraint(fields=("id", "axis"), name="nodeversion_id_axis_unique"),
            models.UniqueConstraint(fields=("id", "node"), name="nodeversion_id_node_unique"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return self.name


class Codebook(models.Model):
    """A numbered set of node versions; never changed, only followed by the next."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="codebooks")
    number = models.PositiveSmallIntegerField()
    change = models.TextField(blank=True, help_text="What changed in this version, and why.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("project", "-number")
        constraints = (
            models.UniqueConstraint(fields=("project", "number"), name="codebook_number_unique"),
            models.UniqueConstraint(fields=("id", "project"), name="codebook_id_project_unique"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return f"{self.project}, codebook {self.number}"


class CodebookNode(models.Model):
    """A node version in a codebook; a node without an entry was retired, merged or split."""

    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="entries")
    node = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, related_name="+", db_index=False)
    version = models.ForeignKey(NodeVersion, on_delete=models.PROTECT, related_name="entries")

    class Meta:
        ordering = ("codebook", "version__axis", "version__position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("codebook", "node"), name="codebooknode_node_unique"),
            models.UniqueConstraint(fields=("codebook", "version"), name="codebooknode_version_unique"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.codebook}: {self.version}"


class CrossRule(models.Model):
    """A rule across axes: what one answer requires or excludes on another; a vote against it needs a reason."""

    class Kind(models.TextChoices):
        """Whether the other answers are required or excluded."""

        REQUIRES = "requires", "needs one of"
        EXCLUDES = "excludes", "does not go with"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="cross_rules")
    when = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    others = models.ManyToManyField(ProjectNode, related_name="+")
    reason = models.TextField(help_text="Shown to annotators who vote against it.")
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("project", "pk")
        constraints = (models.CheckConstraint(condition=~Q(reason=""), name="crossrule_has_reason"),)

    def __str__(self) -> str:
        return f"{self.when} {self.get_kind_display()} …"
