"""Writing down what webhooks bring. What is done about it is in `ingest.sync.deliveries`."""

import datetime as dt

from django.db import connection
from django.utils import timezone

from ingest.github.webhook import Hint
from ingest.models import Delivery

KEPT = dt.timedelta(days=30)
INSERT = """
INSERT INTO ingest_delivery (guid, event, action, repository, ref, received_at, outcome)
VALUES (%s, %s, %s, %s, %s, %s, '') ON CONFLICT (guid) DO NOTHING
"""


def note_delivery(*, guid: str, event: str, hint: Hint) -> bool:
    """Write a delivery down, in one statement; False when it came before, as deliveries sent anew do."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [guid, event, hint.action, hint.repository, hint.ref, timezone.now()])
        return cursor.rowcount == 1


def forget_old_deliveries() -> int:
    """Delete deliveries that were handled and that GitHub does not send anew any more; returns how many."""
    old = Delivery.objects.filter(handled_at__isnull=False, received_at__lt=timezone.now() - KEPT)
    return old.delete()[0]
