"""Decisions that speak for themselves; notices and where a person wants them; a project's audit log."""

import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0015_discussions_come_to_an_end"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
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
                ("round_number", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("round_name", models.CharField(blank=True, max_length=120)),
                ("detail", models.CharField(blank=True, max_length=200)),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ("-created_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("joined", "Somebody joined by your invitation"),
                            ("opened", "A round that you label is open"),
                            ("deadline", "A deadline is near, and you have issues left"),
                            ("flag", "An issue is flagged"),
                            ("answer", "Your flag is answered"),
                            ("discussion", "A discussion waits for your answer"),
                            ("ballot", "A change of the codebook is put to the vote"),
                            ("release", "A release is made"),
                        ],
                        max_length=10,
                    ),
                ),
                ("number", models.PositiveIntegerField(blank=True, help_text="Of the proposal or release.", null=True)),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="NoticeChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("joined", "Somebody joined by your invitation"),
                            ("opened", "A round that you label is open"),
                            ("deadline", "A deadline is near, and you have issues left"),
                            ("flag", "An issue is flagged"),
                            ("answer", "Your flag is answered"),
                            ("discussion", "A discussion waits for your answer"),
                            ("ballot", "A change of the codebook is put to the vote"),
                            ("release", "A release is made"),
                        ],
                        max_length=10,
                    ),
                ),
                ("on_site", models.BooleanField(default=True)),
                ("by_mail", models.BooleanField(default=True)),
            ],
            options={
                "ordering": ("user", "kind"),
            },
        ),
        migrations.RemoveConstraint(
            model_name="decision",
            name="decision_adjudicated_with_reason",
        ),
        migrations.RemoveConstraint(
            model_name="project",
            name="project_slug_is_not_reserved",
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("adjudicator__isnull", False), ("how", "adjudication"), models.Q(("cause", ""), _negated=True)
                    ),
                    models.Q(models.Q(("how", "adjudication"), _negated=True), ("adjudicator", None), ("cause", "")),
                    _connector="OR",
                ),
                name="decision_adjudicated_with_cause",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("how", "adjudication"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    ("support__gt", 0),
                    _connector="OR",
                ),
                name="decision_unvoted_with_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("slug__in", ("api", "join", "new", "notices", "oversight")), _negated=True),
                name="project_slug_is_not_reserved",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="about",
            field=models.ForeignKey(
                blank=True,
                help_text="The member that it was done to.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="member",
            field=models.ForeignKey(
                blank=True,
                help_text="Who did it.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="audit_entries", to="labeling.project"
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="staff",
            field=models.ForeignKey(
                blank=True,
                help_text="Who of the site's staff did it.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="notice",
            name="member",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="notice",
            name="round",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="labeling.round",
            ),
        ),
        migrations.AddField(
            model_name="noticechoice",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notice_choices",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="auditentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("member__isnull", False), ("staff", None)),
                    models.Q(("member", None), ("staff__isnull", False)),
                    _connector="OR",
                ),
                name="auditentry_done_by_one",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="auditentry",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b29c30a48458bfb3d0d4f4a6884267cdd4d67510",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_never_changed_65f4b",
                    table="labeling_auditentry",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(fields=("member", "key"), name="notice_member_key_unique"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="notice",
            trigger=pgtrigger.compiler.Trigger(
                name="only_read_and_mailed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."member_id" IS DISTINCT FROM (NEW."member_id") OR OLD."key" IS DISTINCT FROM (NEW."key") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."round_id" IS DISTINCT FROM (NEW."round_id") OR OLD."number" IS DISTINCT FROM (NEW."number") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))',  # noqa: E501
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="2c84b29ca854ad9b685b3bfb4c1d0bbc3084533f",
                    operation="UPDATE",
                    pgid="pgtrigger_only_read_and_mailed_e4dc4",
                    table="labeling_notice",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="noticechoice",
            constraint=models.UniqueConstraint(fields=("user", "kind"), name="noticechoice_user_kind_unique"),
        ),
    ]
