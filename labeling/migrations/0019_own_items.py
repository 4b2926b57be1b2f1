"""A project can have items of its own, beside the issues of the knowledge base."""

# ruff: noqa: E501 -- the triggers are as pgtrigger writes them

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("kb", "0040_circumstances"),
        ("labeling", "0018_screenings_by_their_rule"),
    ]

    operations = [
        migrations.CreateModel(
            name="OwnItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=100, verbose_name="id")),
                ("title", models.CharField(blank=True, max_length=1000)),
                ("body", models.TextField(blank=True)),
                ("url", models.CharField(max_length=1300)),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("project", "pk"),
            },
        ),
        migrations.CreateModel(
            name="OwnItemFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("filename", models.CharField(max_length=200)),
                ("content", models.BinaryField()),
                ("report", models.JSONField(blank=True, default=dict, help_text="What the dry run found.")),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("project",),
            },
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
        migrations.AlterField(
            model_name="item",
            name="issue",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="items", to="kb.issue"
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("publish", "Publishing"),
                    ("withdraw", "Withdrawing"),
                    ("release", "Making a release"),
                    ("import", "Importing votes"),
                    ("fill", "Drawing the sample"),
                    ("items", "Taking own items in"),
                ],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="snapshot",
            name="issue",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="snapshots", to="kb.issue"
            ),
        ),
        migrations.AddField(
            model_name="ownitem",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="own_items",
                to="labeling.project",
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="own",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="labeling.ownitem",
            ),
        ),
        migrations.AddField(
            model_name="snapshot",
            name="own",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="snapshots", to="labeling.ownitem"
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("issue__isnull", False), ("own", None)),
                    models.Q(("issue", None), ("own__isnull", False)),
                    _connector="OR",
                ),
                name="item_of_issue_or_own",
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(fields=("round", "own"), name="item_round_own_unique"),
        ),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.UniqueConstraint(fields=("own", "text_hash"), name="snapshot_own_hash_unique"),
        ),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.UniqueConstraint(fields=("id", "own"), name="snapshot_id_own_unique"),
        ),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("issue__isnull", False), ("own", None)),
                    models.Q(("issue", None), ("own__isnull", False)),
                    _connector="OR",
                ),
                name="snapshot_of_issue_or_own",
            ),
        ),
        migrations.AddField(
            model_name="ownitemfile",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="ownitemfile",
            name="project",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="own_item_file", to="labeling.project"
            ),
        ),
        migrations.AddConstraint(
            model_name="ownitem",
            constraint=models.UniqueConstraint(fields=("project", "key"), name="ownitem_project_key_unique"),
        ),
        migrations.AddConstraint(
            model_name="ownitem",
            constraint=models.UniqueConstraint(fields=("project", "url"), name="ownitem_project_url_unique"),
        ),
        migrations.AddConstraint(
            model_name="ownitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("body", ""), ("title", ""), _negated=True), models.Q(("key", ""), _negated=True)
                ),
                name="ownitem_says_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="ownitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("url__startswith", "https://"),
                    ("url__startswith", "http://"),
                    ("url__startswith", "item:"),
                    _connector="OR",
                ),
                name="ownitem_is_named",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="ownitem",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="c66ea8f859f5dbda4effbbd9a879ac0de78880c6",
                    operation="UPDATE",
                    pgid="pgtrigger_never_changed_8e89c",
                    table="labeling_ownitem",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="item",
            trigger=pgtrigger.compiler.Trigger(
                name="own_of_its_project",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (NEW."own_id" IS NOT NULL)',
                    func="\n                    IF NOT EXISTS (\n                        SELECT 1 FROM labeling_round r JOIN labeling_ownitem o ON o.project_id = r.project_id\n                        WHERE r.id = NEW.round_id AND o.id = NEW.own_id\n                    ) THEN\n                        RAISE EXCEPTION 'an own item stays in its project' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="4454ab66f9c461fb81ffed65a826bd779c9bbf55",
                    operation='INSERT OR UPDATE OF "own_id", "round_id"',
                    pgid="pgtrigger_own_of_its_project_ed175",
                    table="labeling_item",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE labeling_item ADD CONSTRAINT item_snapshot_is_of_own "
            "FOREIGN KEY (snapshot_id, own_id) REFERENCES labeling_snapshot (id, own_id)",
            "ALTER TABLE labeling_item DROP CONSTRAINT item_snapshot_is_of_own",
        ),
    ]
