"""Addresses that are told of changed faults, and what was sent to them. Staff approve each address."""

import base64
import secrets
import uuid

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now

from kb.http.outgoing import RefusedAddressError, check_address


def new_secret() -> str:
    """A secret as Standard Webhooks writes it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def of_the_web(url: str) -> None:
    """Raises `ValidationError` for an address that nothing is sent to."""
    try:
        check_address(url)
    except RefusedAddressError as error:
        raise ValidationError(str(error)) from error


class Webhook(models.Model):
    """An address that is told of changes, from `place` on in their order (`FaultChange.number`)."""

    url = models.URLField(max_length=300, unique=True, validators=[of_the_web])
    note = models.CharField(max_length=200, help_text="Whose it is, and whom to ask.")
    secret = models.CharField(max_length=80, default=new_secret, editable=False)
    is_active = models.BooleanField(default=True, help_text="Off by itself where nothing could be delivered for a day.")
    place = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("url",)

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(models.Model):
    """One message, and how far it came. The same message keeps its id in every attempt."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    body = models.TextField()
    since = models.BigIntegerField(help_text="The address's place before it: where it begins again if this fails.")
    created_at = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True, db_default=Now(), help_text="The next attempt; null when there is none.")
    delivered_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=200, blank=True, help_text="The last attempt's status or error.")

    class Meta:
        ordering = ("-created_at", "pk")
        indexes = (models.Index(fields=("due_at",), condition=models.Q(due_at__isnull=False), name="delivery_due"),)

    def __str__(self) -> str:
        return f"{self.webhook}: {self.outcome or 'waits'}"
