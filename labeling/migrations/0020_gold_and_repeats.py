"""Rounds can have gold answers and repeats."""

# ruff: noqa: E501 -- the triggers are as pgtrigger writes them

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0019_own_items"),
    ]

    operations = [
        migrations.CreateModel(
            name="GoldAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.DecimalField(blank=True, decimal_places=6, max_digits=15, null=True)),
                ("is_undecidable", models.BooleanField(default=False)),
                ("reason", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("item", "axis__position"),
            },
        ),
        migrations.CreateModel(
            name="Repeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("due_after", models.PositiveIntegerField(help_text="After how many votes of the round it was due.")),
                ("content", models.JSONField(default=dict)),
                (
                    "active_seconds",
                    models.PositiveIntegerField(default=0, help_text="Working time, without idle time."),
                ),
                (
                    "offered_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("skipped_at", models.DateTimeField(blank=True, null=True)),
                ("skip_reason", models.TextField(blank=True, db_default="")),
            ],
            options={
                "ordering": ("offered_at", "pk"),
            },
        ),
        migrations.AddField(
            model_name="project",
            name="repeats",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text="As in the round planned last."),
        ),
        migrations.AddField(
            model_name="project",
            name="repeats_after",
            field=models.PositiveSmallIntegerField(db_default=20, default=20),
        ),
        migrations.AddField(
            model_name="round",
            name="repeats",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How many of their own issues each annotator meets again."
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="repeats_after",
            field=models.PositiveSmallIntegerField(
                db_default=20, default=20, help_text="After how many other votes, at the least."
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("invited", "Invitation made"),
                    ("revoked", "Invitation withdrawn"),
                    ("joined", "Joined"),
                    ("left", "Left"),
                    ("removed", "Removed"),
                    ("roles", "Roles changed"),
                    ("guidelines", "Guidelines written"),
                    ("opened", "Round opened"),
                    ("closed", "Round closed"),
                    ("discarded", "Round discarded"),
                    ("votes", "Votes wanted changed"),
                    ("deadline", "Deadline moved"),
                    ("annotators", "Annotators of a round changed"),
                    ("dropped", "Issue dropped"),
                    ("restored", "Issue put back"),
                    ("answered", "Flag answered"),
                    ("gold", "Gold answers given"),
                    ("not_gold", "Gold answers taken out"),
                    ("ended", "Discussion ended"),
                    ("continued", "End of a discussion taken back"),
                    ("mapped", "Answers mapped to house categories"),
                    ("accepted", "Answers accepted"),
                    ("reopened", "Decisions reopened"),
                    ("ballot", "Change of the codebook put to the vote"),
                    ("publish", "Publication asked for"),
                    ("taken_back", "Request for publication taken back"),
                    ("granted", "Publication accepted by staff"),
                    ("refused", "Publication refused by staff"),
                    ("published", "Published"),
                    ("withdraw", "Withdrawal of the publication asked for"),
                    ("released", "Release made"),
                    ("archived", "Archived"),
                    ("unarchived", "Taken out of the archive"),
                    ("suspended", "Suspended by staff"),
                    ("resumed", "Resumed by staff"),
                    ("barred", "Publication withdrawn by staff"),
                    ("allowed", "Publishing allowed by staff"),
                ],
                max_length=10,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="vote",
            trigger=pgtrigger.compiler.Trigger(
                name="not_by_who_gave_gold",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_goldanswer g\n                        WHERE g.item_id = NEW.item_id AND g.given_by_id = NEW.member_id\n                    ) THEN\n                        RAISE EXCEPTION 'who gave the gold answers of an item may not vote on it'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="166379294ee2a00cda29a7c7af8441536d9ad330",
                    operation="INSERT",
                    pgid="pgtrigger_not_by_who_gave_gold_21ce5",
                    table="labeling_vote",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("repeats__lte", 100), ("repeats_after__gte", 1), ("repeats_after__lte", 1000)),
                name="round_repeats_are_few",
            ),
        ),
        migrations.AddField(
            model_name="goldanswer",
            name="axis",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.projectaxis"
            ),
        ),
        migrations.AddField(
            model_name="goldanswer",
            name="given_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="goldanswer",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="gold_answers",
                to="labeling.item",
            ),
        ),
        migrations.AddField(
            model_name="goldanswer",
            name="versions",
            field=models.ManyToManyField(related_name="+", to="labeling.nodeversion"),
        ),
        migrations.AddField(
            model_name="repeat",
            name="vote",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="repeat", to="labeling.vote"
            ),
        ),
        migrations.AddConstraint(
            model_name="goldanswer",
            constraint=models.UniqueConstraint(fields=("item", "axis"), name="goldanswer_item_axis_unique"),
        ),
        migrations.AddConstraint(
            model_name="goldanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="goldanswer_has_reason"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="goldanswer",
            trigger=pgtrigger.compiler.Trigger(
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind = 'text' OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="e905162496c9a366f6bbd0a4b55d6d0d9da8c94c",
                    operation="INSERT",
                    pgid="pgtrigger_number_fits_its_axis_9715d",
                    table="labeling_goldanswer",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="goldanswer",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="9b10f0548419af895db9509f37ba9c122d7a6c14",
                    operation="UPDATE",
                    pgid="pgtrigger_never_changed_6382d",
                    table="labeling_goldanswer",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="goldanswer",
            trigger=pgtrigger.compiler.Trigger(
                name="before_the_round_closes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE touched bigint;",
                    func="\n                    touched := CASE TG_OP WHEN 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_item i JOIN labeling_round r ON r.id = i.round_id\n                        WHERE i.id = touched AND r.state = 'closed'\n                    ) THEN\n                        RAISE EXCEPTION 'gold answers of a closed round stay as they are'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF TG_OP = 'DELETE' THEN\n                        RETURN OLD;\n                    END IF;\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_vote v\n                        WHERE v.item_id = NEW.item_id AND v.member_id = NEW.given_by_id\n                    ) THEN\n                        RAISE EXCEPTION 'an annotator of the item may not give its gold answers'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="94e7622ad0afe94c33c58fea06eef346dc84ac3f",
                    operation="INSERT OR DELETE",
                    pgid="pgtrigger_before_the_round_closes_b7838",
                    table="labeling_goldanswer",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="repeat",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("skip_reason", ""), ("skipped_at", None)),
                    models.Q(
                        ("skipped_at__isnull", False),
                        ("submitted_at", None),
                        models.Q(("skip_reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="repeat_skipped_with_reason",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="repeat",
            trigger=pgtrigger.compiler.Trigger(
                name="answered_once",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."submitted_at" IS NOT NULL OR OLD."skipped_at" IS NOT NULL)',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="e955a093eb120771ba8fa45e54775058490d645d",
                    operation="UPDATE",
                    pgid="pgtrigger_answered_once_3395e",
                    table="labeling_repeat",
                    when="BEFORE",
                ),
            ),
        ),
    ]
