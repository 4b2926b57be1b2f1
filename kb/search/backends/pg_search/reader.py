"""Searches the tables: the best or the first matches, how many there are, and the facets' counts, in one statement."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from kb.core.search.backend import EngineUnavailableError, conditions_of, is_known
from kb.core.search.values import Candidate, Hits, Request, Sort, TextQuery
from kb.search.backends.fields import FIELDS, INDEXED_KEYS
from kb.search.backends.pg_search.counts import HELD, Groups, Pass, passes
from kb.search.backends.pg_search.database import Connect, asking, check_tables
from kb.search.backends.pg_search.query import counting, matching, must_be_counted, scoring
from kb.search.backends.pg_search.schema import COMMENTS, CURATED, OPENED, QUICKNESS, ROWS, WORDS
from kb.search.backends.pg_search.words import EVERY

NEWEST = f"{OPENED} DESC, id DESC"
ORDERS = {
    Sort.NEWEST: NEWEST,
    Sort.DISCUSSED: f"{COMMENTS} DESC, {NEWEST}",
    Sort.QUICKEST: f"{QUICKNESS} DESC, {NEWEST}",
    Sort.RELEVANCE: f"{CURATED} DESC, {NEWEST}",
}
QUERY = "%s::jsonb::paradedb.searchqueryinput"
COUNTED = f"paradedb.aggregate('{ROWS}_bm25', {QUERY}, %s::json)"
# The counts come as a row before the first one. Rows are numbered, since a union keeps no order.
ANSWER = """
SELECT 0 AS place, NULL::bigint, NULL::real, json_build_array({counted})::text, NULL::bytea
UNION ALL
SELECT row_number() OVER (), found.* FROM (
    SELECT id, {score}, card, features FROM {rows} WHERE id @@@ {query} ORDER BY {order} LIMIT %s OFFSET %s
) AS found
"""
ENOUGH = f"""
SELECT id FROM (SELECT id, pdb.score(id) AS met FROM {ROWS} WHERE id @@@ {QUERY} OFFSET 0) AS counted WHERE met > %s
"""  # noqa: S608
FREQUENCIES = f"SELECT word, documents FROM {WORDS} WHERE word = ANY (%s)"  # noqa: S608
STARTING = f"""
SELECT word, documents FROM {WORDS} WHERE starts_with(word, %s) AND word <> '' ORDER BY documents DESC, word LIMIT %s
"""  # noqa: S608


def product_database() -> BaseDatabaseWrapper:
    """The connection of the product's own database."""
    return connections[DEFAULT_DB_ALIAS]


class PgSearchBackend:
    """Answers from the tables in the database of `connect`."""

    name = "pg_search"

    def __init__(self, connect: Connect = product_database) -> None:
        self._connect = connect

    def find(self, request: Request) -> Hits:
        """Answer a request; raises EngineUnavailableError when the tables or the extension are missing."""
        if not is_known(request, FIELDS, INDEXED_KEYS):
            raise ValueError("The request has conditions or facets that no engine knows.")
        try:
            return self._find(request)
        except EngineUnavailableError:
            # Other tables may have taken the place between two looks at them; if so, the second try finds them.
            return self._find(request)

    def supports(self, request: Request) -> bool:
        """All that is known at all."""
        return is_known(request, FIELDS, INDEXED_KEYS)

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each word."""
        kept = [word for word in words if word != EVERY and "\x00" not in word]
        return dict.fromkeys(words, 0) | dict(self._rows(FREQUENCIES, kept))

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words that start so."""
        if "\x00" in prefix:
            return []
        return [(word, count) for word, count in self._rows(STARTING, prefix, limit)]

    def size(self) -> int:
        """How many documents there are."""
        return sum(count for _, count in self._rows(FREQUENCIES, [EVERY]))

    def _rows(self, statement: str, *params: Any) -> list[Any]:
        with asking(self._connect) as cursor:
            check_tables(cursor)
            cursor.execute(statement, params)
            return list(cursor.fetchall())

    def _find(self, request: Request) -> Hits:
        with asking(self._connect) as cursor:
            check_tables(cursor)
            enough = _having_enough(cursor, request.text)
            counts = passes(request, enough)
            cursor.execute(*_statement(request, counts, enough))
            (_, _, _, aggregated, _), *rows = sorted(cursor.fetchall(), key=lambda row: int(row[0]))
            totals: list[int] = []
            groups: Groups = {}
            for count, answer in zip(counts, json.loads(aggregated), strict=True):
                total, counted = count.read(answer)
                totals.append(total)
                groups |= counted
            for count in counts:
                groups |= _held(cursor, count)
        candidates = tuple(Candidate(pk, score, card, bytes(features)) for _, pk, score, card, features in rows)
        return Hits(candidates, totals[0], groups)


def _statement(request: Request, counts: Sequence[Pass], enough: Sequence[int] | None) -> tuple[str, list[Any]]:
    conditions = conditions_of(request)
    if request.sort is Sort.RELEVANCE and not request.text.is_empty:
        query = scoring(request.text, conditions, enough)
        score, order = "pdb.score(id)", "pdb.score(id) DESC, id DESC"
    else:
        query = matching(request.text, conditions, enough)
        score, order = "0::real", ORDERS[request.sort]
    counted = ", ".join([COUNTED] * len(counts))
    params: list[Any] = []
    for count in counts:
        params += [json.dumps(count.query), count.asked()]
    params += [json.dumps(query), request.limit, request.offset]
    return ANSWER.format(counted=counted, score=score, rows=ROWS, query=QUERY, order=order), params


def _having_enough(cursor: CursorWrapper, text: TextQuery) -> list[int] | None:
    """The documents that have enough of the wanted words, if that must be counted."""
    if not must_be_counted(text):
        return None
    cursor.execute(ENOUGH, [json.dumps(counting(text)), text.least - 0.5])
    return [pk for (pk,) in cursor.fetchall()]


def _held(cursor: CursorWrapper, count: Pass) -> Groups:
    counted: Groups = {group: {} for group in count.held}
    if counted:
        cursor.execute(HELD, [json.dumps(count.query), list(count.sources)])
        for group, code, documents in cursor.fetchall():
            if group in counted:
                counted[group][code] = documents
    return counted
