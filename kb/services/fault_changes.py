"""Gives the changes of faults their order. One process at a time does, so that numbers become visible in turn."""

from django.db import connection, transaction

from kb.services.locks import lock_transaction

# What is visible is taken, and exactly that; what commits later comes with the next ones.
FOLLOW = """
WITH taken AS (DELETE FROM kb_faulttouch RETURNING public_id),
named AS (SELECT DISTINCT public_id FROM taken),
last AS (SELECT coalesce(max(number), 0) AS number FROM kb_faultchange)
INSERT INTO kb_faultchange AS held (public_id, number, created_number, changed_at, is_withdrawn, replaced_by)
SELECT n.public_id, last.number + row_number() OVER (ORDER BY n.public_id),
    last.number + row_number() OVER (ORDER BY n.public_id), now(), i.id IS NULL, coalesce(other.public_id, '')
FROM named n CROSS JOIN last LEFT JOIN kb_issue i ON i.public_id = n.public_id
LEFT JOIN kb_formerid f ON f.public_id = n.public_id LEFT JOIN kb_issue other ON other.id = f.issue_id
ON CONFLICT (public_id) DO UPDATE SET number = excluded.number, changed_at = excluded.changed_at,
    is_withdrawn = excluded.is_withdrawn, replaced_by = excluded.replaced_by
"""


def follow_faults() -> int:
    """Number the changes that are not numbered yet; how many ids changed. 0 while another process does it."""
    with transaction.atomic(), connection.cursor() as cursor:
        if not lock_transaction(cursor, "fault-changes", wait=False):
            return 0
        cursor.execute(FOLLOW)
        return int(cursor.rowcount)
