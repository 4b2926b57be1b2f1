"""A project's releases, and its imported files of votes. What it publishes: `models.publication`."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.codebook import Codebook
from labeling.models.projects import Member, Project
from labeling.models.rounds import Round


class ReleaseKey(models.Model):
    """The key from which a project's pseudonyms in releases are derived. It never leaves the database."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="release_key")
    key = models.CharField(max_length=64)

    class Meta:
        ordering = ("project",)

    def __str__(self) -> str:
        return f"{self.project}: key"


class Release(models.Model):
    """A frozen archive of a project's results with its metadata; never changed."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=160)
    authors = models.TextField(help_text="One per line, as cited.")
    licence = models.CharField(max_length=40)
    note = models.TextField(blank=True, help_text="What changed.")
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="+")
    issues = models.PositiveIntegerField()
    votes = models.PositiveIntegerField()
    state_hash = models.CharField(max_length=64, help_text="SHA-256 of the results, without number, title or note.")
    sha256 = models.CharField(max_length=64, help_text="Of the archive.")
    size = models.PositiveIntegerField(help_text="Bytes of the archive.")
    archive = models.BinaryField()
    created_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="releases")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("project", "-number")
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="release_number_unique"),)
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.title}, release {self.number}"


class VoteImport(models.Model):
    """A file with the votes of a round that was held elsewhere. The same file is imported once."""

    class Format(models.TextChoices):
        """The file's format."""

        LONG_CSV = "long_csv", "CSV, one row per answer"
        WIDE_CSV = "wide_csv", "CSV, one column per annotator"
        LONG_JSONL = "long_jsonl", "JSON Lines, one line per answer"
        WIDE_JSONL = "wide_jsonl", "JSON Lines, one line per issue"
        DOCCANO = "doccano", "doccano, JSON lines"
        LABEL_STUDIO = "label_studio", "Label Studio, JSON"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="imports")
    name = models.CharField(max_length=80, help_text="Name of the round.")
    filename = models.CharField(max_length=200)
    format = models.CharField(max_length=12, choices=Format.choices)
    options = models.JSONField(default=dict, blank=True, help_text="Axis of the file, columns to leave out.")
    people = models.JSONField(default=dict, blank=True, help_text="Annotator in the file -> member, or none.")
    content = models.BinaryField()
    report = models.JSONField(default=dict, blank=True, help_text="What the dry run found.")
    sha256 = models.CharField(max_length=64, help_text="Of the file, its format and its options.")
    codebook = models.ForeignKey(Codebook, on_delete=models.PROTECT, related_name="+")
    round = models.OneToOneField(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="vote_import", help_text="Its result."
    )
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="imports")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("project", "-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=("project", "sha256"), name="voteimport_file_once"),
            models.CheckConstraint(
                condition=Q(finished_at=None) | Q(round__isnull=False), name="voteimport_finished_has_round"
            ),
        )

    def __str__(self) -> str:
        return f"{self.project}: {self.filename}"
