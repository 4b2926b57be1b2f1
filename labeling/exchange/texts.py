"""Finds the frozen text that a file's passages are in, and checks that they lie within it.

Offsets mean nothing without their text. A file names it by its hash; where this database does not have that text, or
the file is another tool's, the words at the offsets are compared.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kb.models import Issue
from labeling.ballots import Passage
from labeling.exchange.rows import TITLE_END
from labeling.models import Snapshot
from labeling.passages import Marked
from labeling.services.snapshots import contents_of, text_hash


@dataclass(frozen=True)
class Text:
    """An issue's frozen text."""

    text_hash: str
    title: str
    body: str


def texts_of(*, issues: Collection[int], named: Mapping[int, str]) -> dict[int, Text]:
    """The text of each issue: the snapshot that `named` names by its hash, else the issue now. Three statements."""
    wanted = {pk: named[pk] for pk in issues if pk in named}
    texts = {}
    for snapshot in Snapshot.objects.filter(issue__in=wanted, text_hash__in=wanted.values()):
        if wanted[snapshot.issue_id] == snapshot.text_hash:
            content = snapshot.content
            texts[snapshot.issue_id] = Text(snapshot.text_hash, content["title"], content["body"])
    others = Issue.objects.filter(pk__in=set(issues) - set(texts)).select_related("repository")
    for pk, current in contents_of(issues=others.prefetch_related("fixes")).items():
        texts[pk] = Text(text_hash(current), current["title"], current["body"])
    return texts


def fit_passage(*, marked: Marked, told: str, text: Text) -> Passage | str:
    """The passage, if it lies within the text; else why not. `told`: the hash of the text, as the file has it."""
    part, start, end = marked.part, marked.start, marked.end
    if not part and end <= len(text.title):
        part = "title"
    elif not part:
        offset = len(text.title) + len(TITLE_END)
        part, start, end = "body", start - offset, end - offset
    whole = text.title if part == "title" else text.body
    words = whole[max(start, 0) : max(end, 0)]
    if told != text.text_hash and not marked.words:
        return (
            "Its passages are in another text of this issue than the one that is here, or the file does not say which."
        )
    if not 0 <= start < end or len(words) < end - start or (marked.words and marked.words != words):
        return "A passage is not in the text of this issue."
    return Passage(part, start, end, marked.axis)
