"""Readers, what ballots show of them, and the arm that a place belongs to."""
# ruff: noqa: E501 -- the triggers are as pgtrigger writes them

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0021_open_coding"),
    ]

    operations = [
        migrations.CreateModel(
            name="Reader",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="Of the model or the program.", max_length=80)),
                ("version", models.CharField(blank=True, max_length=80)),
                ("answered_on", models.DateField(blank=True, null=True)),
                ("note", models.CharField(blank=True, help_text="The prompt's SHA-256, or a note.", max_length=200)),
                ("cost", models.CharField(blank=True, max_length=40)),
                ("filename", models.CharField(max_length=200)),
                ("format", models.CharField(max_length=20)),
                ("sha256", models.CharField(help_text="Of the file and its format.", max_length=64)),
                ("content", models.BinaryField()),
                (
                    "report",
                    models.JSONField(
                        default=dict, help_text="What the file gives, as counts, and its first rejected lines."
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("taken_at", models.DateTimeField(blank=True, help_text="When its answers were stored.", null=True)),
                (
                    "assist_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Of the places, how many in a hundred show its answers; empty: none.",
                        null=True,
                    ),
                ),
                ("assist_seed", models.CharField(blank=True, max_length=40)),
            ],
            options={
                "ordering": ("round", "pk"),
            },
        ),
        migrations.CreateModel(
            name="ReaderAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "codes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list, size=None
                    ),
                ),
                ("is_undecidable", models.BooleanField(default=False, help_text="The report does not say.")),
                ("text", models.TextField(blank=True)),
            ],
            options={
                "ordering": ("reader", "item", "axis__position"),
            },
        ),
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content", models.JSONField(help_text="Axis code -> the answer, as a draft holds one.")),
                (
                    "shown_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("shown_at", "pk"),
            },
        ),
        migrations.AddField(
            model_name="slot",
            name="is_assisted",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Does its ballot show the answers of the reader that assists?",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="slot",
            trigger=pgtrigger.compiler.Trigger(
                name="keeps_its_arm",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."is_assisted" IS DISTINCT FROM (NEW."is_assisted"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="d5227d67492e1121760255af5a372a2b197da6be",
                    operation="UPDATE",
                    pgid="pgtrigger_keeps_its_arm_1989f",
                    table="labeling_slot",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddField(
            model_name="reader",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="reader",
            name="round",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="readers", to="labeling.round"
            ),
        ),
        migrations.AddField(
            model_name="readeranswer",
            name="axis",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.projectaxis"
            ),
        ),
        migrations.AddField(
            model_name="readeranswer",
            name="item",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="labeling.item"),
        ),
        migrations.AddField(
            model_name="readeranswer",
            name="reader",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="labeling.reader",
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="suggestions",
                to="labeling.item",
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="reader",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.reader"
            ),
        ),
        migrations.AddConstraint(
            model_name="reader",
            constraint=models.UniqueConstraint(fields=("round", "sha256"), name="reader_round_sha256_unique"),
        ),
        migrations.AddConstraint(
            model_name="reader",
            constraint=models.UniqueConstraint(
                condition=models.Q(("assist_percent__isnull", False)), fields=("round",), name="reader_one_assists"
            ),
        ),
        migrations.AddConstraint(
            model_name="reader",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("assist_percent", None), ("assist_seed", "")),
                    models.Q(
                        models.Q(("assist_seed", ""), _negated=True),
                        ("assist_percent__gte", 10),
                        ("assist_percent__lte", 90),
                        ("taken_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="reader_assists_by_its_seed",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="reader",
            trigger=pgtrigger.compiler.Trigger(
                name="assists_as_drafted",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF (TG_OP = 'DELETE' AND OLD.assist_percent IS NOT NULL\n                        OR TG_OP = 'UPDATE' AND (OLD.assist_percent, OLD.assist_seed)\n                            IS DISTINCT FROM (NEW.assist_percent, NEW.assist_seed))\n                        AND EXISTS (\n                            SELECT 1 FROM labeling_round r WHERE r.id = OLD.round_id AND r.state <> 'draft'\n                        )\n                    THEN\n                        RAISE EXCEPTION 'an opened round keeps the reader that assists it'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF TG_OP = 'DELETE' THEN\n                        RETURN OLD;\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="17f2ea8ebff06da4911f89f56fb32b954902e4aa",
                    operation='UPDATE OF "assist_percent", "assist_seed" OR DELETE',
                    pgid="pgtrigger_assists_as_drafted_627ea",
                    table="labeling_reader",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="readeranswer",
            constraint=models.UniqueConstraint(fields=("reader", "item", "axis"), name="readeranswer_once"),
        ),
        migrations.AddConstraint(
            model_name="readeranswer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("codes", []), ("is_undecidable", True), ("text", "")),
                    models.Q(models.Q(("codes", []), _negated=True), ("is_undecidable", False), ("text", "")),
                    models.Q(models.Q(("text", ""), _negated=True), ("codes", []), ("is_undecidable", False)),
                    _connector="OR",
                ),
                name="readeranswer_says_one_thing",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="readeranswer",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="75cd15ae60d38a36e3bf0f5076feed548fb9914a",
                    operation="UPDATE",
                    pgid="pgtrigger_never_changed_18910",
                    table="labeling_readeranswer",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.UniqueConstraint(fields=("item", "member"), name="suggestion_item_member_unique"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="suggestion",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="236dc26d6796ff77fad959c7d99894f42656bc7c",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_never_changed_16d05",
                    table="labeling_suggestion",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="goldanswer",
            name="number_fits_its_axis",
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
                    ("items", "Own items taken in"),
                    ("items_gone", "Own items deleted"),
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
                    ("coding", "Open coding begun"),
                    ("coded", "Codebook made of open codes"),
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
                    ("reader", "Reader stored"),
                    ("unread", "Reader removed"),
                    ("assisted", "Suggestions on ballots set"),
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
            model_name="goldanswer",
            trigger=pgtrigger.compiler.Trigger(
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind IN ('text', 'codes') OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="046ca10692131052a520903d5bde4cfe67499776",
                    operation="INSERT",
                    pgid="pgtrigger_number_fits_its_axis_9715d",
                    table="labeling_goldanswer",
                    when="BEFORE",
                ),
            ),
        ),
    ]
