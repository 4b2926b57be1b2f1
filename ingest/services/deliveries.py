"""Writing down what webhooks bring and people want read anew; what is done then is in `ingest.sync.deliveries`."""

import datetime as dt
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from ingest.hosts.webhook import Hint
from ingest.models import Delivery
from kb.models import Host, Repository

ASKED = "asked"
KEPT = dt.timedelta(days=30)
INSERT = """
INSERT INTO ingest_delivery (guid, host, event, action, repository, ref, received_at, outcome)
VALUES (%s, %s, %s, %s, %s, %s, %s, '') ON CONFLICT (guid) DO NOTHING
"""


def note_delivery(*, guid: str, event: str, hint: Hint, host: Host = Host.GITHUB) -> bool:
    """Write a delivery down, in one statement; False when it came before, as deliveries sent anew do."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [guid, host, event, hint.action, hint.repository, hint.ref, timezone.now()])
        return bool(cursor.rowcount)


def ask_reading(*, repository: Repository, ref: str) -> None:
    """Have one issue read anew soon, as a webhook would; what is asked survives a broker that is down."""
    hint = Hint(repository=repository.full_name, ref=ref)
    note_delivery(guid=f"asked-{uuid4()}", event=ASKED, hint=hint, host=Host(repository.host))


def forget_old_deliveries() -> int:
    """Delete deliveries that were handled and that GitHub does not send anew any more; returns how many."""
    old = Delivery.objects.filter(handled_at__isnull=False, received_at__lt=timezone.now() - KEPT)
    return old.delete()[0]
