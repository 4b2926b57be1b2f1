"""Comments of a mirrored issue: how the issue's page and the page of all comments show them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.models import Comment, Fix, Host, Issue
from kb.selectors import threads as read
from kb.web.issue.addresses import find_issue, moved_to_today, trail_of
from kb.web.markup import mirrored

PER_PAGE = 30
# What GitHub calls people's relation to the repository, as far as it tells whose word it is.
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
        """Was it changed after it was written?"""
        return self.comment.updated_at > self.comment.created_at


def comments_url(issue: Issue) -> str:
    """The page of all comments."""
    return f"{issue.get_absolute_url()}/comments"


def shown(issue: Issue, comments: Iterable[Comment]) -> list[ShownComment]:
    """Comments of an issue, rendered."""
    found = []
    for comment in comments:
        text = mirrored.render(comment.body)
        anchor = f"#{ANCHORS[Host(issue.repository.host)]}{comment.ref}" if comment.ref else ""
        role = ROLES.get(comment.author_association, "")
        found.append(ShownComment(comment, role, f"{issue.url}{anchor}", text.html, text.left_out))
    return found


def thread_context(issue: Issue) -> dict[str, object]:
    """What the issue's page shows of its thread, of links that are no fixes, and of where it went."""
    thread = read.first_comments(issue=issue)
    return {
        "comments": shown(issue, thread.comments),
        "more_comments": thread.more,
        "comments_url": comments_url(issue),
        "attempts": [(one, Fix.name_of(one.url, one.kind)) for one in read.linked_without_being_a_fix(issue=issue)],
        "moved_here": read.kept_at(url=issue.moved_to),
    }


@require_safe
def comments_page(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """All comments of an issue, page by page."""
    issue = find_issue(host, owner, name, ref)
    if comments_url(issue) != request.path:
        return moved_to_today(request, comments_url(issue))
    page = Paginator(read.comments_of(issue=issue), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "issue": issue,
        "trail": [*trail_of(issue), (issue.short_name, issue.get_absolute_url())],
        "comments": shown(issue, page.object_list),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
    }
    return render(request, "kb/issue/comments.html", context)
