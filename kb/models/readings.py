"""Two independent readings of a curated record. Loading the records' files writes them."""

from django.db import models

from kb.models.issues import Issue


class TwoReadings(models.Model):
    """The labels of both passes over a record. The labels that count are the issue's own."""

    issue = models.OneToOneField(Issue, on_delete=models.CASCADE, primary_key=True, related_name="two_readings")
    read_on = models.DateField(help_text="Day of the second reading.")
    read_extent = models.TextField(help_text="How much of the thread the second reader saw.")
    is_pilot = models.BooleanField(default=False, help_text="Was it before the codebook's rules were corrected?")
    answers = models.JSONField(
        help_text="Of each axis, codes of the `first` and the `second`, and `why` of what was kept."
    )

    class Meta:
        verbose_name_plural = "two readings"

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.read_on}"
