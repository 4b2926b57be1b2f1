"""Erasing a person's texts. The facts of their issues stay: number, dates and fixes."""

from dataclasses import dataclass

from django.db import transaction

from kb.models import Comment, ForgottenAuthor, Host, Issue


@dataclass(frozen=True)
class Forgotten:
    """How many issues (and pull requests) and comments were emptied."""

    issues: int
    comments: int


@transaction.atomic
def forget_author(*, host: Host, login: str) -> Forgotten:
    """Empty everything that this login wrote; triggers keep later mirroring from bringing it back. Idempotent.

    Snapshots of labeling projects stay, because votes rest on them; a project's leads remove such an issue themselves.
    """
    ForgottenAuthor.objects.get_or_create(host=host, login__iexact=login, defaults={"login": login})
    issues = Issue.objects.filter(repository__host=host, author__iexact=login)
    comments = Comment.objects.filter(issue__repository__host=host, author__iexact=login)
    return Forgotten(issues=issues.update(title="", body="", author=""), comments=comments.update(body="", author=""))
