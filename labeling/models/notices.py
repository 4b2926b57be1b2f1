"""Notices: what happened in a project that concerns one of its members, and which kinds a person wants where.

What a notice says is made of its kind and of what it points to; it holds no text of its own, and so no secret.
"""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from labeling.models.projects import Member
from labeling.models.rounds import Round


class Notice(models.Model):
    """An event that concerns a member. `key` names the event: nobody is told of one twice."""

    class Kind(models.TextChoices):
        """The kind of event."""

        INVITED = "invited", "You are invited to a project"
        JOINED = "joined", "Somebody joined by your invitation"
        OPENED = "opened", "A round that you label is open"
        DEADLINE = "deadline", "A deadline is near, and you have issues left"
        FLAG = "flag", "An issue is flagged"
        ANSWER = "answer", "Your flag is answered"
        DISCUSSION = "discussion", "A discussion waits for your answer"
        BALLOT = "ballot", "A change of the codebook is put to the vote"
        RELEASE = "release", "A release is made"

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="notices", db_index=False)
    key = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    number = models.PositiveIntegerField(null=True, blank=True, help_text="Of the proposal or release.")
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("member", "key"), name="notice_member_key_unique"),)
        triggers = (pgtrigger.ReadOnly(name="only_read_and_mailed", exclude=["read_at", "mailed_at"]),)

    def __str__(self) -> str:
        return f"{self.member}: {self.key}"


class NoticeChoice(models.Model):
    """Where a person wants notices of a kind; without a row, on the site and by mail."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choices", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Notice.Kind.choices)
    on_site = models.BooleanField(default=True)
    by_mail = models.BooleanField(default=True)

    class Meta:
        ordering = ("user", "kind")
        constraints = (models.UniqueConstraint(fields=("user", "kind"), name="noticechoice_user_kind_unique"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.get_kind_display()}"
