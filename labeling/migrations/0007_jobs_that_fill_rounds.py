"""A job may give a round its issues."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0006_only_demos_go"),
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
