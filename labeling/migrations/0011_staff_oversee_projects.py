"""Rights of the site, what staff do to projects, categories that wait for a curator, pilots and accounts counted."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0002_squashed_0010_comments_shown"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CategoryRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a curator"),
                            ("accepted", "Accepted"),
                            ("refused", "Refused"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("created_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="StaffAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("withdraw", "Publication withdrawn"),
                            ("allow", "Publishing allowed again"),
                            ("suspend", "Project suspended"),
                            ("resume", "Project resumed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
            },
        ),
        migrations.AlterModelOptions(
            name="project",
            options={
                "ordering": ("name", "pk"),
                "permissions": (
                    ("found_project", "Can found projects"),
                    ("invite_newcomers", "Can invite people who have no account"),
                    ("publish_project", "Can publish a project that they lead"),
                    ("oversee_projects", "Can withdraw publications, suspend projects, decide on new categories"),
                ),
            },
        ),
        migrations.RemoveConstraint(
            model_name="project",
            name="project_slug_is_not_reserved",
        ),
        migrations.AddField(
            model_name="invitation",
            name="accounts_left",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How many accounts may still be made by it where sign-up is closed."
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="suspended_at",
            field=models.DateTimeField(blank=True, help_text="By staff: everything can only be read.", null=True),
        ),
        migrations.AddField(
            model_name="publication",
            name="barred_at",
            field=models.DateTimeField(blank=True, help_text="Withdrawn by staff, and not to be published.", null=True),
        ),
        migrations.AddField(
            model_name="publication",
            name="includes_pilots",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="job",
            name="member",
            field=models.ForeignKey(
                blank=True,
                help_text="Who asked for it; nobody: the site's staff.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="jobs",
                to="labeling.member",
            ),
        ),
        # Its address is the staff's page now.
        migrations.RunSQL(
            "UPDATE labeling_project SET slug = 'oversight-' || id WHERE slug = 'oversight'", migrations.RunSQL.noop
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("slug__in", ("api", "join", "new", "oversight")), _negated=True),
                name="project_slug_is_not_reserved",
            ),
        ),
        migrations.AddField(
            model_name="categoryrequest",
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
            model_name="categoryrequest",
            name="node",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="request", to="labeling.projectnode"
            ),
        ),
        migrations.AddField(
            model_name="staffaction",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="staffaction",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="staff_actions", to="labeling.project"
            ),
        ),
        migrations.AddConstraint(
            model_name="categoryrequest",
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
                name="categoryrequest_decided_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="categoryrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "refused"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="categoryrequest_refused_with_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="staffaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="staffaction_has_reason"
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="staffaction",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="4e5a03ba96823ea46b246582004169971f7dee75",
                    operation="UPDATE",
                    pgid="pgtrigger_never_changed_afb8b",
                    table="labeling_staffaction",
                    when="BEFORE",
                ),
            ),
        ),
    ]
