"""Writing details of mirrored issues: comments, closing references, and the fixes among these."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from kb.services.recordsets import JsonRow, as_json, listed, record, run

COMMENT = {
    "issue_id": "bigint", "node_id": "text", "ref": "text", "author": "text", "author_association": "text",
    "body": "text", "created_at": "timestamptz", "updated_at": "timestamptz",
}  # fmt: skip
CLOSING = {
    "issue_id": "bigint", "url": "text", "kind": "text", "state": "text", "additions": "integer",
    "deletions": "integer", "files_changed": "integer", "merged_at": "timestamptz",
}  # fmt: skip


HELD_COMMENTS = "SELECT id, issue_id, node_id FROM kb_comment WHERE issue_id = ANY (%s)"
DROP_COMMENTS = "DELETE FROM kb_comment WHERE id = ANY (%s)"
# Only rows that differ are written, so that reading an issue again costs next to nothing.
SAVE_COMMENTS = f"""
INSERT INTO kb_comment AS c ({listed(COMMENT)})
SELECT {listed(COMMENT, "s.")} FROM json_to_recordset(%s::json) AS s ({record(COMMENT)})
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
# A merged reference of a closed issue is its fix. Day and size from git stay; the host's are in the reference.
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
WHERE f.commit = '' AND (coalesce(EXCLUDED.merged_on, f.merged_on), coalesce(EXCLUDED.additions, f.additions),
       coalesce(EXCLUDED.deletions, f.deletions), coalesce(EXCLUDED.files_changed, f.files_changed))
    IS DISTINCT FROM (f.merged_on, f.additions, f.deletions, f.files_changed)
"""
LINK_FIXES = """
INSERT INTO kb_issue_fixes (issue_id, fix_id)
SELECT r.issue_id, f.id FROM kb_closingreference r JOIN kb_issue i ON i.id = r.issue_id JOIN kb_fix f ON f.url = r.url
WHERE r.issue_id = ANY (%(issues)s) AND r.state = 'merged' AND i.state = 'closed'
ON CONFLICT DO NOTHING
"""
# Other references are fixes only where a curated record (read_on) says so.
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
    comments: Sequence[JsonRow]
    closings: Sequence[JsonRow]


def write_details(*, details: Sequence[IssueDetails]) -> None:
    """Make comments, closing references and mirrored fixes of these issues exactly those of the host.

    Raises `TransactionManagementError` outside a transaction.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("details need a transaction around them")
    issues: list[int] = []
    comments: list[JsonRow] = []
    closings: list[JsonRow] = []
    for issue in details:
        issues.append(issue.issue_id)
        comments += [{"issue_id": issue.issue_id, **row} for row in issue.comments]
        closings += [{"issue_id": issue.issue_id, **row} for row in issue.closings]
    _write_comments(issues, comments)
    _write_closings(issues, closings)


def _write_comments(issues: Sequence[int], rows: Sequence[JsonRow]) -> None:
    current = {(row["issue_id"], row["node_id"]) for row in rows}
    deleted = [pk for pk, issue_id, node_id in run(HELD_COMMENTS, [issues]) if (issue_id, node_id) not in current]
    if deleted:
        run(DROP_COMMENTS, [deleted])
    if rows:
        run(SAVE_COMMENTS, [as_json(rows)])


def _write_closings(issues: Sequence[int], rows: Sequence[JsonRow]) -> None:
    json = as_json(rows)
    deleted = run(DROP_CLOSINGS, {"issues": issues, "rows": json})
    deleted_issues, deleted_urls = [issue_id for issue_id, _ in deleted], [url for _, url in deleted]
    changed = sorted({row["issue_id"] for row in rows}.union(deleted_issues))
    if not changed:
        return
    run(SAVE_CLOSINGS, {"rows": json})
    run(SAVE_FIXES, {"issues": changed})
    run(LINK_FIXES, {"issues": changed})
    run(UNLINK_FIXES, {"issues": changed, "gone_issues": deleted_issues, "gone_urls": deleted_urls})
