"""Only a demo project can be deleted, and a project stays what it was founded as: a demo, or a real one."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0005_acceptances"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="demo_for_ever_or_never",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."is_demo" IS DISTINCT FROM (NEW."is_demo"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="66e8dd214bb866492cd672b062a75b798176339a",
                    operation="UPDATE",
                    pgid="pgtrigger_demo_for_ever_or_never_4da97",
                    table="labeling_project",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="project",
            trigger=pgtrigger.compiler.Trigger(
                name="only_a_demo_goes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (NOT OLD."is_demo")',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="63a9550d9bc0c89ad6af839adaf92fe05732e088",
                    operation="DELETE",
                    pgid="pgtrigger_only_a_demo_goes_6a322",
                    table="labeling_project",
                    when="BEFORE",
                ),
            ),
        ),
    ]
