"""A rebuild of the search index notes how many issues it cannot hold, so that its count can be checked exactly."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column."""

    dependencies = [
        ("kb", "0027_how_far_answers_are_trusted"),
    ]

    operations = [
        migrations.AddField(
            model_name="searchbuild",
            name="lacking",
            field=models.BigIntegerField(db_default=0, help_text="Issues that the index cannot hold."),
        ),
    ]
