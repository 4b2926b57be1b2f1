"""Playbooks on fix-pattern nodes, with an example of our own."""

import pghistory
import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from kb.models.codebook import Node


class ExampleLanguage(models.TextChoices):
    """The language of a playbook's example."""

    PYTHON = "python", "Python"
    CPP = "cpp", "C++"
    BASH = "bash", "Shell"
    YAML = "yaml", "YAML"
    JSON = "json", "JSON"
    TOML = "toml", "TOML"
    INI = "ini", "INI"
    DOCKERFILE = "dockerfile", "Dockerfile"
    MARKDOWN = "markdown", "Markdown"
    TEXT = "text", "Text"


@pghistory.track()
class Playbook(models.Model):
    """A fix pattern's page: when it applies, steps, caveats, and an example of our own before and after it."""

    node = models.OneToOneField(Node, on_delete=models.PROTECT, related_name="playbook")
    applies_when = models.TextField()
    steps = ArrayField(models.TextField())
    caveats = ArrayField(models.TextField(), default=list, blank=True)
    before = models.TextField(blank=True, help_text="Code or settings with the fault, at most 14 lines.")
    after = models.TextField(blank=True, help_text="The same after the pattern.")
    example_note = models.TextField(blank=True, help_text="What the example shows: one or two sentences.")
    example_language = models.CharField(max_length=12, choices=ExampleLanguage.choices, blank=True)

    class Meta:
        ordering = ("node",)
        constraints = (
            models.CheckConstraint(
                condition=Q(before="", after="", example_note="", example_language="")
                | ~Q(before="") & ~Q(after="") & ~Q(example_note="") & ~Q(example_language=""),
                name="playbook_example_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(before="") | ~Q(before=F("after")), name="playbook_example_shows_a_change"
            ),
        )
        triggers = (
            pgtrigger.Trigger(
                name="on_fix_patterns_only",
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("node_id"),
                when=pgtrigger.Before,
                func="""
                    IF NOT EXISTS (SELECT 1 FROM kb_node n JOIN kb_axis a ON a.id = n.axis_id
                                   WHERE n.id = NEW.node_id AND a.code = 'fix_pattern') THEN
                        RAISE EXCEPTION 'a playbook belongs to a fix pattern' USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        )

    def __str__(self) -> str:
        return f"Playbook: {self.node}"

    def get_absolute_url(self) -> str:
        """The playbook's page."""
        return reverse("playbook", args=(self.node.code,))
