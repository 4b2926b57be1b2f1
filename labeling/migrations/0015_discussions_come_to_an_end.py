"""Discussions end: who stayed or took another answer, what a lead ended, how many days there are; posts that count."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0014_rounds_survive_their_people"),
    ]

    operations = [
        migrations.CreateModel(
            name="DiscussionEnd",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("created_at", "pk"),
            },
        ),
        migrations.AddField(
            model_name="revision",
            name="taken_from",
            field=models.ForeignKey(
                blank=True,
                help_text="Whose answer was taken.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="kind",
            field=models.CharField(
                choices=[
                    ("own", "Another answer"),
                    ("stay", "Stays with their answer"),
                    ("take", "Takes another's answer"),
                ],
                db_default="own",
                default="own",
                max_length=4,
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="discussion_days",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Days after an issue's release until its discussion is due; empty: never.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind", "take"),
                        ("taken_from__isnull", False),
                        models.Q(("taken_from", models.F("member")), _negated=True),
                    ),
                    models.Q(("kind__in", ("own", "stay")), ("taken_from", None)),
                    _connector="OR",
                ),
                name="revision_taken_from_another",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("discussion_days", None), ("discussion_days__gte", 1), _connector="OR"),
                name="round_discusses_for_a_day",
            ),
        ),
        migrations.AddField(
            model_name="discussionend",
            name="axis",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.projectaxis"
            ),
        ),
        migrations.AddField(
            model_name="discussionend",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="discussion_ends",
                to="labeling.item",
            ),
        ),
        migrations.AddField(
            model_name="discussionend",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="discussionend",
            name="taken_back_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="post",
            name="is_substantial",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.lookups.GreaterThanOrEqual(
                    models.Func(
                        models.Func(
                            models.F("text"),
                            models.Value("[[:space:][:punct:]]"),
                            models.Value(""),
                            models.Value("g"),
                            function="REGEXP_REPLACE",
                        ),
                        function="OCTET_LENGTH",
                        output_field=models.IntegerField(),
                    ),
                    models.Value(20),
                ),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.AddIndex(
            model_name="discussionend",
            index=models.Index(fields=["item", "axis"], name="discussionend_item_axis"),
        ),
        migrations.AddConstraint(
            model_name="discussionend",
            constraint=models.UniqueConstraint(
                condition=models.Q(("taken_back_at", None)),
                fields=("item", "axis"),
                name="discussionend_item_axis_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="discussionend",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("taken_back_at", None), ("taken_back_by", None)),
                    models.Q(("taken_back_at__isnull", False), ("taken_back_by__isnull", False)),
                    _connector="OR",
                ),
                name="discussionend_taken_back_by_somebody",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="discussionend",
            trigger=pgtrigger.compiler.Trigger(
                name="only_taken_back",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."item_id" IS DISTINCT FROM (NEW."item_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."member_id" IS DISTINCT FROM (NEW."member_id") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))',  # noqa: E501
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="03fd2666dd9794159b0e87823591aa178b6c079f",
                    operation="UPDATE",
                    pgid="pgtrigger_only_taken_back_a7afb",
                    table="labeling_discussionend",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="discussionend",
            trigger=pgtrigger.compiler.Trigger(
                name="never_deleted",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="57b34df3f6fe7863ea2406795261b1190767c551",
                    operation="DELETE",
                    pgid="pgtrigger_never_deleted_dc498",
                    table="labeling_discussionend",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="discussionend",
            trigger=pgtrigger.compiler.Trigger(
                name="of_a_released_item",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_item i WHERE i.id = NEW.item_id AND i.released_at IS NULL\n                    ) THEN\n                        RAISE EXCEPTION 'an item is discussed after its release' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",  # noqa: E501
                    hash="357a19af448f0742f45712a6f8368665e9e1dcfc",
                    operation="INSERT",
                    pgid="pgtrigger_of_a_released_item_776e9",
                    table="labeling_discussionend",
                    when="BEFORE",
                ),
            ),
        ),
    ]
