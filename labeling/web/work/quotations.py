"""Finds a quotation in a frozen text, so that evidence can be pasted where nothing can be selected. Pure.

People quote what they see. Blanks, Markdown's signs and the addresses of links differ between that and the text as it
was written, so that both are compared without them where the very characters are not there.
"""

import re
from collections.abc import Mapping
from typing import Any

from labeling.ballots import Passage
from labeling.refusals import RefusedError

PARTS = ("title", "body")
SHORTEST = 3
# What a reader does not see: a link's address, a tag, a comment, blanks and the signs that mark text up.
UNSEEN = re.compile(r"\]\([^()\s]*\)|<!--.*?-->|</?[A-Za-z][^<>\n]*>|[\s*_~`#>\[\]()!|\\]", re.DOTALL)


def locate(content: Mapping[str, Any], quotation: str, *, axis: str = "") -> Passage:
    """Where a snapshot's title or body says this.

    Raises RefusedError, saying what to do, where it is not said, or more than once.
    """
    wanted = quotation.strip()
    if len(wanted) < SHORTEST:
        raise RefusedError("Quote a few more characters, so that the passage can be found.")
    texts = {part: str(content.get(part) or "") for part in PARTS}
    found = [(part, *place) for part, text in texts.items() for place in _verbatim(text, wanted)]
    found = found or [(part, *place) for part, text in texts.items() for place in _as_seen(text, wanted)]
    if not found:
        raise RefusedError(f"“{_short(wanted)}” is not in the title or the text. Copy it from there as it is.")
    if len(found) > 1:
        raise RefusedError(f"“{_short(wanted)}” is there {len(found)} times. Quote more, so that one place is meant.")
    part, start, end = found[0]
    return Passage(part=part, start=start, end=end, axis=axis)


def _verbatim(text: str, wanted: str) -> list[tuple[int, int]]:
    return _places(text, wanted, len(wanted))


def _as_seen(text: str, wanted: str) -> list[tuple[int, int]]:
    """The same without what is not seen, in places of the text as it is."""
    seen, places = _seen(text)
    key, _ = _seen(wanted)
    if len(key) < SHORTEST:
        return []
    return [(places[start], places[end - 1] + 1) for start, end in _places(seen, key, len(key))]


def _seen(text: str) -> tuple[str, list[int]]:
    """What is seen of a text, and where each of its characters stands."""
    places: list[int] = []
    at = 0
    for unseen in UNSEEN.finditer(text):
        places += range(at, unseen.start())
        at = unseen.end()
    places += range(at, len(text))
    return "".join(text[place] for place in places), places


def _places(text: str, wanted: str, length: int) -> list[tuple[int, int]]:
    return [(found.start(), found.start() + length) for found in re.finditer(re.escape(wanted), text)]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
