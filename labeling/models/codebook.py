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


class ProjectAxis(models.Model):
    """A question that every vote answers."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="axes")
    axis = models.ForeignKey(Axis, on_delete=models.PROTECT, related_name="+")
    code = models.SlugField(max_length=30)
    name = models.CharField(max_length=60)
    question = models.TextField(blank=True)
    several = models.BooleanField(help_text="May an issue carry several nodes of this axis?")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("project", "position")
        verbose_name_plural = "project axes"
        constraints = (
            models.UniqueConstraint(fields=("project", "code"), name="projectaxis_code_unique"),
            models.UniqueConstraint(fields=("id", "several"), name="projectaxis_id_several_unique"),
            models.UniqueConstraint(fields=("id", "project"), name="projectaxis_id_project_unique"),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.name}"


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
