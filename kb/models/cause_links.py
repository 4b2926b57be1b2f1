"""How cause links follow labels: the outbox of touched issues, what each is counted with, and links that have gone.

The outbox is filled by triggers alone (migration 0016), in the transaction that changes something, and emptied by
`kb.services.cause_links`, which writes the other two tables.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models.functions import Now

from kb.models.codebook import Node
from kb.models.issues import Issue
from kb.models.labels import Source


class CauseLinkChange(models.Model):
    """An issue that a source may have to be asked about again; without an issue, all that the source says.

    No keys to other tables and nothing unique: writers never meet here, and what was deleted must be told, too.
    """

    source_id = models.BigIntegerField()
    issue_id = models.BigIntegerField(null=True)
    changed_at = models.DateTimeField(db_default=TransactionNow())

    def __str__(self) -> str:
        return f"Source {self.source_id}, issue {self.issue_id} changed at {self.changed_at}"


class CauseLinkEvidence(models.Model):
    """With what an issue is counted in a source's links: sorted ids of its symptoms and causes and those above them.

    There is a row only where both are known. The issue may be gone until the change was followed: then this is
    what has to be taken out, so that no key may take it away before.
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
    """A link without evidence that somebody once wrote a note on; it comes back with its number, note and history."""

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
