"""How cause links follow labels: the outbox of changed issues, the counted evidence, and deleted links with notes.

Triggers (migration 0016) fill the outbox in the transaction of the change; `kb.services.cause_links` empties it and
writes the other two tables.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models.functions import Now

from kb.models.codebook import Node
from kb.models.issues import Issue
from kb.models.labels import Source


class CauseLinkChange(models.Model):
    """An issue whose labels by a source may have changed; without an issue, all labels of the source.

    No foreign keys and no unique constraint: writers never wait for each other, and deleted rows are in it, too.
    """

    source_id = models.BigIntegerField()
    issue_id = models.BigIntegerField(null=True)
    changed_at = models.DateTimeField(db_default=TransactionNow())

    def __str__(self) -> str:
        return f"Source {self.source_id}, issue {self.issue_id} changed at {self.changed_at}"


class CauseLinkEvidence(models.Model):
    """The sorted ids of the symptoms and causes, with those above them, that an issue counts for in a source's links.

    There is a row only where both are known. It outlives a deleted issue until that was subtracted from the links, so
    that it has no constraint.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    issue = models.ForeignKey(Issue, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False)
    symptoms = ArrayField(models.BigIntegerField())
    causes = ArrayField(models.BigIntegerField())

    class Meta:
        constraints = (models.UniqueConstraint(fields=("source", "issue"), name="causelinkevidence_unique"),)

    def __str__(self) -> str:
        return f"Issue {self.issue_id}: {self.symptoms} → {self.causes}"


class GoneCauseLink(models.Model):
    """A deleted link that once had a note; it gets its id, note and history back when it has issues again."""

    link_id = models.BigIntegerField(primary_key=True)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+", db_index=False)
    symptom = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+", db_index=False)
    cause = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+", db_index=False)
    note = models.TextField(blank=True)
    gone_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.UniqueConstraint(fields=("source", "symptom", "cause"), name="gonecauselink_unique"),)

    def __str__(self) -> str:
        return f"{self.symptom} → {self.cause}"
