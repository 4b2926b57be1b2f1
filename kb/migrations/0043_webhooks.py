"""Addresses that are told of changed faults, and what was sent to them."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import kb.models.webhooks
from kb.migrations._together import Together


class Migration(Together):
    """Staff add addresses in the admin."""

    dependencies = [
        ("kb", "0042_fault_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.URLField(max_length=300, unique=True, validators=[kb.models.webhooks.of_the_web])),
                ("note", models.CharField(help_text="Whose it is, and who answers for it.", max_length=200)),
                ("secret", models.CharField(default=kb.models.webhooks.new_secret, editable=False, max_length=80)),
                (
                    "is_active",
                    models.BooleanField(
                        default=True, help_text="Off by itself where nothing could be delivered for a day."
                    ),
                ),
                ("place", models.BigIntegerField(default=0, editable=False)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
            options={
                "ordering": ("url",),
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("body", models.TextField()),
                (
                    "since",
                    models.BigIntegerField(
                        help_text="The address's place before it: where it begins again if this fails."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="The next attempt; null when there is none.",
                        null=True,
                    ),
                ),
                ("delivered_at", models.DateTimeField(null=True)),
                (
                    "outcome",
                    models.CharField(blank=True, help_text="The last attempt's status or error.", max_length=200),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="kb.webhook"
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "pk"),
                "indexes": [
                    models.Index(condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="delivery_due")
                ],
            },
        ),
    ]
