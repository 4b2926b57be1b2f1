"""Which issues were read for suggestions, and as what."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ingest", "0002_mirrors"),
        ("kb", "0011_suggestions_apart"),
    ]

    operations = [
        migrations.CreateModel(
            name="SuggestionMark",
            fields=[
                (
                    "issue",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="kb.issue",
                    ),
                ),
                (
                    "made_of",
                    models.CharField(
                        help_text="Stands for the text, the host's labels, the codebook's words and the rules.",
                        max_length=32,
                    ),
                ),
            ],
        ),
    ]
