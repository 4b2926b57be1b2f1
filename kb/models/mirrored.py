"""What hosts tell beyond the issue itself: comments, closing references, former addresses.

These rows follow the host; the fixes that we know are `Issue.fixes`.
"""

from django.db import models
from django.db.models import Q

from kb.core.secrets import mask
from kb.models.fixes import Fix
from kb.models.frameworks import Repository
from kb.models.issues import Issue


class Comment(models.Model):
    """One comment below an issue, as written."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="comments", db_index=False)
    node_id = models.CharField(max_length=80, unique=True, help_text="The host's id, which survives renames.")
    ref = models.CharField(max_length=20, blank=True, help_text="The number in the comment's address.")
    author = models.CharField(max_length=80, blank=True, help_text="Empty when the account is gone.")
    author_association = models.CharField(max_length=24, blank=True)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ("created_at", "pk")
        indexes = (models.Index(fields=("issue", "created_at", "id"), name="comment_thread"),)

    def __str__(self) -> str:
        return f"{self.issue}: {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def shown_body(self) -> str:
        """The text with secrets masked (`kb.core.secrets`), as it may be shown."""
        return mask(self.body).text


class ClosingReference(models.Model):
    """A pull request or commit that the host names as closing the issue, merged or not."""

    class State(models.TextChoices):
        """The state of the pull request or commit."""

        MERGED = "merged", "Merged"
        OPEN = "open", "Under way"
        CLOSED = "closed", "Given up"

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="closing_references", db_index=False)
    url = models.URLField(max_length=300)
    kind = models.CharField(max_length=12, choices=Fix.Kind.choices)
    state = models.CharField(max_length=6, choices=State.choices)
    additions = models.PositiveIntegerField(null=True, blank=True)
    deletions = models.PositiveIntegerField(null=True, blank=True)
    files_changed = models.PositiveIntegerField(null=True, blank=True)
    merged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("issue", "url")
        constraints = (
            models.UniqueConstraint(fields=("issue", "url"), name="closingreference_once"),
            models.CheckConstraint(
                condition=Q(state="merged") | Q(merged_at__isnull=True), name="closingreference_merged_when_merged"
            ),
        )

    def __str__(self) -> str:
        return f"{self.issue}: {self.url}"


class FormerAddress(models.Model):
    """An issue's address before its host moved it to another repository."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="former_addresses")
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="+", db_index=False)
    ref = models.CharField(max_length=20)
    url = models.URLField(max_length=300, unique=True)
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("repository", "ref")
        verbose_name_plural = "former addresses"
        constraints = (models.UniqueConstraint(fields=("repository", "ref"), name="formeraddress_unique"),)

    def __str__(self) -> str:
        return self.url
