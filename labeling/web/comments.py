"""What was said below an issue, frozen with it, as pages of labeling show it."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from kb.web.markup import mirrored


@dataclass(frozen=True)
class FrozenComment:
    """A comment with its text as safe HTML; `left_out`: characters that are not shown."""

    author: str
    said_at: dt.datetime
    html: SafeString
    left_out: int


@dataclass(frozen=True)
class Thread:
    """What was said, oldest first; `more` comments came behind."""

    comments: tuple[FrozenComment, ...]
    more: int


def thread_of(content: Mapping[str, Any]) -> Thread | None:
    """The comments in a snapshot's content; None where its round shows none."""
    if "comments" not in content:
        return None
    return Thread(tuple(_shown(one) for one in content["comments"]), content.get("comments_left_out", 0))


def _shown(said: Mapping[str, Any]) -> FrozenComment:
    text = mirrored.render(said["body"])
    return FrozenComment(said["author"], dt.datetime.fromisoformat(said["said_at"]), text.html, text.left_out)
