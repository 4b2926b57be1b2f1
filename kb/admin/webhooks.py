"""Webhooks: staff approve an address by adding it, read what was sent to it, and try it."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from kb.admin.base import Plain
from kb.models import Webhook, WebhookDelivery
from kb.services.webhooks import approve, send_test


@admin.register(Webhook)
class WebhookAdmin(Plain):
    """Addresses."""

    list_display = ("url", "note", "is_active", "created_at")
    list_filter = ("is_active",)
    fields = ("url", "note", "is_active", "secret", "created_at")
    readonly_fields = ("secret", "created_at")
    fixed = ("url",)
    actions = ("try_out",)

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        """A new address is told of what changes from now on."""
        if change:
            super().save_model(request, obj, form, change)
        else:
            approve(obj)

    @admin.action(description="Send a test message")
    def try_out(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> None:
        """Send each address a message without changes, and say what it answered."""
        for webhook in queryset[:5]:
            delivery = send_test(webhook)
            level = messages.SUCCESS if delivery.delivered_at else messages.ERROR
            self.message_user(request, f"{webhook}: {delivery.outcome}", level)


@admin.register(WebhookDelivery)
class DeliveryAdmin(Plain):
    """What was sent."""

    list_display = ("webhook", "created_at", "attempts", "outcome", "delivered_at", "due_at")
    list_filter = ("webhook",)
    list_select_related = ("webhook",)
    can_add = can_delete = False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Nobody changes what was sent."""
        return False
