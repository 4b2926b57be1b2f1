"""What was said below a mirrored issue, and which pull requests and commits its host links to it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from kb.models import ClosingReference, Comment, Issue

FIRST = 20


@dataclass(frozen=True)
class Thread:
    """The first comments of an issue, oldest first; `more` are held besides."""

    comments: tuple[Comment, ...] = ()
    more: int = 0


def comments_of(*, issue: Issue) -> QuerySet[Comment]:
    """An issue's comments, oldest first."""
    return Comment.objects.filter(issue=issue).order_by("created_at", "pk")


def first_comments(*, issue: Issue) -> Thread:
    """The beginning of an issue's thread; no query for an issue that is not mirrored or that nobody commented."""
    if not issue.node_id or not issue.comment_count:
        return Thread()
    found = tuple(comments_of(issue=issue)[: FIRST + 1])
    if len(found) <= FIRST:
        return Thread(found)
    return Thread(found[:FIRST], comments_of(issue=issue).count() - FIRST)


def linked_without_being_a_fix(*, issue: Issue) -> tuple[ClosingReference, ...]:
    """What the host links as closing the issue and what is no fix: under way, given up, or merged in vain."""
    if not issue.node_id:
        return ()
    fixes = {fix.url for fix in issue.fixes.all()}
    return tuple(one for one in ClosingReference.objects.filter(issue=issue).order_by("url") if one.url not in fixes)


def kept_at(*, url: str) -> Issue | None:
    """The issue that we keep under an address of its host; None for an empty one and where we keep none."""
    return Issue.objects.select_related("repository").filter(url=url).first() if url else None
