"""Categories that readers of the survey miss."""

import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0038_missed_searches"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProposedCategory",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "group",
                    models.CharField(choices=[("A", "Questions"), ("B", "Requirements"), ("C", "Bugs")], max_length=1),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "means",
                    models.CharField(help_text="What it means, and what shows that it is missing.", max_length=600),
                ),
                ("sent_on", models.DateField(auto_now_add=True)),
                (
                    "is_seen",
                    models.BooleanField(default=False, help_text="Staff have read it and decided what becomes of it."),
                ),
            ],
            options={
                "verbose_name_plural": "proposed categories",
                "ordering": ("is_seen", "-pk"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("group__in", ("A", "B", "C"))), name="proposedcategory_group_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("name"), 0),
                            django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("means"), 0),
                        ),
                        name="proposedcategory_says_something",
                    ),
                ],
            },
        ),
    ]
