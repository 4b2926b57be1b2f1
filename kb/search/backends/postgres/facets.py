"""Facets in one statement: a row counts for a group when no condition rules it out, or only that group's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import BooleanField, Case, Q, QuerySet, Value, When

from kb.filters.issues import AXIS_KEYS
from kb.models import Issue
from kb.search.document_rows import COLUMN_FILTERS

BASE = """
WITH base AS MATERIALIZED (
    SELECT judged.*, coalesce(d.has_fix, false) AS has_fix, d.small_fix, d.source_kinds, d.node_ids
    FROM (SELECT *, {missing} AS missing, {failed} AS failed FROM ({issues}) AS matched) AS judged
    LEFT JOIN kb_issuedigest d ON d.issue_id = judged.id
    WHERE failed <= 1
)
SELECT '', '', count(*)::int FROM base WHERE missing = ''
"""
# One value of each issue, in a column of `base`.
SIMPLE = """
UNION ALL SELECT '{group}', {column}::text, count(*)::int FROM base
    WHERE missing IN ('', '{group}') AND {column}::text <> '' GROUP BY 2
"""
# These columns come with the digest; those of other filters are what their expressions read.
DIGEST_COLUMNS = {"has_fix": "has_fix", "small_fix": "small_fix"}
JOINED = {
    "framework": """
UNION ALL SELECT 'framework', f.slug, sum(n)::int
    FROM (SELECT repository_id, count(*) AS n FROM base WHERE missing IN ('', 'framework') GROUP BY 1) AS counted
    JOIN kb_repository r ON r.id = repository_id JOIN kb_framework f ON f.id = r.framework_id GROUP BY 2
""",
    "repository": """
UNION ALL SELECT 'repository', r.full_name, count(*)::int
    FROM base JOIN kb_repository r ON r.id = repository_id WHERE missing IN ('', 'repository') GROUP BY 2
""",
    "trust": """
UNION ALL SELECT 'trust', held_by, count(*)::int FROM base, unnest(source_kinds) AS held_by
    WHERE missing IN ('', 'trust') GROUP BY 2
""",
    "source": """
UNION ALL SELECT 'source', s.slug, count(DISTINCT base.id)::int FROM base
    JOIN kb_label l ON l.issue_id = base.id JOIN kb_source s ON s.id = l.source_id
    WHERE missing IN ('', 'source') GROUP BY 2
""",
}
# House codes from the digest, which holds them with all codes above.
CODES = """
UNION ALL SELECT a.code, node.code, sum(n)::int
    FROM (SELECT node_id, missing, count(*) AS n FROM base, unnest(node_ids) AS node_id GROUP BY 1, 2) AS counted
    JOIN kb_node node ON node.id = node_id JOIN kb_axis a ON a.id = node.axis_id
    WHERE missing IN ('', a.code) GROUP BY 1, 2
"""
# The digest knows neither studies' codes nor which source holds a code; labels do. What rules suggest counts only for
# who asks for it, as in the digest.
HELD = """
UNION ALL SELECT {group}, {value}, count(DISTINCT base.id)::int FROM base
    JOIN kb_label l ON l.issue_id = base.id
    JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
    CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
    JOIN kb_node held ON held.id = up.node_id
    JOIN kb_axis a ON a.id = held.axis_id JOIN kb_scheme scheme ON scheme.id = a.scheme_id
    WHERE missing IN ('', {group}) AND {which}
        AND l.source_id IN (SELECT id FROM kb_source WHERE CASE WHEN %s::text[] IS NULL THEN kind <> 'rule'
            ELSE slug = ANY (%s::text[]) END)
    GROUP BY 1, 2
"""
KEYS_OF_AXES = {axis: key for key, axis in AXIS_KEYS.items()}


@dataclass(frozen=True)
class Question:
    """What to count: `groups` over `issues`, to which no condition on these groups has been applied.

    `choices`: group -> its own condition. `sources`: the only ones whose labels count, if any.
    """

    issues: QuerySet[Issue]
    groups: Sequence[str]
    choices: Mapping[str, Q] = field(default_factory=dict)
    sources: Sequence[str] = ()


def count(question: Question) -> tuple[int, dict[str, dict[str, int]]]:
    """How many issues pass everything, and the counts by group and value, each group without its own condition."""
    # The statement calls a group of house codes by its axis.
    names = [AXIS_KEYS.get(group, group) for group in question.choices]
    flags: dict[str, Case] = {}
    for i, condition in enumerate(question.choices.values()):
        # What cannot be known is not so.
        when = When(condition, then=Value(True))
        flags[f"keeps_{i}"] = Case(when, default=Value(False), output_field=BooleanField())
    missing = " ".join(f"WHEN NOT {flag} THEN %s" for flag in flags)
    failed = " + ".join(f"(NOT {flag})::int" for flag in flags)
    read = {column: COLUMN_FILTERS[group].expression() for group, column in _columns(question).items()}
    chosen = question.issues.order_by().annotate(**flags, **read).values("id", "repository_id", *flags, *read)
    inner, params = chosen.query.sql_with_params()
    sql = BASE.format(issues=inner, missing=f"CASE {missing} ELSE '' END" if flags else "''", failed=failed or "0")
    parts, more = _parts(question)
    counted: dict[str, dict[str, int]] = {group: {} for group in question.groups}
    total = 0
    with connection.cursor() as cursor:
        cursor.execute("\n".join([sql, *parts]), [*names, *params, *more])
        for name, value, n in cursor.fetchall():
            group = KEYS_OF_AXES.get(name, name)
            if not group:
                total = n
            elif group in counted:
                counted[group][value] = n
    return total, counted


def _columns(question: Question) -> dict[str, str]:
    """Group -> the column of `base` that holds what its filter's expression reads."""
    return {group: f"value_of_{group}" for group in question.groups if group in COLUMN_FILTERS}


def _parts(question: Question) -> tuple[list[str], list[list[str] | None]]:
    sources = list(question.sources) or None
    params: list[list[str] | None] = []
    columns = DIGEST_COLUMNS | _columns(question)
    parts = [SIMPLE.format(group=group, column=columns[group]) for group in question.groups if group in columns]
    parts += [JOINED[group] for group in question.groups if group in JOINED]
    if any(group in AXIS_KEYS for group in question.groups):
        if sources:
            parts.append(HELD.format(group="a.code", value="held.code", which="scheme.study_id IS NULL"))
            params += [sources, sources]
        else:
            parts.append(CODES)
    if "node" in question.groups:
        parts.append(HELD.format(group="'node'", value="scheme.slug || '/' || held.code", which="true"))
        params += [sources, sources]
    return parts, params
