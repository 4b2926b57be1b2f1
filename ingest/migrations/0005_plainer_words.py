"""Help texts and names of choices in plainer words; no table changes."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("ingest", "0004_looks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="importrejection",
            name="effect",
            field=models.CharField(
                choices=[
                    ("left-out", "The row was skipped."),
                    ("cell-left-out", "The row was imported without this value."),
                    ("counted-only", "The row counts in the study's totals but gives the issue no label."),
                    ("merged", "The row was merged with an earlier one about the same issue."),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="keywordlist",
            name="words",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80), help_text="One is enough; case does not matter.", size=None
            ),
        ),
        migrations.AlterField(
            model_name="mirror",
            name="backfill_from",
            field=models.DateField(
                blank=True, help_text="Only issues changed since this day; empty for all.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="mirror",
            name="interval_minutes",
            field=models.PositiveIntegerField(
                default=15,
                help_text="How often the host is checked for changes.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(10080),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="mirror",
            name="is_on",
            field=models.BooleanField(
                default=True, help_text="When off, mirrored data stays as it is.", verbose_name="on"
            ),
        ),
        migrations.AlterField(
            model_name="mirror",
            name="keywords",
            field=models.ForeignKey(
                blank=True,
                help_text="Keep only issues with one of these words; empty to keep all.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="mirrors",
                to="ingest.keywordlist",
            ),
        ),
    ]
