"""Jobs in the background, publications, frozen releases, and files of votes from outside."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0007_how_it_became_known"),
        ("labeling", "0003_screening_and_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="Publication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "published_at",
                    models.DateTimeField(blank=True, help_text="When it was last brought up to date.", null=True),
                ),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="publication", to="labeling.project"
                    ),
                ),
                (
                    "source",
                    models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.source"),
                ),
            ],
            options={
                "ordering": ("project",),
            },
        ),
        migrations.CreateModel(
            name="ReleaseKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="release_key", to="labeling.project"
                    ),
                ),
            ],
            options={
                "ordering": ("project",),
            },
        ),
        migrations.CreateModel(
            name="VoteImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="What the round is to be called.", max_length=80)),
                ("filename", models.CharField(max_length=200)),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("long_csv", "CSV, a line for each answer"),
                            ("wide_csv", "CSV, a column for each annotator"),
                            ("long_jsonl", "JSON lines, a line for each answer"),
                            ("wide_jsonl", "JSON lines, a line for each issue"),
                            ("doccano", "doccano, JSON lines"),
                            ("label_studio", "Label Studio, JSON"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "options",
                    models.JSONField(blank=True, default=dict, help_text="Axis of the file, columns to leave out."),
                ),
                (
                    "people",
                    models.JSONField(blank=True, default=dict, help_text="Annotator in the file -> member, or nobody."),
                ),
                ("content", models.BinaryField()),
                ("report", models.JSONField(blank=True, default=dict, help_text="What the dry run found.")),
                ("sha256", models.CharField(help_text="Of the file, its format and its options.", max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "codebook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.codebook"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="imports", to="labeling.member"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="imports", to="labeling.project"
                    ),
                ),
                (
                    "round",
                    models.OneToOneField(
                        blank=True,
                        help_text="What it led to.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="vote_import",
                        to="labeling.round",
                    ),
                ),
            ],
            options={
                "ordering": ("project", "-created_at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("publish", "Publishing"),
                            ("withdraw", "Withdrawing"),
                            ("release", "Making a release"),
                            ("import", "Importing votes"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("arguments", models.JSONField(blank=True, default=dict)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                (
                    "result",
                    models.JSONField(blank=True, default=dict, help_text="What came of it: counts, and what it made."),
                ),
                ("message", models.TextField(blank=True, help_text="Why it failed.")),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "member",
                    models.ForeignKey(
                        help_text="Who asked for it.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="jobs",
                        to="labeling.member",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="jobs", to="labeling.project"
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-pk"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=("project", "kind"),
                        name="job_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("done__lte", models.F("total"))), name="job_done_is_of_total"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ("done", "failed"))),
                            models.Q(("finished_at", None), ("state__in", ("waiting", "running"))),
                            _connector="OR",
                        ),
                        name="job_finished_is_dated",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                ("title", models.CharField(max_length=160)),
                ("authors", models.TextField(help_text="One on each line, as they are to be cited.")),
                ("licence", models.CharField(max_length=40)),
                ("note", models.TextField(blank=True, help_text="What is new in it.")),
                ("issues", models.PositiveIntegerField()),
                ("votes", models.PositiveIntegerField()),
                (
                    "state_hash",
                    models.CharField(help_text="SHA-256 of the results, without number, title or note.", max_length=64),
                ),
                ("sha256", models.CharField(help_text="Of the archive.", max_length=64)),
                ("size", models.PositiveIntegerField(help_text="Bytes of the archive.")),
                ("archive", models.BinaryField()),
                (
                    "created_at",
                    models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "codebook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.codebook"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="labeling.member"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="labeling.project"
                    ),
                ),
            ],
            options={
                "ordering": ("project", "-number"),
                "constraints": [models.UniqueConstraint(fields=("project", "number"), name="release_number_unique")],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="release",
            trigger=pgtrigger.compiler.Trigger(
                name="never_changed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="7a9db864f8f1de6ecd45ee6356749729aa4812f7",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_never_changed_3f26c",
                    table="labeling_release",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="voteimport",
            constraint=models.UniqueConstraint(fields=("project", "sha256"), name="voteimport_file_once"),
        ),
        migrations.AddConstraint(
            model_name="voteimport",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at", None), ("round__isnull", False), _connector="OR"),
                name="voteimport_finished_has_round",
            ),
        ),
    ]
