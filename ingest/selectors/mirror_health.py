"""Whether the mirrors are well, for `manage.py doctor`."""

from django.db import Error

from ingest.hosts.connections import may_ask_much
from ingest.selectors.status import all_statuses
from kb.health.checks import Check

NAME = "mirrors"


def mirrors() -> Check:
    """Look whether every mirror that is on is as fresh as it should be."""
    try:
        statuses = [status for status in all_statuses() if status.mirror.is_on]
    except (Error, OSError):
        return Check(NAME, False, "Unknown, because the database or the broker does not answer.", "Fix that first.")
    bad = [str(status.mirror) for status in statuses if status.needs_attention]
    if bad:
        fix = "/status/ shows what blocks each one and what to do."
        return Check(NAME, False, f"{len(bad)} of {len(statuses)} late or failing: {', '.join(bad)}.", fix)
    token = "" if may_ask_much() else " No token is set, so GitHub allows 60 requests an hour."
    summary = f"{len(statuses)} on, none late." if statuses else "None yet."
    return Check(NAME, True, summary + token)
