"""Cause links drawn from labels: which root causes go with a symptom, within one source.

Sources are never pooled here: each link counts the issues of one source only. What rules suggest is counted for who
asks for that source by name.
"""

from django.db import connection, transaction

from kb.models import CauseLink, Source

Z_95 = 1.959963984540054

# A label implies its node's ancestors, so links exist at every level of the trees. A table of its own, because
# the planner guesses a common table expression of this size wrong and then loops for minutes.
IMPLIED = """
CREATE TEMPORARY TABLE implied ON COMMIT DROP AS
SELECT DISTINCT l.source_id, l.issue_id, a.code AS axis, up.node_id
FROM kb_label l
JOIN kb_issue i ON i.id = l.issue_id AND i.kind <> 'pull_request'
JOIN kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause')
JOIN kb_node n ON n.id = l.node_id
LEFT JOIN kb_node p ON p.id = n.parent_id
CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
WHERE up.node_id IS NOT NULL AND l.source_id IN (SELECT id FROM kb_source
    WHERE CASE WHEN %(source)s::bigint IS NULL THEN kind <> 'rule' ELSE id = %(source)s END);
DELETE FROM implied USING (
    SELECT source_id, issue_id FROM implied GROUP BY 1, 2 HAVING count(DISTINCT axis) < 2
) AS half_known WHERE (implied.source_id, implied.issue_id) = (half_known.source_id, half_known.issue_id);
ANALYZE implied;
"""

# Only issues whose symptom and cause are both known are left: `all_n` is their number within the source.
REBUILD = """
WITH node_total AS (
    SELECT source_id, node_id, count(*) AS n FROM implied GROUP BY 1, 2
), source_total AS (
    SELECT source_id, count(DISTINCT issue_id) AS n FROM implied GROUP BY 1
), pair AS (
    SELECT s.source_id, s.node_id AS symptom_id, c.node_id AS cause_id, count(*) AS n
    FROM implied s JOIN implied c USING (source_id, issue_id)
    WHERE s.axis = 'symptom' AND c.axis = 'root_cause' GROUP BY 1, 2, 3
), fresh AS (
    SELECT pair.*, st.n AS symptom_n, ct.n AS cause_n, total.n AS all_n
    FROM pair
    JOIN node_total st ON st.source_id = pair.source_id AND st.node_id = pair.symptom_id
    JOIN node_total ct ON ct.source_id = pair.source_id AND ct.node_id = pair.cause_id
    JOIN source_total total ON total.source_id = pair.source_id
), gone AS (
    DELETE FROM kb_causelink old
    WHERE (%(source)s::bigint IS NULL OR old.source_id = %(source)s) AND NOT EXISTS (
        SELECT 1 FROM fresh f WHERE f.source_id = old.source_id
        AND f.symptom_id = old.symptom_id AND f.cause_id = old.cause_id)
)
INSERT INTO kb_causelink AS link (source_id, symptom_id, cause_id, issues, symptom_issues, cause_issues, all_issues,
    probability_low, probability_high, note)
SELECT source_id, symptom_id, cause_id, n, symptom_n, cause_n, all_n,
    greatest(0, (p + z2 / 2 - half) / (1 + z2)), least(1, (p + z2 / 2 + half) / (1 + z2)), ''
FROM fresh
CROSS JOIN LATERAL (SELECT n::float / symptom_n AS p, %(z)s ^ 2 / symptom_n AS z2) AS share
CROSS JOIN LATERAL (SELECT %(z)s * sqrt(p * (1 - p) / symptom_n + z2 / (4 * symptom_n)) AS half) AS width
ON CONFLICT (source_id, symptom_id, cause_id) DO UPDATE SET
    issues = excluded.issues, symptom_issues = excluded.symptom_issues, cause_issues = excluded.cause_issues,
    all_issues = excluded.all_issues, probability_low = excluded.probability_low,
    probability_high = excluded.probability_high
WHERE (link.issues, link.symptom_issues, link.cause_issues, link.all_issues) IS DISTINCT FROM
    (excluded.issues, excluded.symptom_issues, excluded.cause_issues, excluded.all_issues)
"""


@transaction.atomic
def rebuild_cause_links(*, source: Source | None = None) -> int:
    """Recompute every cause link of `source` (of all that people stand for when None); curators' notes stay.

    Returns the number of links created or changed. The interval is Wilson's score interval at 95 %
    (Wilson 1927; Newcombe 1998, method 3). A link whose evidence is gone goes, with its note in the history.
    """
    wanted = {"source": source.pk if source else None, "z": Z_95}
    with connection.cursor() as cursor:
        # Of two rebuilds at a time the second waits, and then counts what the first one saw and all that came since.
        cursor.execute("LOCK TABLE kb_causelink IN SHARE ROW EXCLUSIVE MODE")
        for statement in filter(str.strip, IMPLIED.split(";")):
            cursor.execute(statement, wanted)
        cursor.execute(REBUILD, wanted)
        changed = int(cursor.rowcount)
        cursor.execute("DROP TABLE implied")
    return changed


def note_cause_link(*, link: CauseLink, note: str) -> None:
    """Write a curator's note on a link; its numbers are nobody's to write."""
    link.note = note
    link.save(update_fields=["note"])
