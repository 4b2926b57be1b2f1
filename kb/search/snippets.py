"""Passages of the found issues that hold the query's words, for the shown rows only.

Documents are folded before they are indexed, but a passage must read as it was written. So it is looked for
in the unfolded text with two queries joined: the folded one and the words as typed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from kb.models import Issue
from kb.search.engine import wanted_text
from kb.search.language import Query

# Signs for the ends of a hit: no text that people write has them, and those that do lose them.
HIT, END = "\ue000", "\ue001"
MARKED = re.compile(f"{HIT}([^{HIT}{END}]*){END}")
BODY_CHARACTERS = 2_500
SENTENCE_ENDS = (".", "!", "?", "…")
OPTIONS = f'StartSel="{HIT}", StopSel="{END}", MaxFragments=2, MinWords=8, MaxWords=22, FragmentDelimiter=" … "'

PASSAGES = """
WITH wanted AS (
    SELECT kb_any_word(%(text)s) || coalesce((
        SELECT string_agg(quote_literal(lexeme), ' | ') FROM unnest(to_tsvector('english', %(text)s)))::tsquery,
        ''::tsquery) AS words
)
SELECT id, ts_headline('english',
    concat_ws(' ', summary, array_to_string(recognise, ' '), resolution, workaround, left(body, %(most)s)),
    wanted.words, %(options)s)
FROM kb_issue, wanted WHERE id = ANY(%(ids)s)
"""


@dataclass(frozen=True)
class Piece:
    """A part of a passage: one of the query's words, or what stands around it."""

    text: str
    is_hit: bool = False


def passages(*, issues: Sequence[Issue], query: Query) -> dict[int, tuple[Piece, ...]]:
    """The best passage of each issue, by its id; issues without a hit in their text are left out."""
    text = wanted_text(query).strip()
    if not issues or not text:
        return {}
    ids = [issue.pk for issue in issues]
    with connection.cursor() as cursor:
        cursor.execute(PASSAGES, {"text": text, "most": BODY_CHARACTERS, "options": OPTIONS, "ids": ids})
        found = {pk: pieces(marked) for pk, marked in cursor.fetchall()}
    return {pk: passage for pk, passage in found.items() if any(piece.is_hit for piece in passage)}


def pieces(marked: str) -> tuple[Piece, ...]:
    """Split a passage at its marks; a mark without its other half is dropped, and a cut sentence is shown as cut."""
    text = marked.strip().replace(END + HIT, "")
    before = "" if text.lstrip(HIT)[:1].isupper() else "… "
    after = "" if text.rstrip(END).endswith(SENTENCE_ENDS) else " …"
    split = MARKED.split(f"{before}{text}{after}")
    bare = [re.sub(f"[{HIT}{END}]", "", part) for part in split]
    return tuple(Piece(part, is_hit=bool(i % 2)) for i, part in enumerate(bare) if part)
