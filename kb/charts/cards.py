"""Reads what is known once symptoms are given: their issues one by one, and how often each cause is seen anywhere."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from django.db import connection

from kb.charts.chart import Counted, Heading
from kb.charts.counting import Implied, Row, combinations, relation, tally
from kb.charts.dimensions import CAUSE, FIX, STAGE, SYMPTOM, Categories, Queries, categories, implied_by
from kb.charts.drawings import SECONDS, holders_of
from kb.charts.evidence import Evidence
from kb.charts.given import Cause, Likely, Report, causes
from kb.charts.symptoms import Chosen, chosen, without
from kb.selectors.remembered import remembered

# Of each issue with the symptom, and whether it is described in our own words (1), with what fixed it (2).
ISSUES = """
WITH given AS (
    SELECT f.issue_id, f.cause, f.fix, f.stage, f.hours_open, f.small_fix, f.lines, f.symptom FROM {relation}
)
SELECT g.issue_id, g.cause, g.fix, g.stage, g.hours_open, g.small_fix, g.lines IS NOT NULL, coalesce(d.worth, 0),
    g.symptom
FROM given g LEFT JOIN (
    SELECT id, 1 + (resolution <> '')::int AS worth FROM kb_issue WHERE is_curated
) d ON d.id = g.issue_id
"""


@dataclass(frozen=True)
class Given:
    """What is known of the issues with these symptoms: `causes` of those with a known one, likeliest first.

    `coarse`: so many have a cause that is known only as a group, while categories are asked for. `sources`: whose
    answers were counted, with the number of issues of each.
    """

    symptoms: Chosen
    counted: Counted
    coarse: int
    causes: tuple[Cause, ...]
    sources: tuple[tuple[str, int], ...] = ()

    @property
    def unknown(self) -> int:
        """So many have no known cause at all."""
        return self.counted.all_issues - self.counted.issues - self.coarse


def given(evidence: Evidence, level: int) -> Given | None:
    """What is known of the evidence's issues; None while the address names no symptom."""
    found = categories(evidence, (SYMPTOM, CAUSE, FIX, STAGE), level)
    symptoms = chosen(evidence, found["symptom"].tree)
    if not symptoms.groups or evidence.errors:
        return None
    key = f"given:{level}:{evidence.key}"
    return remembered(key, lambda: _given(evidence, symptoms, found), seconds=SECONDS)


def _given(evidence: Evidence, symptoms: Chosen, found: Mapping[str, Categories]) -> Given:
    rows = _rows(evidence)
    cause, fix = found["cause"], found["fix"]
    stage = replace(found["stage"], implied=implied_by(found["stage"].tree, found["stage"].tree.shown(1)))
    base = tally(combinations(without(evidence, symptoms), ("cause",)), cause.implied)
    headings = {one.dimension.key: _headings(one) for one in (cause, fix, stage)}
    likely, known = causes(_reports(rows, cause.implied, fix.implied, stage.implied), base, headings)
    coarse = sum(1 for row in rows if row[1] and not cause.implied(row[1]))
    counted = Counted(known, len(rows), "whose root cause is known")
    asked = tuple(_asking(one, evidence, cause, fix, stage) for one in likely)
    return Given(symptoms, counted, coarse, asked, holders_of(evidence, len(rows)))


def _headings(one: Categories) -> dict[str, Heading]:
    return {branch.code: Heading(branch.code, branch.name, url=branch.url) for branch in one.tree.branches.values()}


def _rows(evidence: Evidence) -> list[Row]:
    text, values = relation(evidence)
    with connection.cursor() as cursor:
        cursor.execute(ISSUES.format(relation=text), values)
        rows: list[Row] = cursor.fetchall()
        return rows


def _reports(rows: Iterable[Row], cause: Implied, fix: Implied, stage: Implied) -> Iterable[Report]:
    """The rows as what they mean.

    The best examples are those that are described, then that are fixed, then that show little besides, then new ones.
    """
    answers = cache(lambda held: held.count(" ") + bool(held))
    for pk, of_cause, of_fix, of_stage, hours, small, is_fixed, worth, symptom in rows:
        rank = (-worth, not is_fixed, answers(symptom) + answers(of_cause), -pk)
        yield Report(pk, cause(of_cause), fix(of_fix), stage(of_stage), hours, small, rank)


def _asking(one: Cause, evidence: Evidence, cause: Categories, fix: Categories, stage: Categories) -> Cause:
    """The cause with the queries of its issues."""
    code = one.heading.code

    def asked(likely: tuple[Likely, ...], dimension: Categories) -> tuple[Likely, ...]:
        queries = Queries(evidence, cause, dimension)
        return tuple(replace(each, query=queries.at(code, each.heading.code)) for each in likely)

    query = Queries(evidence, cause).at(code)
    return replace(one, query=query, fixes=asked(one.fixes, fix), stages=asked(one.stages, stage))
