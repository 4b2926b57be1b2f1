"""What feeds the search index: the outbox of changed issues, the index's rebuilds, and the indexer's sign of life.

The outbox is filled by statement triggers alone (migration 0005), in the transaction that changes something, and
emptied by the indexer (`kb.search.indexing`).
"""

from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models.functions import Now


class SearchChange(models.Model):
    """An issue whose document or card may have changed. Not a foreign key: a deleted issue must be told too."""

    issue_id = models.BigIntegerField()
    changed_at = models.DateTimeField(db_default=TransactionNow())
    fed = models.BooleanField(
        db_default=False, help_text="The index in use has it; kept for the one that is being built."
    )

    def __str__(self) -> str:
        return f"Issue {self.issue_id} changed at {self.changed_at}"


class SearchBuild(models.Model):
    """One rebuild of the search index: asked for, under way, or finished; the last finished one is in use."""

    reason = models.CharField(max_length=120)
    asked_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    last_id = models.BigIntegerField(db_default=0, help_text="Issues up to this one are in the index being built.")
    done = models.BigIntegerField(db_default=0)
    total = models.BigIntegerField(db_default=0)
    lacking = models.BigIntegerField(db_default=0, help_text="Issues that the index cannot hold.")
    made_of = models.CharField(
        max_length=64, blank=True, help_text="Stands for the program and the database it was built from."
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("finished_at",),
                condition=models.Q(finished_at__isnull=True),
                nulls_distinct=False,
                name="searchbuild_one_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"Search index: {self.reason}"


class SearchIndexer(models.Model):
    """The indexer's sign of life, in one row; `problem` says why it cannot go on."""

    only = models.BooleanField(primary_key=True, default=True)
    seen_at = models.DateTimeField()
    problem = models.TextField(blank=True)

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(only=True), name="searchindexer_one_row"),)

    def __str__(self) -> str:
        return f"Indexer, seen at {self.seen_at}"
