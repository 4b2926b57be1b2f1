"""Diagnoses as jobs. Their tables are unlogged: no log reaches the write-ahead log, and a crash empties them."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Uploads first: a logged table may not point to an unlogged one. Most of what is uploaded is compressed already.
UNLOGGED = """
ALTER TABLE kb_diagnosisupload ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE kb_diagnosisupload SET UNLOGGED;
ALTER TABLE kb_diagnosisjob SET UNLOGGED;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0022_facts_of_fixes_and_effort"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DiagnosisJob",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("working", "Working"),
                            ("done", "Done"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("files", models.JSONField(default=list)),
                ("bytes_given", models.BigIntegerField()),
                ("bytes_taken", models.BigIntegerField(default=0)),
                ("bytes_read", models.BigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "result_text",
                    models.TextField(blank=True, help_text="The diagnosis as JSON, in the order of its keys."),
                ),
                ("error", models.TextField(blank=True, help_text="Why there is no result, and what to do.")),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When a worker was last told of it."
                    ),
                ),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "expires_at",
                    models.DateTimeField(help_text="When it is deleted with everything that is left of it."),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DiagnosisUpload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file", models.PositiveIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="kb.diagnosisjob",
                    ),
                ),
            ],
            options={
                "ordering": ("job", "file", "number"),
            },
        ),
        migrations.AddIndex(
            model_name="diagnosisjob",
            index=models.Index(fields=["expires_at"], name="diagnosisjob_expires"),
        ),
        migrations.AddConstraint(
            model_name="diagnosisjob",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("waiting", "working", "done", "refused", "failed"))),
                name="diagnosisjob_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("bytes_given__gte", 0),
                    ("bytes_read__gte", 0),
                    ("bytes_taken__gte", 0),
                    ("bytes_taken__lte", models.F("bytes_given")),
                ),
                name="diagnosisjob_bytes_add_up",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state__in", ("waiting", "working"))),
                    models.Q(("finished_at__isnull", False), ("state__in", ("done", "refused", "failed"))),
                    _connector="OR",
                ),
                name="diagnosisjob_finished_when_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), models.Q(("result_text", ""), _negated=True)),
                    models.Q(models.Q(("state", "done"), _negated=True), ("result_text", "")),
                    _connector="OR",
                ),
                name="diagnosisjob_result_when_done",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("refused", "failed")), models.Q(("error", ""), _negated=True)),
                    models.Q(models.Q(("state__in", ("refused", "failed")), _negated=True), ("error", "")),
                    _connector="OR",
                ),
                name="diagnosisjob_reason_when_not_done",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisupload",
            constraint=models.UniqueConstraint(fields=("job", "file", "number"), name="diagnosisupload_once"),
        ),
        migrations.AddConstraint(
            model_name="diagnosisupload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("content"), 0),
                    django.db.models.lookups.LessThanOrEqual(
                        django.db.models.functions.text.Length("content"), 1048576
                    ),
                ),
                name="diagnosisupload_is_a_piece",
            ),
        ),
        migrations.RunSQL(UNLOGGED, migrations.RunSQL.noop),
    ]
