"""How many issues hold a word: asked for all words of a search at once, and not for longer than that is worth."""

import logging
from collections.abc import Sequence

from django.db import connection

from kb.search.backends.postgres.limits import TooLateError, at_most

log = logging.getLogger(__name__)

MILLISECONDS = 500
# A word that full text knows nothing of (a stop word, a sign) stands nowhere; asking for it would read every issue.
COUNTS = """
SELECT n, CASE WHEN numnode(query) > 0 THEN (SELECT count(*) FROM kb_issue WHERE search_vector @@ query) ELSE 0 END
FROM unnest(%s::text[]) WITH ORDINALITY AS asked(word, n), plainto_tsquery('english', word) AS query
"""


def frequencies(words: Sequence[str]) -> dict[str, int]:
    """How many issues hold each word. When that takes too long: one each, so that every word is looked for."""
    if not words:
        return {}
    try:
        with at_most(MILLISECONDS), connection.cursor() as cursor:
            cursor.execute(COUNTS, [[word.replace("\x00", "") for word in words]])
            return {words[n - 1]: count for n, count in cursor.fetchall()}
    except TooLateError:
        log.warning("Counting %s words took more than %s ms: every word is looked for.", len(words), MILLISECONDS)
        return dict.fromkeys(words, 1)
