"""Open coding: a kind of question, where its codes were put, and every act on the board."""

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
        ("labeling", "0020_gold_and_repeats"),
    ]

    operations = [
        migrations.CreateModel(
            name="CodingAct",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("merge", "Codes merged"),
                            ("split", "Codes split again"),
                            ("rename", "Code renamed"),
                            ("put", "Codes put into a node"),
                            ("take_out", "Codes taken out of their node"),
                            ("node", "Node made"),
                            ("edit", "Node edited"),
                            ("move", "Node moved"),
                            ("remove", "Node removed"),
                            ("undo", "Undone"),
                            ("codebook", "Codebook made"),
                        ],
                        max_length=8,
                    ),
                ),
                ("before", models.JSONField(help_text="As `labeling.boards.content_of` gives it.")),
                ("after", models.JSONField()),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="CodingNode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=160)),
                ("definition", models.TextField(blank=True)),
                ("example", models.TextField(blank=True)),
                ("position", models.PositiveSmallIntegerField()),
            ],
            options={
                "ordering": ("axis", "position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="OpenCode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=180)),
                (
                    "name",
                    models.CharField(blank=True, help_text="What the board calls it; empty: as typed.", max_length=60),
                ),
            ],
            options={
                "ordering": ("axis", "key"),
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="answer",
            name="fits_its_axis",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="decision",
            name="number_fits_its_axis",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="opinion",
            name="number_fits_its_axis",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="projectaxis",
            name="kind_once_answered",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="projectnode",
            name="on_axes_with_nodes",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="revision",
            name="number_fits_its_axis",
        ),
        migrations.RemoveConstraint(
            model_name="projectaxis",
            name="projectaxis_several_as_its_kind",
        ),
        migrations.AddField(
            model_name="projectaxis",
            name="until",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="The last one; empty: all later ones.", null=True
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
            model_name="projectaxis",
            name="kind",
            field=models.CharField(
                choices=[
                    ("one", "One answer"),
                    ("several", "Several answers"),
                    ("scale", "A step on a scale"),
                    ("number", "A number"),
                    ("text", "Free text"),
                    ("codes", "Open codes"),
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
                    func="\n                    SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n                    IF (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable)\n                        OR (NEW.text <> '') <> (kind IN ('number', 'text', 'codes') AND NOT NEW.is_undecidable)\n                    THEN\n                        RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="a369821eb1c18d94eb45e021c375c74ebaca0d98",
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
                name="number_fits_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE kind text;",
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind IN ('text', 'codes') OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="7f84aec306a7e15f9f74ffd990c851f53ca4ca2d",
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
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind IN ('text', 'codes') OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="18f957beeb5864d26ed593699ca2f5b5b318aa3f",
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
                    func="\n                    IF NEW.kind <> OLD.kind AND (\n                        EXISTS (SELECT 1 FROM labeling_projectnode n WHERE n.axis_id = OLD.id)\n                            AND NEW.kind IN ('number', 'text', 'codes')\n                        OR EXISTS (SELECT 1 FROM labeling_answer a WHERE a.axis_id = OLD.id)\n                    ) THEN\n                        RAISE EXCEPTION 'an axis with answers keeps its kind' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="23563e882582deb458d32fa563847dc8414571ae",
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
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_projectaxis a WHERE a.id = NEW.axis_id\n                            AND a.kind IN ('number', 'text', 'codes')\n                    ) THEN\n                        RAISE EXCEPTION 'a number or a text has no nodes' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="53380fe753015bf966cdaf7b7b6b01530e1c9964",
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
                    func="\n        SELECT a.kind INTO kind FROM labeling_projectaxis a WHERE a.id = NEW.axis_id;\n        IF kind IN ('text', 'codes') OR (NEW.number IS NOT NULL) <> (kind = 'number' AND NOT NEW.is_undecidable) THEN\n            RAISE EXCEPTION 'an answer on an axis of the kind % does not look like this', kind\n                USING ERRCODE = 'check_violation';\n        END IF;\n        RETURN NEW;\n    ",
                    hash="ddc59d12972802a42714571dcd5ee191f28018e5",
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
                    models.Q(("kind__in", ("one", "scale", "number", "text", "codes")), ("several", False)),
                    _connector="OR",
                ),
                name="projectaxis_several_as_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="projectaxis",
            constraint=models.CheckConstraint(
                condition=models.Q(("until", None), ("until__gte", models.F("since")), _connector="OR"),
                name="projectaxis_ends_after_it_begins",
            ),
        ),
        migrations.AddConstraint(
            model_name="projectaxis",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "codes")), fields=("project",), name="projectaxis_one_of_open_codes"
            ),
        ),
        migrations.AddField(
            model_name="codingact",
            name="asked",
            field=models.ForeignKey(
                blank=True,
                help_text="The question that the nodes became answers to.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.projectaxis",
            ),
        ),
        migrations.AddField(
            model_name="codingact",
            name="axis",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="coding_acts", to="labeling.projectaxis"
            ),
        ),
        migrations.AddField(
            model_name="codingact",
            name="codebook",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="coding_act",
                to="labeling.codebook",
            ),
        ),
        migrations.AddField(
            model_name="codingact",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.member"
            ),
        ),
        migrations.AddField(
            model_name="codingact",
            name="undoes",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="undone_by",
                to="labeling.codingact",
            ),
        ),
        migrations.AddField(
            model_name="codingnode",
            name="axis",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="coding_nodes",
                to="labeling.projectaxis",
            ),
        ),
        migrations.AddField(
            model_name="opencode",
            name="axis",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="open_codes",
                to="labeling.projectaxis",
            ),
        ),
        migrations.AddField(
            model_name="opencode",
            name="into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="merged",
                to="labeling.opencode",
            ),
        ),
        migrations.AddField(
            model_name="opencode",
            name="node",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="codes",
                to="labeling.codingnode",
            ),
        ),
        migrations.AddConstraint(
            model_name="codingact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "undo"), ("undoes__isnull", False)),
                    models.Q(models.Q(("kind", "undo"), _negated=True), ("undoes", None)),
                    _connector="OR",
                ),
                name="codingact_undoes_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="codingact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("asked__isnull", False), ("codebook__isnull", False), ("kind", "codebook")),
                    models.Q(models.Q(("kind", "codebook"), _negated=True), ("asked", None), ("codebook", None)),
                    _connector="OR",
                ),
                name="codingact_makes_a_codebook",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="codingact",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="4c1884fe3fb5fa01bfb762267e4ede599b9a75bf",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_never_changed_fcdd6",
                    table="labeling_codingact",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="codingnode",
            constraint=models.UniqueConstraint(fields=("axis", "code"), name="codingnode_code_unique"),
        ),
        migrations.AddConstraint(
            model_name="codingnode",
            constraint=models.CheckConstraint(
                condition=models.Q(("name", ""), _negated=True), name="codingnode_has_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="opencode",
            constraint=models.UniqueConstraint(fields=("axis", "key"), name="opencode_key_unique"),
        ),
        migrations.AddConstraint(
            model_name="opencode",
            constraint=models.CheckConstraint(
                condition=models.Q(("into", None), models.Q(("into", models.F("id")), _negated=True), _connector="OR"),
                name="opencode_not_into_itself",
            ),
        ),
        migrations.AddConstraint(
            model_name="opencode",
            constraint=models.CheckConstraint(
                condition=models.Q(("into", None), ("node", None), _connector="OR"), name="opencode_goes_with_its_code"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="opencode",
            trigger=pgtrigger.compiler.Trigger(
                name="merged_once_on_its_axis",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_opencode c\n                        WHERE c.id = NEW.into_id AND (c.axis_id <> NEW.axis_id OR c.into_id IS NOT NULL)\n                    ) OR (\n                        NEW.into_id IS NOT NULL\n                        AND EXISTS (SELECT 1 FROM labeling_opencode c WHERE c.into_id = NEW.id)\n                    ) OR EXISTS (\n                        SELECT 1 FROM labeling_codingnode n WHERE n.id = NEW.node_id AND n.axis_id <> NEW.axis_id\n                    ) THEN\n                        RAISE EXCEPTION 'a code goes into a code that is not merged itself, or a node, of its question'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="e53564dee52cdf88b2d7b730c519f3edf1fb59e5",
                    operation="INSERT OR UPDATE",
                    pgid="pgtrigger_merged_once_on_its_axis_672c5",
                    table="labeling_opencode",
                    when="BEFORE",
                ),
            ),
        ),
    ]
