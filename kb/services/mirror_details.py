"""Writing what belongs to mirrored issues: comments, what the host names as closing them, and the fixes among that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import connection, transaction

from kb.services.recordsets import listed, record

COMMENT = {
    "issue_id": "bigint", "node_id": "text", "ref": "text", "author": "text", "author_association": "text",
    "body": "text", "created_at": "timestamptz", "updated_at": "timestamptz",
}  # fmt: skip
CLOSING = {
    "issue_id": "bigint", "url": "text", "kind": "text", "state": "text", "additions": "integer",
    "deletions": "integer", "files_changed": "integer", "merged_at": "timestamptz",
}  # fmt: skip


DROP_COMMENTS = """
DELETE FROM kb_comment c WHERE c.issue_id = ANY (%(issues)s)
AND (c.issue_id, c.node_id) NOT IN (SELECT * FROM unnest(%(of)s::bigint[], %(node_ids)s::text[]))
"""
# Rows are written only where they differ, so that a second reading costs next to nothing.
SAVE_COMMENTS = f"""
INSERT INTO kb_comment AS c ({listed(COMMENT)})
SELECT {listed(COMMENT, "s.")} FROM json_to_recordset(%(rows)s::json) AS s ({record(COMMENT)})
ON CONFLICT (node_id) DO UPDATE SET ({listed(COMMENT)}) = ROW({listed(COMMENT, "EXCLUDED.")})
WHERE ({listed(COMMENT, "c.")}) IS DISTINCT FROM ({listed(COMMENT, "EXCLUDED.")})
"""
DROP_CLOSINGS = f"""
DELETE FROM kb_closingreference r WHERE r.issue_id = ANY (%(issues)s) AND NOT EXISTS (
    SELECT 1 FROM json_to_recordset(%(rows)s::json) AS s ({record(CLOSING)})
    WHERE s.url = r.url AND s.issue_id = r.issue_id)
RETURNING r.issue_id, r.url
"""
SAVE_CLOSINGS = f"""
INSERT INTO kb_closingreference AS r ({listed(CLOSING)})
SELECT DISTINCT ON (s.issue_id, s.url) {listed(CLOSING, "s.")}
FROM json_to_recordset(%(rows)s::json) AS s ({record(CLOSING)})
ON CONFLICT (issue_id, url) DO UPDATE SET ({listed(CLOSING)}) = ROW({listed(CLOSING, "EXCLUDED.")})
WHERE ({listed(CLOSING, "r.")}) IS DISTINCT FROM ({listed(CLOSING, "EXCLUDED.")})
"""
# What closed an issue is its fix, as long as it is merged and the issue stays closed.
SAVE_FIXES = """
INSERT INTO kb_fix AS f (url, kind, description, merged_on, additions, deletions, files_changed)
SELECT DISTINCT ON (r.url) r.url, r.kind, '', (r.merged_at AT TIME ZONE 'UTC')::date, r.additions, r.deletions,
    r.files_changed
FROM kb_closingreference r JOIN kb_issue i ON i.id = r.issue_id
WHERE r.issue_id = ANY (%(issues)s) AND r.state = 'merged' AND i.state = 'closed' ORDER BY r.url
ON CONFLICT (url) DO UPDATE SET
    merged_on = coalesce(EXCLUDED.merged_on, f.merged_on), additions = coalesce(EXCLUDED.additions, f.additions),
    deletions = coalesce(EXCLUDED.deletions, f.deletions),
    files_changed = coalesce(EXCLUDED.files_changed, f.files_changed)
WHERE (coalesce(EXCLUDED.merged_on, f.merged_on), coalesce(EXCLUDED.additions, f.additions),
       coalesce(EXCLUDED.deletions, f.deletions), coalesce(EXCLUDED.files_changed, f.files_changed))
    IS DISTINCT FROM (f.merged_on, f.additions, f.deletions, f.files_changed)
"""
LINK_FIXES = """
INSERT INTO kb_issue_fixes (issue_id, fix_id)
SELECT r.issue_id, f.id FROM kb_closingreference r JOIN kb_issue i ON i.id = r.issue_id JOIN kb_fix f ON f.url = r.url
WHERE r.issue_id = ANY (%(issues)s) AND r.state = 'merged' AND i.state = 'closed'
ON CONFLICT DO NOTHING
"""
# What the host names no longer, or names as not merged, is a fix only if somebody who read the issue says so.
UNLINK_FIXES = """
DELETE FROM kb_issue_fixes link USING kb_issue i, kb_fix f
WHERE link.issue_id = i.id AND link.fix_id = f.id AND i.id = ANY (%(issues)s) AND i.read_on IS NULL
AND ((i.id, f.url) IN (SELECT * FROM unnest(%(gone_issues)s::bigint[], %(gone_urls)s::text[]))
     OR EXISTS (SELECT 1 FROM kb_closingreference r WHERE r.issue_id = i.id AND r.url = f.url
                AND (r.state <> 'merged' OR i.state <> 'closed')))
"""


@dataclass(frozen=True, slots=True)
class IssueDetails:
    """All comments and closing references of one issue; keys are those of `COMMENT` and `CLOSING` without the issue."""

    issue_id: int
    comments: Sequence[Mapping[str, Any]]
    closings: Sequence[Mapping[str, Any]]


def write_details(*, details: Sequence[IssueDetails]) -> None:
    """Make comments, closing references and mirrored fixes of these issues exactly what the host says.

    Must run in a transaction.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("details need a transaction around them")
    issues = [some.issue_id for some in details]
    comments = [{"issue_id": some.issue_id, **row} for some in details for row in some.comments]
    closings = _json([{"issue_id": some.issue_id, **row} for some in details for row in some.closings])
    with connection.cursor() as cursor:
        # The texts are long, and only whether a comment is there is asked.
        there = {"of": [row["issue_id"] for row in comments], "node_ids": [row["node_id"] for row in comments]}
        cursor.execute(DROP_COMMENTS, {"issues": issues, **there})
        cursor.execute(SAVE_COMMENTS, {"rows": _json(comments)})
        cursor.execute(DROP_CLOSINGS, {"issues": issues, "rows": closings})
        gone: list[tuple[int, str]] = cursor.fetchall()
        cursor.execute(SAVE_CLOSINGS, {"rows": closings})
        cursor.execute(SAVE_FIXES, {"issues": issues})
        cursor.execute(LINK_FIXES, {"issues": issues})
        cursor.execute(
            UNLINK_FIXES,
            {"issues": issues, "gone_issues": [issue for issue, _ in gone], "gone_urls": [url for _, url in gone]},
        )


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    return orjson.dumps(rows).decode()
