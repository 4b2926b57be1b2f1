"""The board of open coding: where each code of closed rounds was put, its nodes, and every act that changed it.

What annotators wrote is in their answers (`votes`) and stays there; a code without a row here is as it was written.
"""

import pgtrigger
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from labeling.codes import MOST_WORDS
from labeling.models.codebook import Codebook, ProjectAxis
from labeling.models.projects import Member


class CodingNode(models.Model):
    """A cluster of codes, with the definition that it brings into the codebook."""

    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="coding_nodes", db_index=False)
    code = models.CharField(max_length=64)
    name = models.CharField(max_length=160)
    definition = models.TextField(blank=True)
    example = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("axis", "position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("axis", "code"), name="codingnode_code_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="codingnode_has_name"),
        )

    def __str__(self) -> str:
        return self.name


class OpenCode(models.Model):
    """Where a code was put: merged into another one, or in a node; `key` as `labeling.codes.key_of` gives it."""

    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="open_codes", db_index=False)
    key = models.CharField(max_length=3 * MOST_WORDS)
    name = models.CharField(max_length=MOST_WORDS, blank=True, help_text="What the board calls it; empty: as typed.")
    into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged")
    node = models.ForeignKey(CodingNode, on_delete=models.PROTECT, null=True, blank=True, related_name="codes")

    class Meta:
        ordering = ("axis", "key")
        constraints = (
            models.UniqueConstraint(fields=("axis", "key"), name="opencode_key_unique"),
            models.CheckConstraint(condition=Q(into=None) | ~Q(into=F("id")), name="opencode_not_into_itself"),
            models.CheckConstraint(condition=Q(into=None) | Q(node=None), name="opencode_goes_with_its_code"),
        )
        triggers = (
            pgtrigger.Trigger(
                name="merged_once_on_its_axis",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM labeling_opencode c
                        WHERE c.id = NEW.into_id AND (c.axis_id <> NEW.axis_id OR c.into_id IS NOT NULL)
                    ) OR (
                        NEW.into_id IS NOT NULL
                        AND EXISTS (SELECT 1 FROM labeling_opencode c WHERE c.into_id = NEW.id)
                    ) OR EXISTS (
                        SELECT 1 FROM labeling_codingnode n WHERE n.id = NEW.node_id AND n.axis_id <> NEW.axis_id
                    ) THEN
                        RAISE EXCEPTION 'a code goes into a code that is not merged itself, or a node, of its question'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return self.name or self.key


class CodingAct(models.Model):
    """One act on the board: what it touched, as it was before and after. Only ever added to."""

    class Kind(models.TextChoices):
        """What was done."""

        MERGE = "merge", "Codes merged"
        SPLIT = "split", "Codes split again"
        RENAME = "rename", "Code renamed"
        PUT = "put", "Codes put into a node"
        TAKE_OUT = "take_out", "Codes taken out of their node"
        NODE = "node", "Node made"
        EDIT = "edit", "Node edited"
        MOVE = "move", "Node moved"
        REMOVE = "remove", "Node removed"
        UNDO = "undo", "Undone"
        CODEBOOK = "codebook", "Codebook made"

    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="coding_acts")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    before = models.JSONField(help_text="As `labeling.boards.content_of` gives it.")
    after = models.JSONField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    codebook = models.OneToOneField(
        Codebook, on_delete=models.PROTECT, null=True, blank=True, related_name="coding_act"
    )
    asked = models.ForeignKey(
        ProjectAxis, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="The question that the nodes became answers to.",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(kind="undo", undoes__isnull=False) | (~Q(kind="undo") & Q(undoes=None)),
                name="codingact_undoes_one",
            ),
            models.CheckConstraint(
                condition=Q(kind="codebook", codebook__isnull=False, asked__isnull=False)
                | (~Q(kind="codebook") & Q(codebook=None, asked=None)),
                name="codingact_makes_a_codebook",
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.axis}: {self.get_kind_display().lower()}"
