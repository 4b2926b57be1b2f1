"""Counts issues by what they have in common: one statement over the facts, then folding.

Postgres groups issues by their answers as they were given; which categories these imply is folded here, so that an
issue counts once in every category, pair or path, however many of its answers lead there. Reads the database.
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
# All answers of several holders.
TOGETHER = """(SELECT coalesce(string_agg(g.{key}, ' ') FILTER (WHERE g.{key} <> ''), '') FROM kb_issuefacts g
    WHERE g.issue_id = issue.issue_id AND g.holder = ANY (%s)) AS {key}"""
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
# From an issue's column of the facts to the codes of its categories.
Implied = Callable[[Any], Collection[str]]


def relation(evidence: Evidence) -> tuple[str, list[Any]]:
    """What stands behind FROM and WHERE: the facts `f` to count, one row for each issue; and the values."""
    condition = evidence.condition
    if evidence.with_unlabelled:
        return f"kb_facts_of_issue f WHERE {condition.text}", list(condition.values)
    if len(evidence.holders) == 1:
        return f"kb_issuefacts f WHERE f.holder = %s AND {condition.text}", [evidence.holders[0], *condition.values]
    holders = list(evidence.holders)
    answers = ", ".join(TOGETHER.format(key=key) for key in AXIS_KEYS)
    issues = "SELECT DISTINCT ON (issue_id) * FROM kb_issuefacts WHERE holder = ANY (%s) ORDER BY issue_id"
    text = f"(SELECT {OTHERS}, {answers} FROM ({issues}) AS issue) AS f WHERE {condition.text}"  # noqa: S608
    return text, [*[holders] * len(AXIS_KEYS), holders, *condition.values]


def combinations(evidence: Evidence, keys: Sequence[str]) -> list[Row]:
    """Every combination of the issues' values under these keys, with the number of issues that have it, in any order.

    Where the evidence was grouped by these keys and others before, its groups are merged instead of read again.
    """
    for known_keys, rows in evidence.grouped.items():
        if set(keys) <= set(known_keys):
            return merge_groups(rows, [known_keys.index(key) for key in keys])
    rows = group_issues(evidence, ", ".join(EXPRESSIONS[key] for key in keys), len(keys))
    evidence.grouped[tuple(keys)] = rows
    return rows


def merge_groups(rows: Iterable[Row], places: Sequence[int]) -> list[Row]:
    """The groups by the values at these places alone, with the sums of their last column."""
    counts: defaultdict[Any, int] = defaultdict(int)
    values_of = itemgetter(*places)
    for row in rows:
        counts[values_of(row)] += row[-1]
    if len(places) == 1:
        return list(counts.items())
    return [(*values, issues) for values, issues in counts.items()]


def group_issues(
    evidence: Evidence, columns: str, grouped: int, aggregates: str = "count(*)", only: str = "true"
) -> list[Row]:
    """Group the issues by the first `grouped` of the expressions `columns`, with the aggregates of each group.

    `only`: a further condition on facts `f`. All three are texts of our own.
    """
    text, values = relation(evidence)
    selected = f"{columns}, {aggregates}" if columns else aggregates
    statement = f"SELECT {selected} FROM {text} AND {only}"  # noqa: S608
    if grouped:
        statement += f" GROUP BY {', '.join(str(place + 1) for place in range(grouped))}"
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[Row] = cursor.fetchall()
        return rows


def group_apart(evidence: Evidence, columns: Sequence[str]) -> list[list[Row]]:
    """For each of these expressions, its values with the number of issues that have each: one pass for all of them."""
    text, values = relation(evidence)
    places = range(1, len(columns) + 1)
    sets = ", ".join(f"({place})" for place in places)
    which = ", ".join(f"grouping({column})" for column in columns)
    statement = f"SELECT {', '.join(columns)}, {which}, count(*) FROM {text} GROUP BY GROUPING SETS ({sets})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall()
    apart: list[list[Row]] = [[] for _ in columns]
    for row in rows:
        # 0 marks the expression that the row is a group of.
        place = row.index(0, len(columns), -1) - len(columns)
        apart[place].append((row[place], row[-1]))
    return apart


@dataclass(frozen=True)
class Crossed:
    """Issues by two questions. Totals are of issues that answer both; `all_issues` also of those that do not.

    `beyond`: how many answer both, but too coarsely for the categories that are shown.
    """

    pairs: Counter[tuple[str, str]]
    rows: Counter[str]
    columns: Counter[str]
    answered: int
    all_issues: int
    beyond: int


def cross(counted: Iterable[Row], row: Implied, column: Implied) -> Crossed:
    """Fold combinations of two keys into pairs of categories."""
    pairs: Counter[tuple[str, str]] = Counter()
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    answered = all_issues = beyond = 0
    for row_value, column_value, issues in counted:
        all_issues += issues
        row_codes, column_codes = row(row_value), column(column_value)
        if not row_codes or not column_codes:
            if row_value and column_value:
                beyond += issues
            continue
        answered += issues
        for code in row_codes:
            rows[code] += issues
        for code in column_codes:
            columns[code] += issues
        for pair in product(row_codes, column_codes):
            pairs[pair] += issues
    return Crossed(pairs, rows, columns, answered, all_issues, beyond)


@dataclass(frozen=True)
class Tally:
    """Issues by one question; `answered` of `all_issues` answer it."""

    counts: Counter[str]
    answered: int
    all_issues: int


def tally(counted: Iterable[Row], implied: Implied) -> Tally:
    """Fold combinations of one key into categories."""
    counts: Counter[str] = Counter()
    answered = all_issues = 0
    for value, issues in counted:
        all_issues += issues
        codes = implied(value)
        if codes:
            answered += issues
        for code in codes:
            counts[code] += issues
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
    """The ids of the sources that answer in the house codebook, by name."""
    with connection.cursor() as cursor:
        cursor.execute(HOUSE_SOURCES, [Source.Kind.values])
        return {name: pk for pk, name in cursor.fetchall()}


def by_source(evidence: Evidence, holders: Collection[int]) -> tuple[tuple[str, int], ...]:
    """Names of the sources with the number of issues that are counted of each, the most trusted first."""
    values = [list(holders), *evidence.condition.values, Source.Kind.values]
    with connection.cursor() as cursor:
        cursor.execute(BY_SOURCE.format(condition=evidence.condition.text), values)
        return tuple(cursor.fetchall())
