"""How far each published answer is trusted; consensus of people before curated labels in the order of trust."""

import django.db.models.functions.text
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("kb", "0002_squashed_0026_two_readings"),
    ]

    operations = [
        migrations.AddField(
            model_name="provenance",
            name="confidence",
            field=models.CharField(
                choices=[("high", "High"), ("medium", "Medium"), ("low", "Low")],
                db_default="low",
                default="low",
                help_text="See docs/confidence.md.",
                max_length=6,
            ),
        ),
        migrations.AddField(
            model_name="provenance",
            name="is_from_file",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Were the votes cast elsewhere, and imported from a file?"
            ),
        ),
        migrations.AddField(
            model_name="provenance",
            name="is_pilot",
            field=models.BooleanField(db_default=False, default=False, help_text="Was it decided in a pilot round?"),
        ),
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
