"""Searches that found nothing close, by their words."""

import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0037_facts_of_hardware"),
    ]

    operations = [
        migrations.CreateModel(
            name="MissedSearch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("words", models.CharField(help_text="In small letters, blanks folded.", max_length=120, unique=True)),
                ("searches", models.PositiveIntegerField(default=1)),
                ("first_on", models.DateField()),
                ("last_on", models.DateField()),
                (
                    "is_hidden",
                    models.BooleanField(default=False, help_text="Staff do not want it among the most wanted."),
                ),
            ],
            options={
                "verbose_name_plural": "missed searches",
                "ordering": ("-searches", "-last_on", "words"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("words"), 0),
                            django.db.models.lookups.LessThanOrEqual(
                                django.db.models.functions.text.Length("words"), 120
                            ),
                        ),
                        name="missedsearch_size",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("last_on__gte", models.F("first_on"))), name="missedsearch_days_in_order"
                    ),
                ],
            },
        ),
    ]
