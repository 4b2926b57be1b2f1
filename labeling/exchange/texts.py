"""Which frozen text a file's passages are in, and whether they are in it.

Places mean nothing without their text. A file names it by its hash; where this database has the text no more, or the
file is another tool's, the words that stand at a place tell.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from kb.models import Issue
from labeling.ballots import Passage
from labeling.exchange.rows import TITLE_END
from labeling.models import Snapshot
from labeling.passages import Marked
from labeling.services.snapshots import contents_of, text_hash


@dataclass(frozen=True)
class Text:
    """An issue's text as it is frozen."""

    text_hash: str
    title: str
    body: str


def texts_of(*, issues: Collection[int], named: Mapping[int, str]) -> dict[int, Text]:
    """The text of each issue: the one whose hash is named, where it is kept; else as it is now. Three statements."""
    asked = {pk: named[pk] for pk in issues if pk in named}
    kept = Snapshot.objects.filter(issue__in=asked, text_hash__in=asked.values())
    found = {one.issue_id: _text(one.text_hash, one.content) for one in kept if asked[one.issue_id] == one.text_hash}
    others = Issue.objects.filter(pk__in=set(issues) - set(found)).select_related("repository")
    for pk, content in contents_of(issues=others.prefetch_related("fixes")).items():
        found[pk] = _text(text_hash(content), content)
    return found


def _text(told: str, content: Mapping[str, Any]) -> Text:
    return Text(told, content["title"], content["body"])


def fitting(*, marked: Marked, told: str, text: Text) -> Passage | str:
    """The passage, if it is in the text; else why not. `told`: the hash of the text, as the file tells it."""
    part, start, end = marked.part, marked.start, marked.end
    if not part:
        before = len(text.title) + len(TITLE_END)
        part = "title" if end <= len(text.title) else "body"
        start, end = (start, end) if part == "title" else (start - before, end - before)
    words = (text.title if part == "title" else text.body)[max(start, 0) : max(end, 0)]
    if told != text.text_hash and not marked.words:
        return (
            "Its passages are in another text of this issue than the one that is here, or the file does not say which."
        )
    if not 0 <= start < end or len(words) < end - start or (marked.words and marked.words != words):
        return "A passage is not in the text of this issue."
    return Passage(part, start, end, marked.axis)
