"""Bulk acceptances, so that they can be undone together; an adjudicator's first opinion may have a reason."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    """After the tables."""

    dependencies = [
        ("labeling", "0004_results"),
    ]

    operations = [
        migrations.CreateModel(
            name="Acceptance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("unanimous", "All votes were the same"),
                            ("majority", "Majority of the votes"),
                            ("discussion", "Majority after discussion"),
                            ("adjudication", "Adjudicator"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("round", "-number"),
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="decision",
            name="only_reopened",
        ),
        migrations.AddField(
            model_name="opinion",
            name="reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="acceptance",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="acceptance",
            name="round",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="acceptances",
                to="labeling.round",
            ),
        ),
        migrations.AddField(
            model_name="decision",
            name="acceptance",
            field=models.ForeignKey(
                blank=True,
                help_text="The acceptance in bulk that it came by.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="decisions",
                to="labeling.acceptance",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="decision",
            trigger=pgtrigger.compiler.Trigger(
                name="only_reopened",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."item_id" IS DISTINCT FROM (NEW."item_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."how" IS DISTINCT FROM (NEW."how") OR OLD."is_undecidable" IS DISTINCT FROM (NEW."is_undecidable") OR OLD."votes" IS DISTINCT FROM (NEW."votes") OR OLD."support" IS DISTINCT FROM (NEW."support") OR OLD."acceptance_id" IS DISTINCT FROM (NEW."acceptance_id") OR OLD."adjudicator_id" IS DISTINCT FROM (NEW."adjudicator_id") OR OLD."cause" IS DISTINCT FROM (NEW."cause") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))',  # noqa: E501
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="3e4a9583c6e8a783859af74ebf81274ce94450fa",
                    operation="UPDATE",
                    pgid="pgtrigger_only_reopened_d54d3",
                    table="labeling_decision",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("acceptance", None), models.Q(("how", "adjudication"), _negated=True), _connector="OR"
                ),
                name="decision_accepted_by_votes",
            ),
        ),
        migrations.AddConstraint(
            model_name="acceptance",
            constraint=models.UniqueConstraint(fields=("round", "number"), name="acceptance_number_unique"),
        ),
        migrations.AddConstraint(
            model_name="acceptance",
            constraint=models.CheckConstraint(
                condition=models.Q(("how", "adjudication"), _negated=True), name="acceptance_is_by_votes"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="acceptance",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="43800470a5622675327f73b1b7cd8b39bf6b8d3e",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_never_changed_8e029",
                    table="labeling_acceptance",
                    when="BEFORE",
                ),
            ),
        ),
    ]
