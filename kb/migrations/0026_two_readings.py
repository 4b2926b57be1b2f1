"""Two independent readings of curated records."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0025_axis_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="TwoReadings",
            fields=[
                (
                    "issue",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="two_readings",
                        serialize=False,
                        to="kb.issue",
                    ),
                ),
                ("read_on", models.DateField(help_text="Day of the second reading.")),
                ("read_extent", models.TextField(help_text="How much of the thread the second reader saw.")),
                (
                    "is_pilot",
                    models.BooleanField(default=False, help_text="Was it before the codebook's rules were corrected?"),
                ),
                (
                    "answers",
                    models.JSONField(
                        help_text="Of each axis, codes of the `first` and the `second`, and `why` of what was kept."
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "two readings",
            },
        ),
    ]
