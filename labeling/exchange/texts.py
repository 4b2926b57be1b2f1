"""Finds the frozen text that a file's passages are in, and checks that they lie within it.

Offsets mean nothing without their text. A file names it by its hash; where this database does not have that text, or
the file is another tool's, the words at the offsets are compared.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kb.models import Issue
from labeling.ballots import Passage
from labeling.exchange.rows import TITLE_END
from labeling.models import OwnItem, Snapshot
from labeling.passages import Marked
from labeling.selectors.subjects import Subject, about, subject_of
from labeling.services.snapshots import Content, contents_of, own_contents, text_hash


@dataclass(frozen=True)
class Text:
    """An issue's frozen text."""

    text_hash: str
    title: str
    body: str


def texts_of(*, issues: Collection[Subject], named: Mapping[Subject, str]) -> dict[Subject, Text]:
    """The text of each: the snapshot that `named` names by its hash, else what is there now. Four statements."""
    texts = {}
    for subject, snapshot in earlier_snapshots(named={each: named[each] for each in issues if each in named}).items():
        content = snapshot.content
        texts[subject] = Text(snapshot.text_hash, content["title"], content["body"])
    others = [each for each in issues if each not in texts]
    rows = Issue.objects.filter(pk__in=[pk for kind, pk in others if kind == "issue"]).select_related("repository")
    own = OwnItem.objects.filter(pk__in=[pk for kind, pk in others if kind == "own"])
    contents: dict[Subject, Content] = {
        ("issue", pk): content for pk, content in contents_of(issues=rows.prefetch_related("fixes")).items()
    }
    contents |= {("own", pk): content for pk, content in own_contents(items=own).items()}
    for subject, current in contents.items():
        texts[subject] = Text(text_hash(current), current["title"], current["body"])
    return texts


def earlier_snapshots(*, named: Mapping[Subject, str]) -> dict[Subject, Snapshot]:
    """The snapshots of issues and own items with these hashes, as far as they are here. One statement."""
    rows = Snapshot.objects.filter(about(named), text_hash__in=named.values())
    by_subject = ((subject_of(row), row) for row in rows)
    return {subject: row for subject, row in by_subject if named.get(subject) == row.text_hash}


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
