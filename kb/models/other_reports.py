"""Reports that a record answers besides its own."""

from django.db import models

from kb.core.addresses import RepositoryAddress, issue_address
from kb.models.frameworks import Repository
from kb.models.issues import Issue


class OtherReport(models.Model):
    """Another report of the fault that a record describes, whether or not it is mirrored.

    Found by repository and number, so that it survives renames.
    """

    record = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="other_reports")
    # Found by the unique constraint below.
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="+", db_index=False)
    ref = models.CharField(max_length=20)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("repository", "ref", "record"), name="otherreport_once_in_a_record"),
        )

    def __str__(self) -> str:
        return f"{self.repository.full_name}#{self.ref}"

    @property
    def url(self) -> str:
        """Its address on its host."""
        place = RepositoryAddress(self.repository.host, self.repository.full_name)
        return issue_address(place, self.ref, is_pull_request=False)
