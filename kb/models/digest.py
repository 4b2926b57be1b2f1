"""A narrow row for each issue with the values that facets count, written by triggers only (migration 0004).

An issue without labels and fixes has no row.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from kb.models.issues import Issue


class IssueDigest(models.Model):
    """An issue's house nodes (with all nodes above them), kinds of label sources, and whether it has a fix."""

    # No constraint in the database: the issue's own trigger deletes the row with the issue.
    issue = models.OneToOneField(
        Issue, on_delete=models.DO_NOTHING, primary_key=True, related_name="digest", db_constraint=False
    )
    node_ids = ArrayField(models.BigIntegerField())
    source_kinds = ArrayField(models.CharField(max_length=10))
    has_fix = models.BooleanField()
    small_fix = models.BooleanField(null=True)

    class Meta:
        indexes = (GinIndex(fields=("node_ids",), name="digest_nodes"),)

    def __str__(self) -> str:
        return f"Digest of issue {self.pk}"
