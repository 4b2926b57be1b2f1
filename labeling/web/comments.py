"""The comments below an issue, frozen with it, as pages of labeling show them."""

import datetime as dt
from dataclasses import dataclass

from django.utils.safestring import SafeString

from kb.web.markup import mirrored
from labeling.models import Snapshot


@dataclass(frozen=True)
class FrozenComment:
    """A comment with its text as safe HTML; `left_out`: characters that are not shown."""

    author: str
    said_at: dt.datetime
    html: SafeString
    left_out: int


@dataclass(frozen=True)
class Thread:
    """Comments, oldest first; `more` later ones were not frozen."""

    comments: tuple[FrozenComment, ...]
    more: int


def thread_of(snapshot: Snapshot) -> Thread | None:
    """The comments in a snapshot; None where its round shows none."""
    if "comments" not in snapshot.content:
        return None
    comments = []
    for comment in snapshot.content["comments"]:
        body = mirrored.render(comment["body"])
        said_at = dt.datetime.fromisoformat(comment["said_at"])
        comments.append(FrozenComment(comment["author"], said_at, body.html, body.left_out))
    return Thread(tuple(comments), snapshot.content.get("comments_left_out", 0))
