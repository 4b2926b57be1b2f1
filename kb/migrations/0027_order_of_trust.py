"""The order of trust: consensus of people before curated labels. No statement: what Postgres holds stays as it is."""

import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0026_two_readings"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="source",
            options={
                "ordering": (
                    django.db.models.functions.text.StrIndex(
                        models.Value("consensus curated study rule"), models.F("kind")
                    ),
                    "slug",
                )
            },
        ),
        migrations.AlterField(
            model_name="source",
            name="kind",
            field=models.CharField(
                choices=[
                    ("consensus", "Consensus of a labeling round"),
                    ("curated", "Curated"),
                    ("study", "Imported from a study"),
                    ("rule", "Suggested by a rule"),
                ],
                max_length=10,
            ),
        ),
    ]
