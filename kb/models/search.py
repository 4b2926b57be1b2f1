"""State of the search indexes: the outbox of changed issues, the hosts that have an index, and their rebuilds.

Statement triggers (migration 0005) fill the outbox in the transaction of the change; the indexers empty it
(`kb.search.indexing`).
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models.functions import Now


class SearchChange(models.Model):
    """An issue whose document or card may have changed. No foreign key: deleted issues are in it, too."""

    issue_id = models.BigIntegerField()
    changed_at = models.DateTimeField(db_default=TransactionNow())
    fed_by = ArrayField(
        models.BigIntegerField(), db_default=[], help_text="Hosts that are done with it; when all are, it goes."
    )
    kept_by = ArrayField(
        models.BigIntegerField(),
        db_default=[],
        help_text="Hosts whose index in use has it, and that keep it for the one they are building.",
    )

    def __str__(self) -> str:
        return f"Issue {self.issue_id} changed at {self.changed_at}"


class SearchHost(models.Model):
    """A folder with an index: its indexer's heartbeat, position and `problem`."""

    key = models.CharField(max_length=32, unique=True, help_text="The folder holds it too.")
    seen_at = models.DateTimeField(db_default=Now())
    problem = models.TextField(blank=True, db_default="")
    index = models.CharField(max_length=64, blank=True, db_default="", help_text="The index in use.")
    made_of = models.CharField(
        max_length=64, blank=True, db_default="", help_text="Stands for the program and the database it is made of."
    )
    position = models.BigIntegerField(db_default=0, help_text="How often the index in use was fed.")
    settled = models.BigIntegerField(db_default=0, help_text="The position that the outbox knows of.")

    def __str__(self) -> str:
        return f"Search index of host {self.key}, seen at {self.seen_at}"


class SearchBuild(models.Model):
    """A rebuild of a host's index: requested, running, or finished; the last finished one is in use."""

    host = models.ForeignKey(SearchHost, on_delete=models.CASCADE, related_name="builds")
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
                fields=("host",),
                condition=models.Q(finished_at__isnull=True),
                name="searchbuild_one_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"Search index: {self.reason}"
