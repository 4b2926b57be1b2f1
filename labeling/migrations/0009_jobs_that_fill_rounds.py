"""A job may give a round its issues."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0008_rounds_keep_to_their_project"),
    ]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("publish", "Publishing"),
                    ("withdraw", "Withdrawing"),
                    ("release", "Making a release"),
                    ("import", "Importing votes"),
                    ("fill", "Giving a round its issues"),
                ],
                max_length=8,
            ),
        ),
    ]
