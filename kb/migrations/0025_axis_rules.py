"""Rules on whole axes."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0024_shared_diagnoses"),
    ]

    operations = [
        migrations.AddField(
            model_name="axis",
            name="rules",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                default=list,
                help_text="How to choose, on the whole axis.",
                size=None,
            ),
        ),
    ]
