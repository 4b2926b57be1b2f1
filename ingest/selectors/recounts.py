"""The rows of a study's imported data, counted as the study counts them: every row, also the second about an issue."""

from kb.selectors.published import Counts, crossed

ANSWERS_OF_ROWS = """
    SELECT r.id AS thing, a.code::text AS question, up.code::text AS answer
    FROM ingest_importedfile f
    JOIN kb_source s ON s.id = f.source_id AND s.study_id = %(study)s
    JOIN ingest_importedrow r ON r.file_id = f.id
    JOIN ingest_importedanswer x ON x.row_id = r.id
    JOIN kb_node n ON n.id = x.node_id
    LEFT JOIN kb_node p ON p.id = n.parent_id LEFT JOIN kb_node g ON g.id = p.parent_id
    JOIN kb_axis a ON a.id = n.axis_id AND a.code IN (%(rows)s, %(columns)s)
    CROSS JOIN LATERAL (VALUES (n.code), (p.code), (g.code)) AS up(code)
    WHERE up.code IS NOT NULL
    UNION
    SELECT r.id, 'framework', w.slug
    FROM ingest_importedfile f
    JOIN kb_source s ON s.id = f.source_id AND s.study_id = %(study)s
    JOIN ingest_importedrow r ON r.file_id = f.id
    JOIN kb_issue i ON i.id = r.issue_id
    JOIN kb_repository o ON o.id = i.repository_id JOIN kb_framework w ON w.id = o.framework_id
    WHERE 'framework' IN (%(rows)s, %(columns)s)
"""


def count_rows(study: int, rows: str, columns: str) -> Counts:
    """Count a study's imported rows, pull requests and repeats included; empty when nothing is imported."""
    counts = crossed(ANSWERS_OF_ROWS, study=study, rows=rows, columns=columns)
    return counts if counts.get(("", "")) else {}
