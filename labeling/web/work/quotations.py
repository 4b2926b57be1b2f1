"""Finds a quotation in a frozen text, so that evidence can be pasted where nothing can be selected. Pure.

People quote what they see. Blanks, Markdown's signs and the addresses of links differ between that and the text as it
was written, so where the exact characters are not found, both are compared without them.
"""

import re

from labeling.ballots import Passage
from labeling.refusals import RefusedError

SHORTEST = 3
# What a reader does not see: a link's address, a tag, a comment, blanks and the signs that mark text up.
UNSEEN = re.compile(r"\]\([^()\s]*\)|<!--.*?-->|</?[A-Za-z][^<>\n]*>|[\s*_~`#>\[\]()!|\\]", re.DOTALL)
Span = tuple[int, int]


def locate(title: str, body: str, quotation: str, *, axis: str = "") -> Passage:
    """Where an issue's title or body has these words.

    Raises RefusedError, which says what to do, if they are not there or more than once.
    """
    wanted = quotation.strip()
    if len(wanted) < SHORTEST:
        raise RefusedError("Quote a few more characters, so that the passage can be found.")
    quoted = wanted if len(wanted) <= 60 else f"{wanted[:57]}…"
    for find in (_verbatim, _as_seen):
        matches = [("title", span) for span in find(title, wanted)] + [("body", span) for span in find(body, wanted)]
        if len(matches) > 1:
            raise RefusedError(f"“{quoted}” is there {len(matches)} times. Quote more, so that only one place matches.")
        if matches:
            part, (start, end) = matches[0]
            return Passage(part=part, start=start, end=end, axis=axis)
    raise RefusedError(f"“{quoted}” is not in the title or the text. Copy it exactly.")


def _verbatim(text: str, wanted: str) -> list[Span]:
    return [match.span() for match in re.finditer(re.escape(wanted), text)]


def _as_seen(text: str, wanted: str) -> list[Span]:
    """Matches of what is seen of both, as spans of the whole text."""
    offsets: list[int] = []
    end = 0
    for unseen in UNSEEN.finditer(text):
        offsets += range(end, unseen.start())
        end = unseen.end()
    offsets += range(end, len(text))
    seen = "".join(text[offset] for offset in offsets)
    key = UNSEEN.sub("", wanted)
    if len(key) < SHORTEST:
        return []
    return [(offsets[start], offsets[end - 1] + 1) for start, end in _verbatim(seen, key)]
