"""Pull requests and commits that closed issues. Derived facts (size, small) are computed by Postgres, never by hand."""

import datetime as dt

from django.db import models
from django.db.models import ExpressionWrapper, F, Q

SMALL_FIX_LINES = 10
# A repository's history is the authority on these facts of a fix.
FIX_FACTS = ("merged_on", "additions", "deletions", "files_changed")


class Fix(models.Model):
    """A pull request or commit that closed an issue."""

    class Kind(models.TextChoices):
        """What the fix's address points at."""

        PULL_REQUEST = "pull_request", "Pull request"
        COMMIT = "commit", "Commit"

    url = models.URLField(max_length=300, unique=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    description = models.TextField(blank=True, help_text="What it changes, in our own words.")
    merged_on = models.DateField(null=True, blank=True)
    additions = models.PositiveIntegerField(null=True, blank=True)
    deletions = models.PositiveIntegerField(null=True, blank=True)
    files_changed = models.PositiveIntegerField(null=True, blank=True)
    commit = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The commit that day and size are from; empty where no history was read.",
    )
    stated = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        editable=False,
        help_text="Day and size as the record or the host states them, where those of the history are kept.",
    )
    lines_changed = models.GeneratedField(
        expression=F("additions") + F("deletions"), output_field=models.IntegerField(), db_persist=True
    )
    is_small = models.GeneratedField(
        expression=ExpressionWrapper(
            Q(additions__lte=SMALL_FIX_LINES - F("deletions")), output_field=models.BooleanField(null=True)
        ),
        output_field=models.BooleanField(null=True),
        db_persist=True,
        help_text="At most 10 changed lines (study P1).",
    )

    class Meta:
        ordering = (F("merged_on").desc(nulls_last=True), "url")
        verbose_name_plural = "fixes"
        indexes = (models.Index(F("merged_on").desc(nulls_last=True), name="fix_newest"),)

    def __str__(self) -> str:
        return self.url

    @property
    def stated_facts(self) -> dict[str, dt.date | int | None]:
        """Day and size as they are stated; where no history was read, they are the fix's own."""
        facts = {name: self.stated.get(name) if self.commit else getattr(self, name) for name in FIX_FACTS}
        if isinstance(facts["merged_on"], str):
            facts["merged_on"] = dt.date.fromisoformat(facts["merged_on"])
        return facts

    @property
    def name_parts(self) -> tuple[str, str]:
        """The word and the number or commit that its address ends with: `pull`, `12`."""
        word, ref = self.url.rstrip("/").lower().split("/")[-2:]
        return word, ref

    @property
    def short_name(self) -> str:
        """`owner/name#12` for a pull request, `owner/name@abc1234` for a commit."""
        return self.name_of(self.url, self.kind)

    @classmethod
    def name_of(cls, url: str, kind: str) -> str:
        """The short name of a fix with this address."""
        *_, owner, name, _kind, ref = url.rstrip("/").split("/")
        return f"{owner}/{name}@{ref[:7]}" if kind == cls.Kind.COMMIT else f"{owner}/{name}#{ref}"
