"""When issues were last looked at, and the marks of the lists of labels."""

from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("ingest", "0001_squashed_0003_suggestion_marks"),
    ]

    operations = [
        migrations.AddField(
            model_name="cursor",
            name="all_seen_by",
            field=models.DateTimeField(blank=True, help_text="When this sweep over everything should end.", null=True),
        ),
        migrations.AddField(
            model_name="cursor",
            name="compared_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When everything was last looked at because host and mirror counted differently.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="cursor",
            name="label_marks",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="The addresses of the host's list of labels, to what each answer was marked with.",
            ),
        ),
        migrations.AddField(
            model_name="cursor",
            name="looks",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="When rows were last looked at, by stretches: up to which id, and since when.",
            ),
        ),
    ]
