"""The tables that studies published, and the same counts from imported labels.

A study counts the rows of its data, which only the importer knows; it registers its counting (`count_by`). The site
itself counts distinct issues without pull requests.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection
from django.db.models import Prefetch

from kb.models import FRAMEWORK, Framework, Node, PublishedCell, PublishedTable, Study
from kb.selectors.remembered import remembered

# Counts by the keys of row and column; an empty key stands for the sum.
Counts = Mapping[tuple[str, str], int]
# From the study's id and what rows and columns are by: an axis' code, `framework` or empty.
CountRows = Callable[[int, str, str], Counts]

# A cross table of two questions with its sums. `{answers}` is a query of distinct rows (thing, question, answer). They
# are aggregated by thing instead of joined with themselves: of newly imported rows the planner knows no statistics, and
# would scan all of them for each row.
CROSSED = """
WITH things AS MATERIALIZED (
    SELECT thing, coalesce(array_agg(answer) FILTER (WHERE question = %(rows)s), '{{}}') AS in_rows,
        coalesce(array_agg(answer) FILTER (WHERE question = %(columns)s), '{{}}') AS in_columns
    FROM ({answers}) AS answers GROUP BY thing
)
SELECT r.answer, c.answer, count(*)
FROM things, unnest(in_rows) AS r(answer), unnest(in_columns) AS c(answer) GROUP BY 1, 2
UNION ALL SELECT r.answer, '', count(*) FROM things, unnest(in_rows) AS r(answer) GROUP BY 1
UNION ALL SELECT '', c.answer, count(*) FROM things, unnest(in_columns) AS c(answer) GROUP BY 2
UNION ALL SELECT '', '', count(*) FROM things WHERE in_rows <> '{{}}'
"""
ANSWERS_OF_ISSUES = """
    SELECT l.issue_id AS thing, a.code::text AS question, up.code::text AS answer
    FROM kb_label l
    JOIN kb_source s ON s.id = l.source_id AND s.study_id = %(study)s
    JOIN kb_issue i ON i.id = l.issue_id AND i.kind <> 'pull_request'
    JOIN kb_axis a ON a.id = l.axis_id AND a.code IN (%(rows)s, %(columns)s)
    JOIN kb_node n ON n.id = l.node_id
    LEFT JOIN kb_node p ON p.id = n.parent_id LEFT JOIN kb_node g ON g.id = p.parent_id
    CROSS JOIN LATERAL (VALUES (n.code), (p.code), (g.code)) AS up(code)
    WHERE up.code IS NOT NULL
    UNION
    SELECT i.id, 'framework', f.slug
    FROM kb_issue i
    JOIN kb_repository o ON o.id = i.repository_id JOIN kb_framework f ON f.id = o.framework_id
    WHERE 'framework' IN (%(rows)s, %(columns)s) AND i.kind <> 'pull_request' AND i.id IN (
        SELECT l.issue_id FROM kb_label l JOIN kb_source s ON s.id = l.source_id AND s.study_id = %(study)s
    )
"""
SHARED = """
SELECT count(*) FROM (
    SELECT l.issue_id FROM kb_label l JOIN kb_source s ON s.id = l.source_id AND s.study_id = %(first)s
    INTERSECT
    SELECT l.issue_id FROM kb_label l JOIN kb_source s ON s.id = l.source_id AND s.study_id = %(second)s
) AS both_hold
"""


class KeyName(NamedTuple):
    """The name of a key; `depth` is that of a category in its tree."""

    name: str
    url: str = ""
    depth: int = 0


REST_NAME = KeyName("All others together")


_counting: list[CountRows] = []


@dataclass(frozen=True)
class Recount:
    """A table's counts from imported data: rows as the study counts them, and issues as the site does."""

    rows: Counts
    issues: Counts

    @property
    def is_imported(self) -> bool:
        """Whether any of the study's data is imported."""
        return bool(self.rows)


def count_by(count: CountRows) -> None:
    """Register the function that counts rows of imported data; called by the importers' package."""
    _counting[:] = [count]


def tables(*, study: Study) -> tuple[PublishedTable, ...]:
    """The study's tables in their order, with their cells."""
    cells = Prefetch("cells", PublishedCell.objects.order_by("pk"))
    rows = PublishedTable.objects.filter(study=study).select_related("study").prefetch_related(cells)
    return tuple(rows.order_by("position", "pk"))


def recounts(*, study: Study, tables: Iterable[PublishedTable]) -> Mapping[tuple[str, str], Recount]:
    """The recounts of these tables of the study by what their rows and columns are by; cached until labels change.

    Tables that cannot be recounted are left out. An issue counts in the categories above its own, too.
    """
    pairs = sorted({(table.rows_by, table.columns_by) for table in tables if table.is_recounted})
    if not pairs:
        return {}
    named = ",".join(f"{rows}-{columns}" for rows, columns in pairs)
    return remembered(
        f"recounts:{study.pk}:{named}",
        lambda: {(rows, columns): _recount(study.pk, rows, columns) for rows, columns in pairs},
    )


def _recount(study: int, rows: str, columns: str) -> Recount:
    counts = _counting[0](study, rows, columns) if _counting else {}
    if not counts:
        return Recount({}, {})
    return Recount(counts, crossed(ANSWERS_OF_ISSUES, study=study, rows=rows, columns=columns))


def crossed(answers: str, *, study: int, rows: str, columns: str) -> Counts:
    """The cross table of two questions for a query of answers, which must be a constant of the code, never input."""
    with connection.cursor() as cursor:
        cursor.execute(CROSSED.format(answers=answers), {"study": study, "rows": rows, "columns": columns})
        return {(row, column): n for row, column, n in cursor.fetchall()}


def names_of_keys(*, study: Study) -> dict[tuple[str, str], KeyName]:
    """Names of the keys by axis, or `framework`, and key. Frameworks that are not loaded have none."""
    nodes = Node.objects.filter(axis__scheme__study=study).select_related("axis__scheme", "parent")
    names = {(node.axis.code, node.code): KeyName(node.name, node.get_absolute_url(), _depth(node)) for node in nodes}
    return names | {(FRAMEWORK, slug): KeyName(name) for slug, name in Framework.objects.values_list("slug", "name")}


def _depth(node: Node) -> int:
    if node.parent is None:
        return 0
    return 1 if node.parent.parent_id is None else 2


def shared_issues(*, first: Study, second: Study) -> int:
    """The number of issues and pull requests that both studies label."""

    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute(SHARED, {"first": first.pk, "second": second.pk})
            return int(cursor.fetchone()[0])

    return remembered(f"shared:{first.pk}:{second.pk}", count)
