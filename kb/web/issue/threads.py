"""Comments of a mirrored issue, for its page and for the page of all comments."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.models import ClosingReference, Comment, Fix, Host, Issue
from kb.selectors import threads as read
from kb.web.issue.addresses import find_issue, redirect_to, trail_of
from kb.web.markup import mirrored

PER_PAGE, COMMENTS = 30, "/comments"
# GitHub's author associations that say something about the author's authority.
ROLES = {"OWNER": "owner", "MEMBER": "member", "COLLABORATOR": "collaborator", "CONTRIBUTOR": "contributor"}
ANCHORS = {Host.GITHUB: "issuecomment-", Host.GITEE: "note_"}


@dataclass(frozen=True)
class ShownComment:
    """A comment with its text as safe HTML."""

    comment: Comment
    role: str
    url: str
    html: SafeString
    left_out: int

    @property
    def is_edited(self) -> bool:
        """Whether it was changed after it was written."""
        return self.comment.updated_at > self.comment.created_at


def comments_url(issue: Issue) -> str:
    """The address of the page of all comments."""
    return f"{issue.get_absolute_url()}{COMMENTS}"


def shown(issue: Issue, comments: Iterable[Comment]) -> list[ShownComment]:
    """The comments with their rendered texts."""
    rendered = []
    for comment in comments:
        text = mirrored.render(comment.body)
        anchor = f"#{ANCHORS[Host(issue.repository.host)]}{comment.ref}" if comment.ref else ""
        role = ROLES.get(comment.author_association, "")
        rendered.append(ShownComment(comment, role, f"{issue.url}{anchor}", text.html, text.left_out))
    return rendered


class ThreadContext(TypedDict):
    """The part of the issue page's context about its thread, what its host links, and where it was moved.

    `attempts` are linked changes that are no fixes, with their names: open, given up, or merged without closing it.
    """

    comments: list[ShownComment]
    more_comments: int
    comments_url: str
    references: tuple[ClosingReference, ...]
    attempts: list[tuple[ClosingReference, str]]
    moved_here: Issue | None


def thread_context(issue: Issue) -> ThreadContext:
    """The issue page's context about the thread."""
    thread = read.first_comments(issue=issue)
    references = read.closing_references(issue=issue)
    fixes = {fix.url for fix in issue.fixes.all()}
    attempts = [reference for reference in references if reference.url not in fixes]
    return {
        "comments": shown(issue, thread.comments),
        "more_comments": thread.more,
        "comments_url": comments_url(issue),
        "references": references,
        "attempts": [(reference, Fix.name_of(reference.url, reference.kind)) for reference in attempts],
        "moved_here": read.issue_at(url=issue.moved_to),
    }


@require_safe
def comments_page(request: HttpRequest, **address: str) -> HttpResponse:
    """All comments of an issue, page by page."""
    issue = find_issue(**address)
    if comments_url(issue) != request.path:
        return redirect_to(request, issue, address.get("ref"), COMMENTS)
    page = Paginator(read.comments_of(issue=issue), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "issue": issue,
        "trail": [*trail_of(issue), (issue.short_name, issue.get_absolute_url())],
        "comments": shown(issue, page.object_list),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
    }
    return render(request, "kb/issue/comments.html", context)
