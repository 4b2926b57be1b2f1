"""Comments of a mirrored issue, and the pull requests and commits that its host links to it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from kb.models import ClosingReference, Comment, Issue

FIRST = 20


@dataclass(frozen=True)
class Thread:
    """The first comments of an issue, oldest first, and the number of the others."""

    comments: tuple[Comment, ...] = ()
    more: int = 0


def comments_of(*, issue: Issue) -> QuerySet[Comment]:
    """An issue's comments, oldest first."""
    return Comment.objects.filter(issue=issue).order_by("created_at", "pk")


def first_comments(*, issue: Issue) -> Thread:
    """The first comments; no query for an issue that is not mirrored or has none."""
    if not issue.node_id or not issue.comment_count:
        return Thread()
    comments = tuple(comments_of(issue=issue)[: FIRST + 1])
    if len(comments) <= FIRST:
        return Thread(comments)
    return Thread(comments[:FIRST], comments_of(issue=issue).count() - FIRST)


def closing_references(*, issue: Issue) -> tuple[ClosingReference, ...]:
    """What the host names as closing the issue; no query for an issue that is not mirrored."""
    return tuple(ClosingReference.objects.filter(issue=issue).order_by("url")) if issue.node_id else ()


def issue_at(*, url: str) -> Issue | None:
    """The issue with this URL on its host; None for an empty URL and where there is none."""
    return Issue.objects.select_related("repository").filter(url=url).first() if url else None
