"""Requests to publish, the answers that curators accepted, and withdrawing in part; the newest action bars."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("kb", "0040_circumstances"),
        ("labeling", "0012_plainer_words"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AcceptedAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "nodes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        blank=True,
                        default=list,
                        help_text="The house nodes, as accepted.",
                        size=None,
                    ),
                ),
            ],
            options={
                "ordering": ("request", "issue", "axis"),
            },
        ),
        migrations.CreateModel(
            name="PublicationRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "scope",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=100),
                        blank=True,
                        default=list,
                        help_text="What to publish; empty: everything.",
                        size=None,
                    ),
                ),
                ("pilots", models.BooleanField(default=False)),
                (
                    "decisions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        blank=True,
                        default=list,
                        help_text="In scope when it was made.",
                        size=None,
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of what would be public, as it was when it was made.", max_length=64
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a curator"),
                            ("accepted", "Accepted"),
                            ("refused", "Refused"),
                            ("withdrawn", "Taken back"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                (
                    "accepted_scope",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=100),
                        blank=True,
                        default=list,
                        help_text="What the curator accepted of it; empty: everything.",
                        size=None,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
            },
        ),
        migrations.RemoveField(
            model_name="publication",
            name="barred_at",
        ),
        migrations.AddField(
            model_name="staffaction",
            name="scope",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=100),
                blank=True,
                default=list,
                help_text="What is withdrawn or allowed again; empty: everything.",
                size=None,
            ),
        ),
        migrations.AddConstraint(
            model_name="staffaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ("withdraw", "allow")), ("scope", []), _connector="OR"),
                name="staffaction_scope_of_publication",
            ),
        ),
        migrations.AddField(
            model_name="acceptedanswer",
            name="axis",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.axis"
            ),
        ),
        migrations.AddField(
            model_name="acceptedanswer",
            name="decision",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="None: the answer is taken out of the knowledge base.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.decision",
            ),
        ),
        migrations.AddField(
            model_name="acceptedanswer",
            name="issue",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.issue"
            ),
        ),
        migrations.AddField(
            model_name="publicationrequest",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="publicationrequest",
            name="member",
            field=models.ForeignKey(
                help_text="The lead who asked.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AddField(
            model_name="publicationrequest",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="publication_requests", to="labeling.project"
            ),
        ),
        migrations.AddField(
            model_name="acceptedanswer",
            name="request",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="answers",
                to="labeling.publicationrequest",
            ),
        ),
        migrations.AddConstraint(
            model_name="publicationrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "waiting")), fields=("project",), name="publicationrequest_one_waiting"
            ),
        ),
        migrations.AddConstraint(
            model_name="publicationrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at", None), ("decided_by", None), ("state", "waiting")),
                    models.Q(
                        models.Q(("state", "waiting"), _negated=True),
                        ("decided_at__isnull", False),
                        ("decided_by__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="publicationrequest_decided_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="publicationrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "refused"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="publicationrequest_refused_with_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="publicationrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state", "accepted"), models.Q(("accepted_scope", []), ("published_at", None)), _connector="OR"
                ),
                name="publicationrequest_published_if_accepted",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="publicationrequest",
            trigger=pgtrigger.compiler.Trigger(
                name="asked_once",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition=(
                        'WHEN (OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR '
                        'OLD."member_id" IS DISTINCT FROM (NEW."member_id") OR '
                        'OLD."scope" IS DISTINCT FROM (NEW."scope") OR '
                        'OLD."pilots" IS DISTINCT FROM (NEW."pilots") OR '
                        'OLD."decisions" IS DISTINCT FROM (NEW."decisions") OR '
                        'OLD."digest" IS DISTINCT FROM (NEW."digest") OR '
                        'OLD."created_at" IS DISTINCT FROM (NEW."created_at"))'
                    ),
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="b047a8b2e2ed8543360a77e3bbc482e9a1a0f4ac",
                    operation="UPDATE",
                    pgid="pgtrigger_asked_once_eacce",
                    table="labeling_publicationrequest",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="publicationrequest",
            trigger=pgtrigger.compiler.Trigger(
                name="decided_once",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."state" IS DISTINCT FROM (NEW."state") AND NOT (OLD."state" = \'waiting\'))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="0abe8732bed29db075ac76888edbcae775669878",
                    operation="UPDATE",
                    pgid="pgtrigger_decided_once_cafb0",
                    table="labeling_publicationrequest",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="publicationrequest",
            trigger=pgtrigger.compiler.Trigger(
                name="two_people",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func=(
                        "\n"
                        "                    IF NEW.state = 'accepted' AND (TG_OP = 'INSERT' OR "
                        "OLD.state <> 'accepted') AND EXISTS (\n"
                        "                        SELECT 1 FROM labeling_member m JOIN "
                        "labeling_project p ON p.id = m.project_id\n"
                        "                        WHERE p.id = NEW.project_id AND NOT p.is_demo AND "
                        "m.user_id = NEW.decided_by_id\n"
                        "                    ) THEN\n"
                        "                        RAISE EXCEPTION 'nobody accepts what their own project publishes'\n"
                        "                            USING ERRCODE = 'check_violation';\n"
                        "                    END IF;\n"
                        "                    RETURN NEW;\n"
                        "                "
                    ),
                    hash="d01da6385ca7e3d4e116f3fb96b1219b9649883a",
                    operation="INSERT OR UPDATE",
                    pgid="pgtrigger_two_people_1854a",
                    table="labeling_publicationrequest",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="acceptedanswer",
            constraint=models.UniqueConstraint(
                fields=("request", "issue", "axis"), name="acceptedanswer_request_issue_axis_unique"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="acceptedanswer",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="c552c86d58817fea5668f9df20bc671cf1d8397d",
                    operation="UPDATE",
                    pgid="pgtrigger_never_changed_0d168",
                    table="labeling_acceptedanswer",
                    when="BEFORE",
                ),
            ),
        ),
    ]
