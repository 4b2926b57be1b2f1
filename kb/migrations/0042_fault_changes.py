"""Changes of described faults: a note of each by triggers, and the last change of each id in one order."""

import django.db.models.functions.datetime
from django.db import migrations, models

from kb.migrations._sql import SQL, run_file
from kb.migrations._together import Together


class Migration(Together):
    """Faults that are described already are noted as created."""

    dependencies = [
        ("kb", "0041_public_ids"),
    ]

    operations = [
        migrations.CreateModel(
            name="FaultChange",
            fields=[
                ("public_id", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("number", models.BigIntegerField(unique=True)),
                ("created_number", models.BigIntegerField(help_text="The number of its first change.")),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("is_withdrawn", models.BooleanField(default=False, help_text="No issue has the id now.")),
                (
                    "replaced_by",
                    models.CharField(blank=True, help_text="The id that its issue has now.", max_length=20),
                ),
            ],
            options={
                "ordering": ("number",),
            },
        ),
        migrations.CreateModel(
            name="FaultTouch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.CharField(max_length=20)),
            ],
        ),
        run_file(SQL / "fault_changes.sql"),
    ]
