"""What git histories say: releases, changes that closed issues, and versions that a fault is in.

Histories are read by `ingest.git`; versions are compared by `kb.core.versions`, not by the database.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from kb.models.frameworks import Repository
from kb.models.issues import Issue


class History(models.Model):
    """How far a repository's git history was read. A repository without a row was never read."""

    repository = models.OneToOneField(Repository, on_delete=models.CASCADE, related_name="history")
    read_at = models.DateTimeField(help_text="When it was read last.")
    refs_digest = models.CharField(max_length=64, help_text="SHA-256 of all refs: unchanged, nothing is read again.")
    newest_on = models.DateField(null=True, help_text="The day of the newest commit.")
    commits = models.PositiveIntegerField()

    # How the digest begins where the facts come from a file of the project: it has linked fixes only, without titles.
    FROM_FILE = "file-"

    class Meta:
        verbose_name_plural = "histories"

    def __str__(self) -> str:
        return f"History of {self.repository}"

    @property
    def has_every_change(self) -> bool:
        """Whether the repository itself was read here, so that every merged change is known with its title."""
        return not self.refs_digest.startswith(self.FROM_FILE)


class Release(models.Model):
    """A tag that is a version."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="releases", db_index=False)
    tag = models.CharField(max_length=120)
    version = models.CharField(max_length=60, help_text="Normalised by PEP 440, or a build's number.")
    is_prerelease = models.BooleanField()
    released_on = models.DateField()
    commit = models.CharField(max_length=64)
    position = models.PositiveIntegerField(help_text="Its place in the order of versions, beginning at 0.")

    class Meta:
        ordering = ("repository", "position")
        constraints = (models.UniqueConstraint(fields=("repository", "tag"), name="release_tag_unique"),)

    def __str__(self) -> str:
        return f"{self.repository} {self.version}"


class Change(models.Model):
    """A merged pull request or a commit that closed an issue, as its repository's history has it."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="changes", db_index=False)
    commit = models.CharField(max_length=64)
    picks = ArrayField(models.CharField(max_length=64), default=list, help_text="The same change on other branches.")
    pull_number = models.PositiveIntegerField(null=True, blank=True)
    bundled = ArrayField(
        models.PositiveIntegerField(), default=list, help_text="Pull requests that landed as a part of it alone."
    )
    title = models.TextField(help_text="The first line of the commit's message: its author's words.")
    merged_at = models.DateTimeField()
    files = models.PositiveIntegerField(
        null=True, help_text="Without generated and vendored ones; null where the clone lacks files."
    )
    additions = models.PositiveIntegerField(null=True)
    deletions = models.PositiveIntegerField(null=True)
    closes = ArrayField(models.URLField(max_length=300), default=list, help_text="Issues it says it closes.")
    is_fix = models.BooleanField(help_text="It closes an issue, or its title says that it fixes something.")
    reverted_by = models.CharField(max_length=64, blank=True, help_text="The commit that took it back.")
    first_releases = ArrayField(
        models.CharField(max_length=60),
        default=list,
        help_text="The first release with it on every line that it landed on.",
    )
    missing = models.JSONField(
        default=list,
        help_text="Runs of releases without it: pairs of the first and of the first after, or null.",
    )
    blamed = ArrayField(
        models.CharField(max_length=64),
        null=True,
        help_text="Commits of the oldest and youngest line it removes; empty if none, null if not read.",
    )
    stands_since_oldest = models.CharField(max_length=60, blank=True, help_text="The first release with the oldest.")
    stands_since = models.CharField(max_length=60, blank=True, help_text="The first release with the youngest.")

    class Meta:
        ordering = ("-merged_at", "commit")
        constraints = (models.UniqueConstraint(fields=("repository", "commit"), name="change_commit_unique"),)
        indexes = (models.Index(fields=("repository", "pull_number"), name="change_pull"),)

    def __str__(self) -> str:
        return f"{self.repository}@{self.commit[:7]}"


class AffectedRange(models.Model):
    """Versions of one package that a fault is in, as OSV puts it: from `introduced` on, up to `fixed`.

    An empty bound is not known. A fault may have several ranges, of several packages. What a record and a history say
    of one package is put together by `kb.core.setups.known_faults.combined`.
    """

    class Certainty(models.TextChoices):
        """What a bound rests on; the surest first."""

        GIT = "git", "from git"
        PACKAGE = "package", "from published packages"
        STATED = "stated", "stated in the thread"
        LINES = "lines", "lines stand since"
        DATE = "date", "by date"
        REPORTED = "reported", "reported on"

    class Origin(models.TextChoices):
        """Who wrote the range: it is made again from there."""

        RECORD = "record", "Record"
        HISTORY = "history", "History"

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="affected_ranges")
    origin = models.CharField(max_length=8, choices=Origin.choices)
    package = models.CharField(max_length=120, help_text="Its name on PyPI, normalised; else owner/name.")
    introduced = models.CharField(max_length=60, blank=True, help_text="The first version with the fault.")
    introduced_oldest = models.CharField(
        max_length=60, blank=True, help_text="Where lines are the evidence: since when the oldest of them stands."
    )
    introduced_by = models.CharField(max_length=8, choices=Certainty.choices, blank=True)
    introduced_evidence = models.URLField(max_length=300, blank=True)
    fixed = models.CharField(max_length=60, blank=True, help_text="The first version without it.")
    fixed_by = models.CharField(max_length=8, choices=Certainty.choices, blank=True)
    fixed_evidence = models.URLField(max_length=300, blank=True)
    last_affected = models.CharField(max_length=60, blank=True, help_text="The last version known to have it.")
    last_affected_by = models.CharField(max_length=8, choices=Certainty.choices, blank=True)
    last_affected_evidence = models.URLField(max_length=300, blank=True)
    reported = ArrayField(models.CharField(max_length=60), default=list, blank=True, help_text="Versions of reports.")

    class Meta:
        ordering = ("issue", "package", "pk")
        indexes = (models.Index(fields=("package",), name="affected_package"),)
        constraints = (
            models.CheckConstraint(condition=Q(fixed="") | Q(last_affected=""), name="affected_fixed_or_last"),
        )

    def __str__(self) -> str:
        return f"{self.issue}: {self.package} [{self.introduced or '?'}, {self.fixed or self.last_affected or '?'})"
