"""Whether the mirrors are well, for `manage.py doctor`."""

from django.db import Error

from ingest.hosts.connections import may_ask_much
from ingest.selectors.status import all_statuses
from kb.health.checks import Check

NAME = "mirrors"


def mirrors() -> Check:
    """Look whether every mirror that is on is as fresh as it should be."""
    try:
        found = [one for one in all_statuses() if one.mirror.is_on]
    except (Error, OSError):
        return Check(NAME, False, "Unknown, because the database or the broker does not answer.", "Fix that first.")
    bad = [str(one.mirror) for one in found if one.needs_attention]
    if bad:
        fix = "The page /status/ says what stands in the way of each, and what to do."
        return Check(NAME, False, f"{len(bad)} of {len(found)} late or failing: {', '.join(bad)}.", fix)
    token = "" if may_ask_much() else " No token is set, so that GitHub answers 60 requests an hour."
    return Check(NAME, True, (f"{len(found)} on, none late." if found else "None yet.") + token)
