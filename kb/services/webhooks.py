"""Tells approved addresses of changed faults: signed as Standard Webhooks says, with retries, never out of order."""

import base64
import datetime as dt
import hashlib
import hmac
import json
import logging

import httpx
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.urls import reverse
from django.utils import timezone

from kb.http.outgoing import RefusedAddressError, post
from kb.models import FaultChange, Webhook, WebhookDelivery
from kb.selectors.fault_changes import changes_since, kind_of_change

log = logging.getLogger(__name__)
MOST_CHANGES = 500
MOST_AT_ONCE = 20
# Waits after the first, second ... failed attempt: about a day together.
WAITS = tuple(dt.timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720))
KEPT = dt.timedelta(days=30)


def approve(webhook: Webhook) -> None:
    """Save an address that is new; it is told of what changes from now on."""
    webhook.place = FaultChange.objects.aggregate(last=Max("number"))["last"] or 0
    webhook.save()


def queue_changes() -> int:
    """Write a message for each active address that has not been told of the last changes; how many.

    An address gets the next message when the one before was delivered.
    """
    waiting = WebhookDelivery.objects.filter(webhook=OuterRef("pk"), due_at__isnull=False)
    written = 0
    with transaction.atomic():
        for webhook in Webhook.objects.select_for_update().filter(~Exists(waiting), is_active=True):
            found = changes_since(webhook.place, limit=MOST_CHANGES)
            if found.rows:
                changes = [_as_data(row, since=webhook.place) for row in found.rows]
                _write(webhook, kind="faults.changed", data={"changes": changes})
                Webhook.objects.filter(pk=webhook.pk).update(place=found.place)
                written += 1
    return written


def send_test(webhook: Webhook) -> WebhookDelivery:
    """Send a message without changes at once; the delivery says what became of it."""
    delivery = _write(webhook, kind="test", data={"changes": []}, is_due=False)
    _attempt(delivery, retry=False)
    return delivery


def deliver_due() -> int:
    """Send what is due, at most so much at once; how many attempts. What another process sends now is skipped."""
    for sent in range(MOST_AT_ONCE):
        with transaction.atomic():
            due = WebhookDelivery.objects.filter(due_at__lte=timezone.now(), webhook__is_active=True)
            delivery = due.select_for_update(skip_locked=True, of=("self",)).order_by("due_at").first()
            if delivery is None:
                return sent
            _attempt(delivery, retry=True)
    return MOST_AT_ONCE


def forget_old_deliveries() -> int:
    """Delete messages that nobody waits for, a month after they were written."""
    old = WebhookDelivery.objects.filter(due_at=None, created_at__lt=timezone.now() - KEPT)
    return old.delete()[0]


def signature(secret: str, message_id: str, timestamp: str, body: str) -> str:
    """The value of the header `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _write(webhook: Webhook, *, kind: str, data: dict[str, object], is_due: bool = True) -> WebhookDelivery:
    now = timezone.now()
    body = json.dumps({"type": kind, "timestamp": now.isoformat(), "data": data}, ensure_ascii=False)
    return WebhookDelivery.objects.create(
        webhook=webhook, body=body, since=webhook.place, due_at=now if is_due else None
    )


def _as_data(change: FaultChange, *, since: int) -> dict[str, object]:
    page = reverse("fault", args=(change.public_id,))
    return {
        "public_id": change.public_id,
        "change": kind_of_change(change, since=since),
        "changed_at": change.changed_at.isoformat(),
        "replaced_by": change.replaced_by or None,
        "page": None if change.is_withdrawn else f"{str(settings.SITE_URL).rstrip('/')}{page}",
    }


def _attempt(delivery: WebhookDelivery, *, retry: bool) -> None:
    """Send it once and write down what came of it; the last failure in a row switches the address off.

    Switched on again, the address is told of the same changes anew, with what changed since.
    """
    now = timezone.now()
    timestamp = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Faultbook (webhooks)",
        "webhook-id": str(delivery.pk),
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(delivery.webhook.secret, str(delivery.pk), timestamp, delivery.body),
    }
    try:
        status = post(delivery.webhook.url, delivery.body.encode(), headers)
        is_delivered, outcome = 200 <= status < 300, str(status)
    except (RefusedAddressError, httpx.HTTPError, httpx.InvalidURL) as error:
        is_delivered, outcome = False, f"{type(error).__name__}: {error}"
    delivery.attempts += 1
    delivery.outcome = outcome[:200]
    delivery.delivered_at = now if is_delivered else None
    has_more = retry and not is_delivered and delivery.attempts <= len(WAITS)
    delivery.due_at = now + WAITS[delivery.attempts - 1] if has_more else None
    delivery.save()
    if retry and not is_delivered and not has_more:
        Webhook.objects.filter(pk=delivery.webhook_id).update(is_active=False, place=delivery.since)
        log.warning("The webhook %s is off: nothing could be delivered for a day.", delivery.webhook_id)
