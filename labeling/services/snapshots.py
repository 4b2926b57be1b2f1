"""Freezes issues as annotators see them: what the host says, never what the knowledge base knows of the answer.

Secrets that people pasted are hidden before, character for character, so that a place in the frozen text is the same
place in the report as it was written.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb.core.secrets import mask_in_place
from kb.models import Comment, Issue
from labeling.models import Snapshot

# What is frozen of a longer thread; how many come behind is told.
MOST_COMMENTS = 100


def take_snapshots(*, issues: Iterable[Issue], with_comments: bool = False) -> dict[int, Snapshot]:
    """A snapshot of each issue as it is now, by the issue's id; an unchanged issue keeps the one it has.

    The issues need `fixes` and `repository` at hand.
    """
    contents = contents_of(issues=issues)
    if with_comments:
        _add_comments(contents)
    hashes = {pk: text_hash(content) for pk, content in contents.items()}
    Snapshot.objects.bulk_create(
        (Snapshot(issue_id=pk, text_hash=hashes[pk], content=content) for pk, content in contents.items()),
        ignore_conflicts=True,
    )
    found = Snapshot.objects.filter(issue__in=hashes, text_hash__in=hashes.values())
    return {one.issue_id: one for one in found if hashes[one.issue_id] == one.text_hash}


def contents_of(*, issues: Iterable[Issue]) -> dict[int, dict[str, Any]]:
    """What a snapshot of each issue would hold now, by the issue's id. They need `fixes` and `repository` at hand."""
    return {issue.pk: _content(issue) for issue in issues}


def text_hash(content: dict[str, Any]) -> str:
    """SHA-256 of the content as JSON with sorted keys, no blanks between, in UTF-8."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(issue: Issue) -> dict[str, Any]:
    """What is frozen. Where the host's text is not mirrored, our own description stands in for it and is marked."""
    content = {
        "name": issue.short_name,
        "url": issue.url,
        "title": mask_in_place(issue.title).text,
        "body": mask_in_place(issue.body).text,
        "state": issue.state,
        "opened_at": issue.opened_at.isoformat() if issue.opened_at else None,
        "closed_at": issue.closed_at.isoformat() if issue.closed_at else None,
        "comment_count": issue.comment_count,
        "host_labels": issue.host_labels,
        "fixes": _fixes(issue),
    }
    if not issue.title and not issue.body:
        described = "\n\n".join(filter(None, (issue.summary, *issue.recognise)))
        content |= {"title": issue.heading, "body": described, "in_our_words": True}
    return content


def _add_comments(contents: Mapping[int, dict[str, Any]]) -> None:
    """What was said below each issue, oldest first; an issue below which nothing is kept says so by an empty list."""
    for content in contents.values():
        content |= {"comments": [], "comments_left_out": 0}
    said = Comment.objects.filter(issue__in=contents).order_by("issue", "created_at", "pk")
    for pk, author, moment, body in said.values_list("issue", "author", "created_at", "body").iterator():
        content = contents[pk]
        if len(content["comments"]) < MOST_COMMENTS:
            content["comments"].append(
                {"author": author, "said_at": moment.isoformat(), "body": mask_in_place(body).text}
            )
        else:
            content["comments_left_out"] += 1


def _fixes(issue: Issue) -> Sequence[dict[str, Any]]:
    return [
        {
            "url": fix.url,
            "kind": fix.kind,
            "merged_on": fix.merged_on.isoformat() if fix.merged_on else None,
            "additions": fix.additions,
            "deletions": fix.deletions,
            "files_changed": fix.files_changed,
        }
        for fix in sorted(issue.fixes.all(), key=lambda fix: fix.url)
    ]
