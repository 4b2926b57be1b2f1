"""Facets: how many issues each value of each group would give, with the other groups' choices kept.

Disjunctive inside a group: a choice in a group never changes that group's own counts. One statement
computes all groups: a row counts for a group when no choice rules it out, or only that group's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import BooleanField, Case, Q, QuerySet, Value, When

from kb.models import Issue

# Groups whose values are not nodes of the codebook.
PLAIN_GROUPS = ("framework", "state", "year", "has_fix", "small_fix", "trust")

COUNTS = """
WITH base AS MATERIALIZED (
    SELECT id, missing FROM (SELECT id, {missing} AS missing, {failed} AS failed FROM ({issues}) AS matched) AS judged
    WHERE failed <= 1
), placed AS (
    SELECT base.id, base.missing, f.slug AS framework, i.state, extract(year FROM i.opened_at)::text AS year
    FROM base JOIN kb_issue i USING (id) JOIN kb_repository r ON r.id = i.repository_id
    JOIN kb_framework f ON f.id = r.framework_id
), implied AS (
    SELECT DISTINCT base.id, base.missing, axis.code AS axis, up.node_id
    FROM base JOIN kb_label l ON l.issue_id = base.id
        AND (%s::text[] IS NULL OR l.source_id IN (SELECT id FROM kb_source WHERE slug = ANY(%s)))
    JOIN kb_axis axis ON axis.id = l.axis_id
    JOIN kb_scheme scheme ON scheme.id = axis.scheme_id AND scheme.study_id IS NULL
    JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
    CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
    WHERE up.node_id IS NOT NULL
), fixed AS (
    SELECT base.id, base.missing, count(link.fix_id) > 0 AS has_fix, bool_or(fix.is_small) AS small_fix
    FROM base LEFT JOIN kb_issue_fixes link ON link.issue_id = base.id LEFT JOIN kb_fix fix ON fix.id = link.fix_id
    GROUP BY base.id, base.missing
)
SELECT axis, node_id::text, count(*) FROM implied WHERE missing IN ('', axis) GROUP BY 1, 2
UNION ALL SELECT 'framework', framework, count(*) FROM placed WHERE missing IN ('', 'framework') GROUP BY 2
UNION ALL SELECT 'state', state, count(*) FROM placed WHERE missing IN ('', 'state') GROUP BY 2
UNION ALL SELECT 'year', year, count(*) FROM placed WHERE missing IN ('', 'year') AND year IS NOT NULL GROUP BY 2
UNION ALL SELECT 'has_fix', has_fix::text, count(*) FROM fixed WHERE missing IN ('', 'has_fix') GROUP BY 2
UNION ALL SELECT 'small_fix', small_fix::text, count(*) FROM fixed
    WHERE missing IN ('', 'small_fix') AND small_fix IS NOT NULL GROUP BY 2
UNION ALL SELECT 'trust', s.kind, count(DISTINCT base.id) FROM base JOIN kb_label l ON l.issue_id = base.id
    JOIN kb_source s ON s.id = l.source_id WHERE missing IN ('', 'trust') GROUP BY 2
UNION ALL SELECT 'total', '', count(*) FROM base WHERE missing = ''
"""


@dataclass(frozen=True)
class FacetCounts:
    """Counts by group and value (a node's id as text for codebook axes), and the number of results."""

    groups: Mapping[str, Mapping[str, int]]
    total: int


def count_facets(
    *, issues: QuerySet[Issue], choices: Mapping[str, QuerySet[Issue]], sources: Sequence[str] = ()
) -> FacetCounts:
    """Count every group over `issues` (text and fixed filters applied, no facet choices).

    `choices`: group -> the issues that this group's choice allows; a codebook axis goes by its axis code.
    With `sources`, only labels that these sources hold are counted on the codebook's axes.
    """
    names = list(choices)
    flags = {
        f"keeps_{i}": Case(
            When(Q(pk__in=choices[name].order_by().values("pk")), then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        )
        for i, name in enumerate(names)
    }
    inner, params = issues.order_by().annotate(**flags).values("id", *flags).query.sql_with_params()
    sql = COUNTS.format(issues=inner, missing=_missing(names), failed=_failed(names))
    holders = list(sources) or None
    groups: dict[str, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, [*names, *params, holders, holders])
        for group, value, count in cursor.fetchall():
            groups.setdefault(group, {})[value] = count
    total = groups.pop("total", {}).get("", 0)
    return FacetCounts(groups, total)


def _failed(names: Sequence[str]) -> str:
    return " + ".join(f"(NOT keeps_{i})::int" for i in range(len(names))) or "0"


def _missing(names: Sequence[str]) -> str:
    cases = " ".join(f"WHEN NOT keeps_{i} THEN %s" for i in range(len(names)))
    return f"CASE {cases} ELSE '' END" if cases else "''"
