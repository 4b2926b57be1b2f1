"""Facets: how many issues each value of each group would give, with the other groups' choices kept.

Disjunctive inside a group: a choice in a group never changes that group's own counts. One statement
computes all groups: a row counts for a group when no choice rules it out, or only that group's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import BooleanField, Case, Exists, OuterRef, QuerySet, Value, When

from kb.models import Issue

COUNTS = """
WITH base AS MATERIALIZED (
    SELECT judged.id, missing, repository_id, state, extract(year FROM opened_at)::text AS year,
        coalesce(d.has_fix, false) AS has_fix, d.small_fix, d.node_ids, d.source_kinds
    FROM (SELECT *, {missing} AS missing, {failed} AS failed FROM ({issues}) AS matched) AS judged
    LEFT JOIN kb_issuedigest d ON d.issue_id = judged.id
    WHERE failed <= 1
), per_node AS ({per_node})
SELECT a.code, node_id::text, sum(n)::int FROM per_node JOIN kb_node ON kb_node.id = node_id
    JOIN kb_axis a ON a.id = kb_node.axis_id WHERE missing IN ('', a.code) GROUP BY 1, 2
UNION ALL SELECT 'framework', f.slug, sum(n)::int
    FROM (SELECT repository_id, count(*) AS n FROM base WHERE missing IN ('', 'framework') GROUP BY 1) AS counted
    JOIN kb_repository r ON r.id = repository_id JOIN kb_framework f ON f.id = r.framework_id GROUP BY 2
UNION ALL SELECT 'state', state, count(*)::int FROM base WHERE missing IN ('', 'state') GROUP BY 2
UNION ALL SELECT 'year', year, count(*)::int FROM base WHERE missing IN ('', 'year') AND year IS NOT NULL GROUP BY 2
UNION ALL SELECT 'has_fix', has_fix::text, count(*)::int FROM base WHERE missing IN ('', 'has_fix') GROUP BY 2
UNION ALL SELECT 'small_fix', small_fix::text, count(*)::int FROM base
    WHERE missing IN ('', 'small_fix') AND small_fix IS NOT NULL GROUP BY 2
UNION ALL SELECT 'trust', kind, count(*)::int FROM base, unnest(source_kinds) AS kind
    WHERE missing IN ('', 'trust') GROUP BY 2
UNION ALL SELECT 'total', '', count(*)::int FROM base WHERE missing = ''
"""

PER_NODE = "SELECT node_id, missing, count(*) AS n FROM base, unnest(node_ids) AS node_id GROUP BY 1, 2"

# With chosen sources only their labels count, and the digest does not know whose they are.
PER_NODE_OF_SOURCES = """
SELECT node_id, missing, count(*) AS n FROM (
    SELECT DISTINCT base.id, missing, up.node_id
    FROM base JOIN kb_label l ON l.issue_id = base.id
    JOIN kb_source source ON source.id = l.source_id AND source.slug = ANY (%s)
    JOIN kb_axis axis ON axis.id = l.axis_id
    JOIN kb_scheme scheme ON scheme.id = axis.scheme_id AND scheme.study_id IS NULL
    JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
    CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
    WHERE up.node_id IS NOT NULL
) AS held GROUP BY 1, 2
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
    `sources`: slugs of the only sources whose labels count; all when empty.
    """
    names = list(choices)
    flags = {
        f"keeps_{i}": Case(
            When(Exists(choices[name].order_by().filter(pk=OuterRef("pk"))), then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        )
        for i, name in enumerate(names)
    }
    columns = ("id", "repository_id", "state", "opened_at", *flags)
    inner, params = issues.order_by().annotate(**flags).values(*columns).query.sql_with_params()
    sql = COUNTS.format(
        issues=inner,
        missing=_missing(names),
        failed=_failed(names),
        per_node=PER_NODE_OF_SOURCES if sources else PER_NODE,
    )
    groups: dict[str, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, [*names, *params, *([list(sources)] if sources else [])])
        for group, value, count in cursor.fetchall():
            groups.setdefault(group, {})[value] = count
    total = groups.pop("total", {}).get("", 0)
    return FacetCounts(groups, total)


def _failed(names: Sequence[str]) -> str:
    return " + ".join(f"(NOT keeps_{i})::int" for i in range(len(names))) or "0"


def _missing(names: Sequence[str]) -> str:
    cases = " ".join(f"WHEN NOT keeps_{i} THEN %s" for i in range(len(names)))
    return f"CASE {cases} ELSE '' END" if cases else "''"
