"""Taking a person's words away, and keeping the facts of their issues: that there was one, when, and what fixed it."""

from dataclasses import dataclass

from django.db import transaction

from kb.models import Comment, ForgottenAuthor, Host, Issue


@dataclass(frozen=True)
class Forgotten:
    """How many issues (and pull requests) and comments lost their words just now."""

    issues: int
    comments: int


@transaction.atomic
def forget_author(*, host: Host, login: str) -> Forgotten:
    """Empty everything that this login wrote, and see to it (by triggers) that it does not come back. Safe to repeat.

    What a labeling project froze for its votes stays as it was judged; its leads remove such an issue themselves.
    """
    ForgottenAuthor.objects.get_or_create(host=host, login__iexact=login, defaults={"login": login})
    issues = Issue.objects.filter(repository__host=host, author__iexact=login)
    comments = Comment.objects.filter(issue__repository__host=host, author__iexact=login)
    return Forgotten(issues=issues.update(title="", body="", author=""), comments=comments.update(body="", author=""))
