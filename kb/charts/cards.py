"""Reads what is known of issues with given symptoms, and how often each cause is seen anywhere, from the database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from django.db import connection

from kb.charts.chart import Counted, Heading
from kb.charts.counting import Row, combinations, relation, tally
from kb.charts.dimensions import CAUSE, FIX, STAGE, SYMPTOM, Categories, Queries, categories
from kb.charts.drawings import SECONDS, holders_of
from kb.charts.evidence import Evidence
from kb.charts.given import Cause, KnownHeadings, Report, causes
from kb.charts.given_category import shares
from kb.charts.shares import CategoryShare, Share
from kb.charts.symptoms import Chosen, chosen, without
from kb.selectors.remembered import remembered

# Of each issue with the symptom, and whether it is described in our own words (1), with what fixed it (2).
ISSUES = """
WITH given AS (
    SELECT f.issue_id, f.cause, f.fix, f.stage, f.hours_open, f.small_fix, f.lines, f.symptom, f.has_fix FROM {relation}
)
SELECT g.issue_id, g.cause, g.fix, g.stage, g.hours_open, g.small_fix, g.lines IS NOT NULL, coalesce(d.worth, 0),
    g.symptom, g.has_fix
FROM given g LEFT JOIN (
    SELECT id, 1 + (resolution <> '')::int AS worth FROM kb_issue WHERE is_curated
) d ON d.id = g.issue_id
"""


@dataclass(frozen=True)
class Given:
    """What is known of the issues with these symptoms: `causes` of those with a known one, likeliest first.

    `coarse`: how many have a cause that is known only as a group, while categories are asked for. `fixes`: the
    commonest fix patterns, whatever the cause; `fixed`: the issues with a linked fix. `sources`: the names of the
    sources that were counted, with the number of issues of each.
    """

    symptoms: Chosen
    counted: Counted
    coarse: int
    causes: tuple[Cause, ...]
    fixes: tuple[CategoryShare, ...]
    fixed: Share
    sources: tuple[tuple[str, int], ...] = ()

    @property
    def unknown(self) -> int:
        """How many have no known cause at all."""
        return self.counted.all_issues - self.counted.issues - self.coarse


def given(evidence: Evidence, level: int) -> Given | None:
    """What is known of the evidence's issues; None while the address names no symptom."""
    by_key = categories(evidence, (SYMPTOM, CAUSE, FIX, STAGE), level)
    symptoms = chosen(evidence, by_key["symptom"].tree)
    if not symptoms.groups or evidence.errors:
        return None
    key = f"given:{level}:{evidence.key}"
    return remembered(key, lambda: _given(evidence, symptoms, by_key), seconds=SECONDS)


def _given(evidence: Evidence, symptoms: Chosen, by_key: Mapping[str, Categories]) -> Given:
    cause, fix = by_key["cause"], by_key["fix"]
    stage = by_key["stage"].including(by_key["stage"].tree.shown(1))
    text, values = relation(evidence)
    with connection.cursor() as cursor:
        cursor.execute(ISSUES.format(relation=text), values)
        rows = cursor.fetchall()
    base = tally(combinations(without(evidence, symptoms), ("cause",)), cause.implied)
    headings = KnownHeadings(_headings(cause), _headings(fix), _headings(stage))
    likely, known = causes(_reports(rows, cause, fix, stage), base, headings)
    coarse = sum(1 for row in rows if row[1] and not cause.implied(row[1]))
    counted = Counted(known, len(rows), "whose root cause is known")
    of_cause = Queries(evidence, cause)
    of_fix, of_stage = Queries(evidence, cause, fix), Queries(evidence, cause, stage)
    with_queries = []
    for each in likely:
        code = each.heading.code
        fixes = _with_queries(each.fixes, code, of_fix)
        stages = _with_queries(each.stages, code, of_stage)
        with_queries.append(replace(each, query=of_cause.at(code), fixes=fixes, stages=stages))
    fixes = shares(evidence, fix, ((row[2], 1) for row in rows))
    fixed = Share(sum(1 for row in rows if row[9]), len(rows))
    return Given(symptoms, counted, coarse, tuple(with_queries), fixes, fixed, holders_of(evidence, len(rows)))


def _headings(categories: Categories) -> dict[str, Heading]:
    """Every category of the tree, whether shown or not."""
    branches = categories.tree.branches.values()
    return {branch.code: Heading(branch.code, branch.name, url=branch.url) for branch in branches}


def _reports(rows: Sequence[Row], cause: Categories, fix: Categories, stage: Categories) -> Iterator[Report]:
    """The rows with their categories.

    The best examples are those that are described, then that are fixed, then with few answers besides, then new ones.
    """
    answers = cache(lambda pks: len(pks.split()))
    for pk, cause_pks, fix_pks, stage_pks, hours, is_small, is_fixed, worth, symptom_pks, _ in rows:
        rank = (-worth, not is_fixed, answers(symptom_pks) + answers(cause_pks), -pk)
        categories_of = cause.implied(cause_pks), fix.implied(fix_pks), stage.implied(stage_pks)
        yield Report(pk, *categories_of, hours, is_small, rank)


def _with_queries(shares: Sequence[CategoryShare], cause: str, queries: Queries) -> tuple[CategoryShare, ...]:
    return tuple(replace(share, query=queries.at(cause, share.heading.code)) for share in shares)
