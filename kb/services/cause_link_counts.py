"""SQL that counts cause links in temporary tables, for `cause_links` and `cause_link_check`.

Updates and recounts share it: a changed issue is subtracted as it was and added as it is; a recount adds all issues
of a source. Large intermediate results are tables, not common table expressions, whose size the planner misjudges by
so much that it loops for minutes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from kb.core.chances import Z_95
from kb.services.locks import lock_transaction

LOCK = ("faultbook", "cause links")

OPEN = """
CREATE TEMPORARY TABLE links_whole (source_id bigint NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE links_touched (source_id bigint NOT NULL, issue_id bigint NOT NULL, whole boolean NOT NULL)
    ON COMMIT DROP;
"""
CLOSE = "DROP TABLE links_whole, links_touched, links_changed, links_wanted"

# Takes exactly the rows that it sees: a transaction that commits late may add rows with smaller ids.
TAKE = """
WITH taken AS (
    DELETE FROM kb_causelinkchange WHERE id IN (SELECT id FROM kb_causelinkchange ORDER BY id LIMIT %s)
    RETURNING source_id, issue_id
), whole AS (
    INSERT INTO links_whole SELECT DISTINCT source_id FROM taken WHERE issue_id IS NULL
)
INSERT INTO links_touched SELECT DISTINCT source_id, issue_id, false FROM taken
WHERE source_id NOT IN (SELECT source_id FROM taken WHERE issue_id IS NULL)
"""
SETTLE = "DELETE FROM kb_causelinkchange WHERE source_id = ANY (%s)"
TAKE_WHOLE = "INSERT INTO links_whole SELECT unnest(%s::bigint[])"
TOUCH_WHOLE = """
INSERT INTO links_touched SELECT DISTINCT l.source_id, l.issue_id, true
FROM kb_label l JOIN links_whole w ON w.source_id = l.source_id
JOIN kb_source s ON s.id = l.source_id AND (s.kind <> 'rule' OR %s)
"""

# A label implies its node's ancestors, so links exist at every level of the trees. One statement reads the labels: what
# is committed after it is in the outbox.
CHANGED = """
ANALYZE links_touched;
CREATE TEMPORARY TABLE links_changed ON COMMIT DROP AS
SELECT t.source_id, t.issue_id, f.symptoms, f.causes, e.symptoms AS former_symptoms, e.causes AS former_causes
FROM links_touched t
LEFT JOIN (
    SELECT l.source_id, l.issue_id,
        array_agg(DISTINCT up.node_id) FILTER (WHERE a.code = 'symptom') AS symptoms,
        array_agg(DISTINCT up.node_id) FILTER (WHERE a.code = 'root_cause') AS causes
    FROM links_touched asked
    JOIN kb_label l ON l.source_id = asked.source_id AND l.issue_id = asked.issue_id
    JOIN kb_issue i ON i.id = l.issue_id AND i.kind <> 'pull_request'
    JOIN kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause')
    JOIN kb_node n ON n.id = l.node_id
    LEFT JOIN kb_node p ON p.id = n.parent_id
    CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
    WHERE up.node_id IS NOT NULL
    GROUP BY 1, 2 HAVING count(DISTINCT a.code) = 2
) AS f ON f.source_id = t.source_id AND f.issue_id = t.issue_id
LEFT JOIN kb_causelinkevidence e ON e.source_id = t.source_id AND e.issue_id = t.issue_id AND NOT t.whole
WHERE t.whole OR (f.symptoms, f.causes) IS DISTINCT FROM (e.symptoms, e.causes);
ANALYZE links_changed;
"""

# Every node of a counted issue is in a link, so that the links have the former totals. Where a source has as many
# issues as before, only links of the moved nodes can change. A link without issues gets a count of 0.
WANTED = """
CREATE TEMPORARY TABLE links_wanted ON COMMIT DROP AS
WITH moved AS (
    SELECT source_id, symptoms, causes, 1 AS n FROM links_changed WHERE symptoms IS NOT NULL
    UNION ALL
    SELECT source_id, former_symptoms, former_causes, -1 FROM links_changed WHERE former_symptoms IS NOT NULL
), moved_node AS (
    SELECT DISTINCT source_id, node_id FROM moved, unnest(symptoms || causes) AS node_id
), former AS (
    SELECT l.source_id, l.symptom_id, l.cause_id, l.issues, l.symptom_issues, l.cause_issues, l.all_issues
    FROM kb_causelink l
    JOIN (SELECT source_id, sum(n) AS n FROM moved GROUP BY 1) AS more ON more.source_id = l.source_id
    WHERE l.source_id NOT IN (SELECT source_id FROM links_whole) AND (
        more.n <> 0 OR (l.source_id, l.symptom_id) IN (SELECT source_id, node_id FROM moved_node)
        OR (l.source_id, l.cause_id) IN (SELECT source_id, node_id FROM moved_node))
), source_total AS (
    SELECT source_id, sum(n) AS n FROM (
        SELECT source_id, max(all_issues) AS n FROM former GROUP BY 1
        UNION ALL SELECT source_id, n FROM moved
    ) AS counted GROUP BY 1
), node_total AS (
    SELECT source_id, node_id, sum(n) AS n FROM (
        SELECT source_id, symptom_id AS node_id, max(symptom_issues) AS n FROM former GROUP BY 1, 2
        UNION ALL SELECT source_id, cause_id, max(cause_issues) FROM former GROUP BY 1, 2
        UNION ALL SELECT source_id, node_id, n FROM moved, unnest(symptoms || causes) AS node_id
    ) AS counted GROUP BY 1, 2
), pair AS (
    SELECT source_id, symptom_id, cause_id, sum(n) AS n FROM (
        SELECT source_id, symptom_id, cause_id, issues AS n FROM former
        UNION ALL
        SELECT source_id, symptom_id, cause_id, n
        FROM moved, unnest(symptoms) AS symptom_id, unnest(causes) AS cause_id
    ) AS counted GROUP BY 1, 2, 3
)
SELECT pair.source_id, pair.symptom_id, pair.cause_id, pair.n::int AS issues, st.n::int AS symptom_issues,
    ct.n::int AS cause_issues, total.n::int AS all_issues
FROM pair
JOIN node_total st ON st.source_id = pair.source_id AND st.node_id = pair.symptom_id
JOIN node_total ct ON ct.source_id = pair.source_id AND ct.node_id = pair.cause_id
JOIN source_total total ON total.source_id = pair.source_id;
ANALYZE links_wanted;
"""

FORGET_EVIDENCE = """
DELETE FROM kb_causelinkevidence e USING links_changed c
WHERE e.source_id = c.source_id AND e.issue_id = c.issue_id AND c.symptoms IS NULL;
DELETE FROM kb_causelinkevidence e USING links_whole w
WHERE e.source_id = w.source_id AND NOT EXISTS (
    SELECT 1 FROM links_changed c WHERE c.source_id = e.source_id AND c.issue_id = e.issue_id);
"""
KEEP_EVIDENCE = """
INSERT INTO kb_causelinkevidence AS e (source_id, issue_id, symptoms, causes)
SELECT source_id, issue_id, symptoms, causes FROM links_changed WHERE symptoms IS NOT NULL
ON CONFLICT (source_id, issue_id) DO UPDATE SET symptoms = excluded.symptoms, causes = excluded.causes
WHERE (e.symptoms, e.causes) IS DISTINCT FROM (excluded.symptoms, excluded.causes)
"""
# Links that never had a note leave nothing behind.
TAKE_AWAY = """
WITH gone AS (
    DELETE FROM kb_causelink l
    USING (
        SELECT source_id, symptom_id, cause_id FROM links_wanted WHERE issues = 0
        UNION ALL
        SELECT source_id, symptom_id, cause_id FROM kb_causelink JOIN links_whole USING (source_id)
        EXCEPT
        SELECT source_id, symptom_id, cause_id FROM links_wanted WHERE issues <> 0
    ) AS empty
    WHERE l.source_id = empty.source_id AND l.symptom_id = empty.symptom_id AND l.cause_id = empty.cause_id
    RETURNING l.id, l.source_id, l.symptom_id, l.cause_id, l.note
)
INSERT INTO kb_gonecauselink (link_id, source_id, symptom_id, cause_id, note)
SELECT id, source_id, symptom_id, cause_id, note FROM gone
WHERE EXISTS (SELECT 1 FROM kb_causelinknoteevent e WHERE e.pgh_obj_id = gone.id AND e.note <> '')
"""
PUT = """
INSERT INTO kb_causelink AS link (id, source_id, symptom_id, cause_id, issues, symptom_issues, cause_issues,
    all_issues, probability_low, probability_high, note)
SELECT coalesce(gone.link_id, nextval(pg_get_serial_sequence('kb_causelink', 'id'))), w.source_id, w.symptom_id,
    w.cause_id, w.issues, w.symptom_issues, w.cause_issues, w.all_issues,
    greatest(0, (p + z2 / 2 - half) / (1 + z2)), least(1, (p + z2 / 2 + half) / (1 + z2)), coalesce(gone.note, '')
FROM links_wanted w
LEFT JOIN kb_causelink old ON old.source_id = w.source_id AND old.symptom_id = w.symptom_id
    AND old.cause_id = w.cause_id
LEFT JOIN kb_gonecauselink gone ON gone.source_id = w.source_id AND gone.symptom_id = w.symptom_id
    AND gone.cause_id = w.cause_id
CROSS JOIN LATERAL (
    SELECT w.issues::float / nullif(w.symptom_issues, 0) AS p, %(z)s ^ 2 / nullif(w.symptom_issues, 0) AS z2) AS share
CROSS JOIN LATERAL (
    SELECT %(z)s * sqrt(p * (1 - p) / w.symptom_issues + z2 / (4 * nullif(w.symptom_issues, 0))) AS half) AS width
WHERE w.issues <> 0 AND (w.issues, w.symptom_issues, w.cause_issues, w.all_issues) IS DISTINCT FROM
    (old.issues, old.symptom_issues, old.cause_issues, old.all_issues)
ON CONFLICT (source_id, symptom_id, cause_id) DO UPDATE SET
    issues = excluded.issues, symptom_issues = excluded.symptom_issues, cause_issues = excluded.cause_issues,
    all_issues = excluded.all_issues, probability_low = excluded.probability_low,
    probability_high = excluded.probability_high
"""
CAME_BACK = "DELETE FROM kb_gonecauselink gone USING kb_causelink l WHERE l.id = gone.link_id"

WAITING = "SELECT EXISTS (SELECT 1 FROM kb_causelinkchange)"


def some_wait() -> bool:
    """Whether label changes wait to be counted."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return bool(cursor.fetchone()[0])


@contextmanager
def counting(*, wait: bool = True) -> Iterator[CursorWrapper | None]:
    """One transaction in which nobody else counts links; None instead of a cursor if somebody does and not `wait`.

    An advisory lock rather than one on the table: whoever writes a note need not wait.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        if not lock_transaction(cursor, LOCK, wait=wait):
            yield None
            return
        cursor.execute(OPEN)
        yield cursor
        cursor.execute(CLOSE)


def touch_waiting(cursor: CursorWrapper, *, limit: int) -> None:
    """Take up to `limit` rows of the outbox as the issues to count."""
    cursor.execute(TAKE, [limit])
    cursor.execute(TOUCH_WHOLE, [False])


def touch_sources(cursor: CursorWrapper, sources: Sequence[int], *, with_rules: bool) -> None:
    """Take these sources for a full recount; labels of rules count only `with_rules`."""
    cursor.execute(TAKE_WHOLE, [list(sources)])
    cursor.execute(TOUCH_WHOLE, [with_rules])


def settle_waiting(cursor: CursorWrapper, sources: Sequence[int]) -> None:
    """Delete the outbox rows of these sources; only before a full recount of them."""
    cursor.execute(SETTLE, [list(sources)])


def count(cursor: CursorWrapper) -> None:
    """Compute the changed issues (`links_changed`) and the sources' correct links (`links_wanted`)."""
    cursor.execute(CHANGED)
    cursor.execute(WANTED)


def store(cursor: CursorWrapper) -> int:
    """Write the counted links and evidence. Returns the number of links created or changed.

    The interval is Wilson's score interval at 95 % (Wilson 1927; Newcombe 1998, method 3).
    """
    cursor.execute(FORGET_EVIDENCE)
    cursor.execute(KEEP_EVIDENCE)
    cursor.execute(TAKE_AWAY)
    cursor.execute(PUT, {"z": Z_95})
    changed = int(cursor.rowcount)
    cursor.execute(CAME_BACK)
    return changed
