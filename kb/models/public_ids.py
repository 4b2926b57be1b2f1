"""Public ids that an issue no longer has. The present one is the issue's own; triggers of migration 0041 keep both."""

from django.db import models

from kb.models.issues import Issue


class FormerId(models.Model):
    """A public id that leads to another now, or whose issue is gone: it is never given to another fault."""

    public_id = models.CharField(max_length=20, primary_key=True)
    issue = models.ForeignKey(Issue, null=True, on_delete=models.SET_NULL, related_name="former_ids")
    url = models.URLField(max_length=300, help_text="The report that it was given to.")
    ended_at = models.DateTimeField()

    class Meta:
        ordering = ("public_id",)

    def __str__(self) -> str:
        return self.public_id
