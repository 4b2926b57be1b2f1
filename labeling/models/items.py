"""A project's own items: texts that a lead uploads, and the file that waits to be taken in. Rounds freeze them as they
freeze issues (`rounds`). Nothing here is public.
"""

from urllib.parse import quote

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from labeling.models.projects import Member, Project

MOST_KEY, MOST_TITLE, MOST_TEXT, MOST_ADDRESS = 100, 1_000, 200_000, 1_000
PREFIX = "item:"


class OwnItem(models.Model):
    """A text of a project's own, by the id that the project gave it. Secrets in it are masked before it is stored.

    `url` names it in files and releases as an issue's address does: its own address, or `item:` and the id.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="own_items", db_index=False)
    key = models.CharField("id", max_length=MOST_KEY)
    title = models.CharField(max_length=MOST_TITLE, blank=True)
    body = models.TextField(blank=True)
    url = models.CharField(max_length=1_300)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("project", "pk")
        constraints = (
            models.UniqueConstraint(fields=("project", "key"), name="ownitem_project_key_unique"),
            models.UniqueConstraint(fields=("project", "url"), name="ownitem_project_url_unique"),
            models.CheckConstraint(condition=~Q(title="", body="") & ~Q(key=""), name="ownitem_says_something"),
            models.CheckConstraint(
                condition=Q(url__startswith="https://") | Q(url__startswith="http://") | Q(url__startswith=PREFIX),
                name="ownitem_is_named",
            ),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update),)

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        """It has no page of its own here."""
        return self.address

    @property
    def address(self) -> str:
        """Where it is on the web; empty where nobody said."""
        return "" if self.url.startswith(PREFIX) else self.url

    @property
    def short_name(self) -> str:
        """Its id, where an issue has its short name."""
        return self.key

    @property
    def shown_title(self) -> str:
        """Its title, where an issue has that of its host."""
        return self.title


def url_of(*, key: str, address: str) -> str:
    """What names an item in files: its address, or its id as a URI."""
    return address or PREFIX + quote(key, safe="+*/:@!$&'(),;=-._~")


class OwnItemFile(models.Model):
    """A file of own items as it came, until it is taken in; the next upload takes its place."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="own_item_file")
    filename = models.CharField(max_length=200)
    content = models.BinaryField()
    report = models.JSONField(default=dict, blank=True, help_text="What the dry run found.")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("project",)

    def __str__(self) -> str:
        return f"{self.project}: {self.filename}"
