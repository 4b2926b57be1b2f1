"""What is put to the vote stands as it was put."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0006_only_demos_go"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="proposal",
            trigger=pgtrigger.compiler.Trigger(
                name="stands_once_put_to_vote",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (NOT (OLD."state" = \'draft\') AND (OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."into_id" IS DISTINCT FROM (NEW."into_id") OR OLD."wording" IS DISTINCT FROM (NEW."wording") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."author_id" IS DISTINCT FROM (NEW."author_id") OR OLD."rule" IS DISTINCT FROM (NEW."rule")))',  # noqa: E501
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="1fabfde260aa80f1be6dbedff8b01917aa7437d4",
                    operation="UPDATE",
                    pgid="pgtrigger_stands_once_put_to_vote_8fe06",
                    table="labeling_proposal",
                    when="BEFORE",
                ),
            ),
        ),
    ]
