"""The tables that studies published, and what the imported labels say instead.

A study counts the rows of its data, which only the importer knows: it brings its counting with it (`count_by`). The
site itself counts distinct issues and leaves pull requests out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection
from django.db.models import Prefetch

from kb.models import FRAMEWORK, Framework, Node, PublishedCell, PublishedTable, Study
from kb.selectors.remembered import remembered

# Counts by key of the row and of the column; an empty key is the sum over all of them.
Counts = Mapping[tuple[str, str], int]
# The study's id, what makes the rows and what makes the columns, each an axis' code, `framework` or nothing.
CountRows = Callable[[int, str, str], Counts]

# What things answer to two questions, crossed, with the sums. `{answers}` yields thing, question, answer, each once.
# Answers are gathered by thing and never joined with themselves: of a set just imported, the planner knows no size, and
# would loop over all of it for each of its rows.
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
    """What a key stands for; `depth` is how deep a category stands in its tree."""

    name: str
    url: str = ""
    depth: int = 0


_counting: list[CountRows] = []


@dataclass(frozen=True)
class Recount:
    """What the imported data say: rows as the study counts them, and issues as the site does."""

    rows: Counts
    issues: Counts

    @property
    def is_imported(self) -> bool:
        """Is anything of the study's data here?"""
        return bool(self.rows)


def count_by(count: CountRows) -> None:
    """Have the rows of imported data counted so; for the package that imports them, which this one does not know."""
    _counting[:] = [count]


def tables(*, study: Study) -> tuple[PublishedTable, ...]:
    """The study's tables in their order, with their cells."""
    cells = PublishedCell.objects.order_by("pk")
    found = (
        PublishedTable.objects.filter(study=study).select_related("study").prefetch_related(Prefetch("cells", cells))
    )
    return tuple(found.order_by("position", "pk"))


def recounts(*, study: Study, tables: Iterable[PublishedTable]) -> Mapping[tuple[str, str], Recount]:
    """By what makes rows and columns, these tables of the study counted again, what is below a category included.

    Only tables that can be counted again; remembered until labels change.
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
    in_rows = _counting[0](study, rows, columns) if _counting else {}
    return Recount(in_rows, crossed(ANSWERS_OF_ISSUES, study=study, rows=rows, columns=columns) if in_rows else {})


def crossed(answers: str, *, study: int, rows: str, columns: str) -> Counts:
    """Count the things of a statement by their answers to two questions. It stands in the code, never in an address."""
    with connection.cursor() as cursor:
        cursor.execute(CROSSED.format(answers=answers), {"study": study, "rows": rows, "columns": columns})
        return {(row, column): n for row, column, n in cursor.fetchall()}


def names_of_keys(*, study: Study) -> dict[tuple[str, str], KeyName]:
    """What a key of an axis, or of `framework`, is called. A framework that nobody loaded has no name."""
    nodes = Node.objects.filter(axis__scheme__study=study).select_related("axis__scheme", "parent")
    names = {(node.axis.code, node.code): KeyName(node.name, node.get_absolute_url(), _depth(node)) for node in nodes}
    return names | {(FRAMEWORK, slug): KeyName(name) for slug, name in Framework.objects.values_list("slug", "name")}


def _depth(node: Node) -> int:
    return 0 if node.parent is None else 1 if node.parent.parent_id is None else 2


def shared_issues(*, first: Study, second: Study) -> int:
    """How many issues (and pull requests) both studies label here."""

    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute(SHARED, {"first": first.pk, "second": second.pk})
            return int(cursor.fetchone()[0])

    return remembered(f"shared:{first.pk}:{second.pk}", count)
