"""A project can have axes of its own: kinds of answers, numbers and texts, each where its axis allows it."""

# ruff: noqa: E501 -- the triggers are as pgtrigger writes them

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0040_circumstances"),
        ("labeling", "0016_fast_hands"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="decision",
            name="only_reopened",
        ),
        migrations.AddField(
            model_name="answer",
            name="number",
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=15, null=True),
        ),
        migrations.AddField(
            model_name="answer",
            name="text",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="decision",
            name="number",
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=15, null=True),
        ),
        migrations.AddField(
            model_name="opinion",
            name="number",
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=15, null=True),
        ),
        migrations.AddField(
            model_name="projectaxis",
            name="kind",
            field=models.CharField(
                choices=[
                    ("one", "One answer"),
                    ("several", "Several answers"),
                    ("scale", "A step on a scale"),
                    ("number", "A number"),
                    ("text", "Free text"),
                ],
                default="one",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="projectaxis",
            name="since",
            field=models.PositiveSmallIntegerField(
                db_default=1, default=1, help_text="The first codebook that asks it."
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="number",
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=15, null=True),
        ),
        migrations.AlterField(
            model_name="projectaxis",
            name="axis",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.axis"
            ),
        ),
        migrations.RunSQL(
            sql="UPDATE labeling_projectaxis SET kind = 'several' WHERE several",
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            model_name="projectaxis",
            name="kind",
            field=models.CharField(
                choices=[
                    ("one", "One answer"),
                    ("several", "Several answers"),
                    ("scale", "A step on a scale"),
                    ("number", "A number"),
                    ("text", "Free text"),
                ],
                max_length=7,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="answer",
            trigger=pgtrigger.compiler.Trigger(
                name="fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n                    SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n                    IF (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable)\n                        OR (NEW.text <> '') <> (kind IN ('number', 'text') AND NOT NEW.is_undecidable)\n                    THEN\n                        RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="9ff73c44a195d6ba9141474d9e8b3935df22264e",
                    operation="INSERT",
                    pgid="pgtrigger_fits_its_axis_e1fcc",
                    table="labeling_answer",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="decision",
            trigger=pgtrigger.compiler.Trigger(
                name="only_reopened",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."number" IS DISTINCT FROM (NEW."number") OR OLD."item_id" IS DISTINCT FROM (NEW."item_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."how" IS DISTINCT FROM (NEW."how") OR OLD."is_undecidable" IS DISTINCT FROM (NEW."is_undecidable") OR OLD."votes" IS DISTINCT FROM (NEW."votes") OR OLD."support" IS DISTINCT FROM (NEW."support") OR OLD."acceptance_id" IS DISTINCT FROM (NEW."acceptance_id") OR OLD."adjudicator_id" IS DISTINCT FROM (NEW."adjudicator_id") OR OLD."cause" IS DISTINCT FROM (NEW."cause") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="674fcbf77d56d0e43c944403fe7c4dbecaaf29ed",
                    operation="UPDATE",
                    pgid="pgtrigger_only_reopened_d54d3",
                    table="labeling_decision",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="decision",
            trigger=pgtrigger.compiler.Trigger(
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind = 'text' OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="7cb4fd7471e29b9e30013071640eceaf38f6f802",
                    operation="INSERT",
                    pgid="pgtrigger_number_fits_its_axis_72fcd",
                    table="labeling_decision",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="opinion",
            trigger=pgtrigger.compiler.Trigger(
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind = 'text' OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="d2977bb1aa63a1a2b0cc784ee99b174ee1b538d7",
                    operation="INSERT",
                    pgid="pgtrigger_number_fits_its_axis_d06d1",
                    table="labeling_opinion",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="projectaxis",
            trigger=pgtrigger.compiler.Trigger(
                name="kind_once_answered",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF NEW.kind <> OLD.kind AND (\n                        EXISTS (SELECT 1 FROM labeling_projectnode n WHERE n.axis_id = OLD.id)\n                            AND NEW.kind IN ('number', 'text')\n                        OR EXISTS (SELECT 1 FROM labeling_answer a WHERE a.axis_id = OLD.id)\n                    ) THEN\n                        RAISE EXCEPTION 'an axis with answers keeps its kind' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="f0d1bf144279fc8b665e57cf6dc734fb3cacbc44",
                    operation='UPDATE OF "kind"',
                    pgid="pgtrigger_kind_once_answered_85c5b",
                    table="labeling_projectaxis",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="projectnode",
            trigger=pgtrigger.compiler.Trigger(
                name="on_axes_with_nodes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_projectaxis a WHERE a.id = NEW.axis_id AND a.kind IN ('number', 'text')\n                    ) THEN\n                        RAISE EXCEPTION 'a number or a text has no nodes' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="4ecf2949cd131906bce37905d88bb130d093a997",
                    operation='INSERT OR UPDATE OF "axis_id"',
                    pgid="pgtrigger_on_axes_with_nodes_1db98",
                    table="labeling_projectnode",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="revision",
            trigger=pgtrigger.compiler.Trigger(
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind = 'text' OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="24ac8a38bd474e5e2e0166c8a1388da46c9c208e",
                    operation="INSERT",
                    pgid="pgtrigger_number_fits_its_axis_d5e63",
                    table="labeling_revision",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="projectaxis",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "several"), ("several", True)),
                    models.Q(("kind__in", ("one", "scale", "number", "text")), ("several", False)),
                    _connector="OR",
                ),
                name="projectaxis_several_as_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="projectaxis",
            constraint=models.CheckConstraint(
                condition=models.Q(("axis", None), ("kind__in", ("one", "several")), _connector="OR"),
                name="projectaxis_house_has_nodes",
            ),
        ),
    ]
