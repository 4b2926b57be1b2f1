"""Counts issues by what they have in common: one statement over the facts, then plain folding.

Postgres groups issues by their answers as they were given; which categories these imply is folded here, so that an
issue counts once in every category, pair or path, however many of its answers lead there.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import Any

from django.db import connection

from kb.charts.evidence import Evidence
from kb.filters.issues import AXIS_KEYS
from kb.models import Source

OTHERS = """issue_id, framework_id, is_pull, is_open, opened_on, hours_open, comments, hard,
    lines, files, small_fix, has_fix"""
# Of several holders: all that they answer.
TOGETHER = """(SELECT coalesce(string_agg(g.{key}, ' ') FILTER (WHERE g.{key} <> ''), '') FROM kb_issuefacts g
    WHERE g.issue_id = one.issue_id AND g.holder = ANY (%s)) AS {key}"""
EXPRESSIONS = {
    "framework": "f.framework_id",
    "year": "date_part('year', f.opened_on)::int",
    # As a timestamp without zone: of a bare date Postgres would look up the session's zone, row by row.
    "month": "date_trunc('month', f.opened_on::timestamp)::date",
    "state": "CASE WHEN f.is_open THEN 'open' WHEN NOT f.is_open THEN 'closed' ELSE 'unknown' END",
    "small_fix": "f.small_fix",
    "quarter": "date_trunc('quarter', f.opened_on::timestamp)::date",
    "has_fix": "f.has_fix",
} | {key: f"f.{key}" for key in AXIS_KEYS}

Row = tuple[Any, ...]
# From what the facts hold of an issue to the categories that it belongs to.
Implied = Callable[[Any], Collection[str]]


def relation(evidence: Evidence) -> tuple[str, list[Any]]:
    """What stands behind FROM and WHERE: the facts `f` that count, one row for each issue; and its values."""
    if len(evidence.holders) == 1:
        text = f"kb_issuefacts f WHERE f.holder = %s AND {evidence.condition.text}"
        return text, [evidence.holders[0], *evidence.condition.values]
    holders = list(evidence.holders)
    answers = ", ".join(TOGETHER.format(key=key) for key in AXIS_KEYS)
    one = "SELECT DISTINCT ON (issue_id) * FROM kb_issuefacts WHERE holder = ANY (%s) ORDER BY issue_id"
    text = f"(SELECT {OTHERS}, {answers} FROM ({one}) AS one) AS f WHERE {evidence.condition.text}"  # noqa: S608
    return text, [*[holders] * len(AXIS_KEYS), holders, *evidence.condition.values]


def combinations(evidence: Evidence, keys: Sequence[str]) -> list[Row]:
    """Every combination of what issues hold under these keys, with the number of issues behind it, in any order.

    Where the evidence was grouped by these keys and others before, nothing is asked: the groups are put together.
    """
    for known, rows in evidence.grouped.items():
        if set(keys) <= set(known):
            return put_together(rows, [known.index(key) for key in keys])
    found = asked_of(evidence, ", ".join(EXPRESSIONS[key] for key in keys), len(keys))
    evidence.grouped[tuple(keys)] = found
    return found


def put_together(rows: Iterable[Row], places: Sequence[int]) -> list[Row]:
    """Groups that differ in what is held at other places, with their issues, made one. Pure."""
    counts: defaultdict[Any, int] = defaultdict(int)
    held_by = itemgetter(*places)
    for row in rows:
        counts[held_by(row)] += row[-1]
    if len(places) == 1:
        return list(counts.items())
    return [(*held, issues) for held, issues in counts.items()]


def asked_of(evidence: Evidence, columns: str, grouped: int, more: str = "count(*)", only: str = "true") -> list[Row]:
    """Group the issues by the first `grouped` of our own expressions `columns`, and say `more` of each group.

    `only`: our own condition on the issues that are looked at.
    """
    text, values = relation(evidence)
    places = ", ".join(str(place + 1) for place in range(grouped))
    with connection.cursor() as cursor:
        statement = f"SELECT {', '.join(filter(None, (columns, more)))} FROM {text} AND {only}"  # noqa: S608
        cursor.execute(f"{statement} GROUP BY {places}" if grouped else statement, values)
        rows: list[Row] = cursor.fetchall()
        return rows


@dataclass(frozen=True)
class Crossed:
    """Issues by two questions. Totals are of issues that answer both; `all_issues` also of those that do not.

    `beyond`: so many answer both, but too coarsely for the categories that are shown.
    """

    pairs: Counter[tuple[str, str]]
    rows: Counter[str]
    columns: Counter[str]
    answered: int
    all_issues: int
    beyond: int


def cross(counted: Iterable[Row], row: Implied, column: Implied) -> Crossed:
    """Fold combinations of two keys into pairs of categories. Pure."""
    pairs: Counter[tuple[str, str]] = Counter()
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    answered = all_issues = beyond = 0
    for of_row, of_column, issues in counted:
        all_issues += issues
        here, there = row(of_row), column(of_column)
        if not here or not there:
            beyond += issues if of_row and of_column else 0
            continue
        answered += issues
        for one in here:
            rows[one] += issues
        for other in there:
            columns[other] += issues
        for pair in product(here, there):
            pairs[pair] += issues
    return Crossed(pairs, rows, columns, answered, all_issues, beyond)


@dataclass(frozen=True)
class Tally:
    """Issues by one question; `answered` of `all_issues` answer it."""

    counts: Counter[str]
    answered: int
    all_issues: int


def tally(counted: Iterable[Row], implied: Implied) -> Tally:
    """Fold combinations of one key into categories. Pure."""
    counts: Counter[str] = Counter()
    answered = all_issues = 0
    for held, issues in counted:
        all_issues += issues
        found = implied(held)
        if found:
            answered += issues
        for one in found:
            counts[one] += issues
    return Tally(counts, answered, all_issues)


HOUSE_SOURCES = """
SELECT s.id, s.name FROM kb_source s WHERE s.kind <> 'rule' AND EXISTS (
    SELECT 1 FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_scheme scheme ON scheme.id = a.scheme_id
    WHERE l.source_id = s.id AND scheme.study_id IS NULL
) ORDER BY array_position(%s::text[], s.kind::text), s.name
"""
BY_SOURCE = """
SELECT s.name, c.n FROM (
    SELECT f.holder, count(*) AS n FROM kb_issuefacts f WHERE f.holder = ANY (%s) AND {condition} GROUP BY 1
) AS c JOIN kb_source s ON s.id = c.holder ORDER BY array_position(%s::text[], s.kind::text), 2 DESC, 1
"""


def sources_of_house() -> dict[str, int]:
    """The sources that answer in the house codebook, by name, with their ids."""
    with connection.cursor() as cursor:
        cursor.execute(HOUSE_SOURCES, [Source.Kind.values])
        return {name: pk for pk, name in cursor.fetchall()}


def by_source(evidence: Evidence, holders: Collection[int]) -> tuple[tuple[str, int], ...]:
    """These sources with the number of issues of each that are counted, the most trusted first."""
    values = [list(holders), *evidence.condition.values, Source.Kind.values]
    with connection.cursor() as cursor:
        cursor.execute(BY_SOURCE.format(condition=evidence.condition.text), values)
        return tuple(cursor.fetchall())
