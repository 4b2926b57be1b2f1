"""What was said below an issue may be frozen with it: the project says so, and a round keeps to it."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0009_jobs_that_fill_rounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="shows_comments",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Do rounds prepared from now on show what was said below an issue?",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="shows_comments",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Is what was said below an issue frozen with it? As the project had it.",
            ),
        ),
        migrations.AlterField(
            model_name="snapshot",
            name="content",
            field=models.JSONField(help_text="title, body, state, dates, host labels, fixes; comments."),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="round",
            trigger=pgtrigger.compiler.Trigger(
                name="shows_all_issues_alike",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."shows_comments" IS DISTINCT FROM (NEW."shows_comments"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="9f7d3943b01b8800f5a33fd23b5895f854d5d265",
                    operation="UPDATE",
                    pgid="pgtrigger_shows_all_issues_alike_890fa",
                    table="labeling_round",
                    when="BEFORE",
                ),
            ),
        ),
    ]
