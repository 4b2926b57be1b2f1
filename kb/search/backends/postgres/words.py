"""How many issues hold a word: asked for all words of a search at once, and not for longer than that is worth."""

import logging
from collections.abc import Sequence

from django.db import connection

from kb.search.backends.postgres.limits import TooLateError, at_most

log = logging.getLogger(__name__)

MILLISECONDS = 500
# Of the commonest words Postgres knows the share, from its last ANALYZE; only the others are counted, which are rarer.
# A word that full text leaves out (a stop word) tells nothing: it counts as standing everywhere.
COUNTS = """
WITH common AS MATERIALIZED (
    SELECT lexeme, round(share * reltuples)::int AS issues
    FROM pg_class JOIN pg_stats ON schemaname = relnamespace::regnamespace::text AND tablename = relname
    CROSS JOIN LATERAL unnest(most_common_elems::text::text[], most_common_elem_freqs) AS known(lexeme, share)
    WHERE pg_class.oid = 'kb_issue'::regclass AND attname = 'search_vector' AND reltuples >= %s AND lexeme IS NOT NULL
)
SELECT n, CASE WHEN numnode(query) = 0 THEN (SELECT count(*) FROM kb_issue) ELSE coalesce(
    (SELECT issues FROM common WHERE ARRAY[lexeme] = tsvector_to_array(to_tsvector('english', word))),
    (SELECT count(*) FROM kb_issue WHERE search_vector @@ query)
) END
FROM unnest(%s::text[]) WITH ORDINALITY AS asked(word, n), plainto_tsquery('english', word) AS query
"""
# In a smaller collection all words are counted: it takes no time, and a small change is a large share.
LARGE = 20_000


def frequencies(words: Sequence[str]) -> dict[str, int]:
    """How many issues hold each word. When that takes too long: one each, so that every word is looked for."""
    if not words:
        return {}
    try:
        with at_most(MILLISECONDS), connection.cursor() as cursor:
            cursor.execute(COUNTS, [LARGE, [word.replace("\x00", "") for word in words]])
            return {words[n - 1]: count for n, count in cursor.fetchall()}
    except TooLateError:
        log.warning("Counting %s words took more than %s ms: every word is looked for.", len(words), MILLISECONDS)
        return dict.fromkeys(words, 1)
