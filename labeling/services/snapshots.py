"""Freezes issues and own items as annotators see them: what the host says, never what the knowledge base knows of the
answer.

Issues whose thread is not mirrored have nothing to freeze: samples leave them out (`selectors.population`). Only in a
demo project, which has to work before anything is mirrored, our own description stands in for the thread, and says so.

Secrets that people pasted are masked before, character for character, so that offsets in the frozen text are offsets in
the original report.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import NotRequired, TypedDict

from kb.core.secrets import mask_in_place
from kb.models import Comment, Issue
from labeling.models import OwnItem, Snapshot
from labeling.selectors.subjects import Subject

# A longer thread is cut here; `comments_left_out` counts the rest.
MOST_COMMENTS = 100


class FixContent(TypedDict):
    """A fix as it is frozen."""

    url: str
    kind: str
    merged_on: str | None
    additions: int | None
    deletions: int | None
    files_changed: int | None


class CommentContent(TypedDict):
    """A comment as it is frozen."""

    author: str
    said_at: str
    body: str


class Content(TypedDict):
    """What `Snapshot.content` holds; its keys are part of the hash.

    `in_our_words`: the host's text is not mirrored, and our own description stands in for it, in a demo and in rounds
    that are older than this rule. The comments are there only where the project shows them.
    """

    name: str
    url: str
    title: str
    body: str
    state: str
    opened_at: str | None
    closed_at: str | None
    comment_count: int | None
    host_labels: list[str]
    fixes: list[FixContent]
    in_our_words: NotRequired[bool]
    comments: NotRequired[list[CommentContent]]
    comments_left_out: NotRequired[int]


def snapshots_of(
    *, subjects: Collection[Subject], with_comments: bool = False, in_our_words: bool = False
) -> dict[Subject, Snapshot]:
    """A snapshot of each of these as it is now; `with_comments` and `in_our_words` concern issues."""
    issues = Issue.objects.filter(pk__in=[pk for kind, pk in subjects if kind == "issue"])
    issues = issues.select_related("repository").prefetch_related("fixes")
    taken = take_snapshots(issues=issues, with_comments=with_comments, in_our_words=in_our_words)
    own = OwnItem.objects.filter(pk__in=[pk for kind, pk in subjects if kind == "own"])
    snapshots: dict[Subject, Snapshot] = {("issue", pk): snapshot for pk, snapshot in taken.items()}
    return snapshots | {("own", pk): snapshot for pk, snapshot in _stored("own", own_contents(items=own)).items()}


def take_snapshots(
    *, issues: Iterable[Issue], with_comments: bool = False, in_our_words: bool = False
) -> dict[int, Snapshot]:
    """A snapshot of each issue as it is now, by the issue's id; an unchanged issue keeps the one it has.

    `in_our_words`: our own description stands in where the thread is not mirrored. `fixes` and `repository` of the
    issues should be prefetched.
    """
    contents = contents_of(issues=issues, in_our_words=in_our_words)
    if with_comments:
        _add_comments(contents)
    return _stored("issue", contents)


def _stored(column: str, contents: Mapping[int, Content]) -> dict[int, Snapshot]:
    """The snapshots with these contents, by the ids in this column; those that are there stay."""
    hashes = {pk: text_hash(content) for pk, content in contents.items()}
    Snapshot.objects.bulk_create(
        (Snapshot(**{f"{column}_id": pk}, text_hash=hashes[pk], content=content) for pk, content in contents.items()),
        ignore_conflicts=True,
    )
    rows = Snapshot.objects.filter(**{f"{column}__in": hashes}, text_hash__in=hashes.values())
    by_id = ((getattr(row, f"{column}_id"), row) for row in rows)
    return {pk: row for pk, row in by_id if hashes[pk] == row.text_hash}


def own_contents(*, items: Iterable[OwnItem]) -> dict[int, Content]:
    """What a snapshot of each own item holds, by its id. It has no host, so no state, dates, labels or fixes."""
    return {
        item.pk: Content(
            name=item.key, url=item.url, title=item.title, body=item.body, state="", opened_at=None, closed_at=None,
            comment_count=None, host_labels=[], fixes=[],
        )
        for item in items
    }  # fmt: skip


def contents_of(*, issues: Iterable[Issue], in_our_words: bool = False) -> dict[int, Content]:
    """What a snapshot of each issue would hold now, by the issue's id; `in_our_words` as in `take_snapshots`.

    `fixes` and `repository` of the issues should be prefetched.
    """
    contents = {}
    for issue in issues:
        contents[issue.pk] = _content(issue)
        if in_our_words and not issue.title and not issue.body:
            _describe(issue, contents[issue.pk])
    return contents


def text_hash(content: Content) -> str:
    """SHA-256 of the content as JSON with sorted keys, without whitespace, in UTF-8."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(issue: Issue) -> Content:
    fixes = []
    for fix in sorted(issue.fixes.all(), key=lambda fix: fix.url):
        merged_on = fix.merged_on.isoformat() if fix.merged_on else None
        fixes.append(
            FixContent(
                url=fix.url, kind=fix.kind, merged_on=merged_on, additions=fix.additions, deletions=fix.deletions,
                files_changed=fix.files_changed,
            )
        )  # fmt: skip
    return Content(
        name=issue.short_name,
        url=issue.url,
        title=mask_in_place(issue.title).text,
        body=mask_in_place(issue.body).text,
        state=issue.state,
        opened_at=issue.opened_at.isoformat() if issue.opened_at else None,
        closed_at=issue.closed_at.isoformat() if issue.closed_at else None,
        comment_count=issue.comment_count,
        host_labels=issue.host_labels,
        fixes=fixes,
    )


def _describe(issue: Issue, content: Content) -> None:
    """Put our own description in place of the host's text."""
    content["title"] = issue.heading
    content["body"] = "\n\n".join(filter(None, (issue.summary, *issue.recognise)))
    content["in_our_words"] = True


def _add_comments(contents: Mapping[int, Content]) -> None:
    """Add the comments of each issue, oldest first; an empty list where no comment is stored."""
    for content in contents.values():
        content["comments"], content["comments_left_out"] = [], 0
    comments = Comment.objects.filter(issue__in=contents).order_by("issue", "created_at", "pk")
    for pk, author, moment, body in comments.values_list("issue", "author", "created_at", "body").iterator():
        content = contents[pk]
        if len(content["comments"]) < MOST_COMMENTS:
            text = mask_in_place(body).text
            content["comments"].append(CommentContent(author=author, said_at=moment.isoformat(), body=text))
        else:
            content["comments_left_out"] += 1
