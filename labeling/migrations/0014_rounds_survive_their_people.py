"""Dropped issues, answered flags, a cap on places held, an order for each person, no person kept twice on an item."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0013_publication_requests"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="vote",
            name="open_items_only",
        ),
        migrations.AddField(
            model_name="item",
            name="drop_reason",
            field=models.TextField(blank=True, db_default=""),
        ),
        migrations.AddField(
            model_name="item",
            name="dropped_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="item",
            name="dropped_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="pass",
            name="answer",
            field=models.TextField(blank=True, db_default="", help_text="The lead's, which the annotator sees."),
        ),
        migrations.AddField(
            model_name="pass",
            name="answered_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="pass",
            name="answered_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="pass",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[("returned", "Returned to the annotator"), ("dropped", "Dropped from the round")],
                db_default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="order_seed",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="Shuffles the issues for each person; empty: everybody gets them in the order of the sample.",
                max_length=40,
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="places_held",
            field=models.PositiveSmallIntegerField(
                db_default=3,
                default=3,
                help_text="How many issues one person may hold without a vote at the same time.",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="round",
            trigger=pgtrigger.compiler.Trigger(
                name="keeps_its_order",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."order_seed" IS DISTINCT FROM (NEW."order_seed"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="572c760837c343f91b9ed41c2c1101f8d6a9d752",
                    operation="UPDATE",
                    pgid="pgtrigger_keeps_its_order_6e848",
                    table="labeling_round",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="vote",
            trigger=pgtrigger.compiler.Trigger(
                name="open_items_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE touched bigint; released timestamptz; dropped timestamptz;",
                    func="\n                    touched := CASE TG_OP WHEN 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;\n                    SELECT i.released_at, i.dropped_at INTO released, dropped\n                        FROM labeling_item i WHERE i.id = touched FOR SHARE;\n                    IF released IS NOT NULL THEN\n                        RAISE EXCEPTION 'the votes of a released item are settled' USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF dropped IS NOT NULL THEN\n                        RAISE EXCEPTION 'the votes of a dropped item stay as they are'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF TG_OP = 'DELETE' THEN\n                        RETURN OLD;\n                    END IF;\n                    RETURN NEW;\n                ",  # noqa: E501
                    hash="4b60199e48913969841bf2bb4df005ca74240f02",
                    operation="INSERT OR DELETE",
                    pgid="pgtrigger_open_items_only_67345",
                    table="labeling_vote",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("drop_reason", ""), ("dropped_at", None), ("dropped_by", None)),
                    models.Q(
                        models.Q(("drop_reason", ""), _negated=True),
                        ("dropped_at__isnull", False),
                        ("dropped_by__isnull", False),
                        ("released_at", None),
                    ),
                    _connector="OR",
                ),
                name="item_dropped_with_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="pass",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("answer", ""), ("answered_at", None), ("answered_by", None), ("outcome", "")),
                    models.Q(
                        models.Q(("answer", ""), _negated=True),
                        models.Q(("outcome", ""), _negated=True),
                        ("answered_at__isnull", False),
                        ("answered_by__isnull", False),
                        ("kind", "flag"),
                    ),
                    _connector="OR",
                ),
                name="pass_answered_flag_is_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("places_held__gte", 2), ("places_held__lte", 50)), name="round_caps_places_held"
            ),
        ),
        # A recheck could keep two places of one issue for somebody who had labelled it twice.
        migrations.RunSQL(
            "SET CONSTRAINTS ALL IMMEDIATE; UPDATE labeling_slot s SET only_for_id = NULL WHERE member_id IS NULL AND EXISTS (SELECT 1 FROM "  # noqa: E501
            "labeling_slot o WHERE o.item_id = s.item_id AND o.only_for_id = s.only_for_id AND o.id <> s.id)",
            migrations.RunSQL.noop,
        ),
        migrations.AddConstraint(
            model_name="slot",
            constraint=models.UniqueConstraint(fields=("item", "only_for"), name="slot_item_only_for_unique"),
        ),
    ]
