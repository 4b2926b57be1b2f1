"""The words of all documents with the number of documents that hold each, kept beside the rows.

pg_search does not give away the list of its words, and this way a word's frequency is exact and costs no search.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.backends.utils import CursorWrapper

from kb.core.search.backend import EVERYTHING
from kb.core.search.values import Document
from kb.search.backends.pg_search.schema import ROWS, WORDS

# The empty word counts for every document, so that their number is at hand too: Postgres would count rows each time.
EVERY = ""
# Words longer than this are in no index of Postgres, and nobody's either.
MOST_BYTES = 2_000
LOST = """
SELECT word, count(*)::int FROM (
    SELECT DISTINCT id, word FROM {rows}, string_to_table("{field}", ' ') AS word WHERE id = ANY (%s)
) AS held WHERE word <> '' AND octet_length(word) <= {most} GROUP BY word
UNION ALL SELECT '', count(*)::int FROM {rows} WHERE id = ANY (%s)
"""
# In order, so that the pages of the key are visited one after the other.
CHANGED = """
INSERT INTO {words} AS known (word, documents)
SELECT word, change FROM unnest(%s::text[], %s::int[]) AS changed (word, change)
ON CONFLICT (word) DO UPDATE SET documents = known.documents + excluded.documents
"""
FORGOTTEN = "DELETE FROM {words} WHERE documents <= 0 AND word = ANY (%s)"


def lost(cursor: CursorWrapper, ending: str, ids: Sequence[int]) -> Counter[str]:
    """How many of these documents hold each word, as the rows stand now."""
    cursor.execute(LOST.format(rows=ROWS + ending, field=EVERYTHING, most=MOST_BYTES), [list(ids)] * 2)
    return Counter(dict(cursor.fetchall()))


def gained(documents: Iterable[Document]) -> Counter[str]:
    """How many of these documents hold each word."""
    counts: Counter[str] = Counter()
    for document in documents:
        held = {word for word in document.texts.get(EVERYTHING, "").split() if len(word.encode()) <= MOST_BYTES}
        counts.update({EVERY, *held})
    return counts


def change(cursor: CursorWrapper, ending: str, gained: Counter[str], lost: Counter[str]) -> None:
    """Change the frequencies."""
    changes: dict[str, int] = {}
    for word in sorted(gained | lost):
        if gained[word] != lost[word]:
            changes[word] = gained[word] - lost[word]
    if not changes:
        return
    cursor.execute(CHANGED.format(words=WORDS + ending), [list(changes), list(changes.values())])
    fewer = [word for word, change in changes.items() if change < 0]
    if fewer:
        cursor.execute(FORGOTTEN.format(words=WORDS + ending), [fewer])
