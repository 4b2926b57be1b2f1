"""Shared diagnoses, what people say of diagnoses, and what staff confirmed."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0023_diagnosis_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DiagnosisFeedback",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "about",
                    models.CharField(
                        choices=[
                            ("line", "The line that failed first"),
                            ("cause", "A likely cause"),
                            ("issue", "A known issue"),
                        ],
                        max_length=5,
                    ),
                ),
                ("subject", models.CharField(max_length=500)),
                ("is_right", models.BooleanField()),
                (
                    "really_at",
                    models.CharField(blank=True, help_text="FILE:LINE of what failed first.", max_length=500),
                ),
                ("issue_url", models.CharField(blank=True, help_text="The issue that it was.", max_length=500)),
                ("note", models.CharField(blank=True, max_length=2000)),
                ("signature_version", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("signature_key", models.CharField(blank=True, max_length=128)),
                ("signature_text", models.CharField(blank=True, max_length=2000)),
                (
                    "excerpt_text",
                    models.TextField(help_text="As much of the diagnosis as a reviewer needs, redacted, as JSON."),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("new", "New"), ("accepted", "Accepted"), ("declined", "Declined")],
                        default="new",
                        max_length=8,
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "sender",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "permissions": (("review_diagnosisfeedback", "Can review what people say of diagnoses"),),
            },
        ),
        migrations.CreateModel(
            name="FeedbackDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("new", "New"), ("accepted", "Accepted"), ("declined", "Declined")], max_length=8
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=2000)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "feedback",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decisions", to="kb.diagnosisfeedback"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="KnownSignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveSmallIntegerField()),
                ("key", models.CharField(max_length=128)),
                ("text", models.CharField(max_length=2000)),
                ("confirmed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "cause",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="kb.node",
                    ),
                ),
                (
                    "confirmed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "feedback",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="known_signature",
                        to="kb.diagnosisfeedback",
                    ),
                ),
                (
                    "issue",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="kb.issue",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="SharedDiagnosis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.CharField(max_length=43, unique=True)),
                ("delete_digest", models.CharField(max_length=64)),
                ("title", models.CharField(blank=True, max_length=120)),
                ("data_text", models.TextField(help_text="The redacted diagnosis as JSON, in the order of its keys.")),
                ("hidden", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("expires_at", models.DateTimeField()),
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
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.AddIndex(
            model_name="diagnosisfeedback",
            index=models.Index(fields=["state", "-id"], name="diagnosisfeedback_queue"),
        ),
        migrations.AddConstraint(
            model_name="diagnosisfeedback",
            constraint=models.CheckConstraint(
                condition=models.Q(("about__in", ("line", "cause", "issue"))), name="diagnosisfeedback_about_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisfeedback",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("new", "accepted", "declined"))), name="diagnosisfeedback_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisfeedback",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("signature_key", ""), ("signature_version__isnull", True)),
                    models.Q(("signature_version__isnull", False), models.Q(("signature_key", ""), _negated=True)),
                    _connector="OR",
                ),
                name="diagnosisfeedback_signature_is_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosisfeedback",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.LessThanOrEqual(
                    django.db.models.functions.text.Length("excerpt_text"), 32768
                ),
                name="diagnosisfeedback_size",
            ),
        ),
        migrations.AddConstraint(
            model_name="feedbackdecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("new", "accepted", "declined"))), name="feedbackdecision_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="feedbackdecision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "declined"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="feedbackdecision_declined_with_reason",
            ),
        ),
        migrations.AddIndex(
            model_name="knownsignature",
            index=models.Index(fields=["key", "version"], name="knownsignature_key"),
        ),
        migrations.AddConstraint(
            model_name="knownsignature",
            constraint=models.CheckConstraint(
                condition=models.Q(("issue__isnull", False), ("cause__isnull", False), _connector="OR"),
                name="knownsignature_says_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="knownsignature",
            constraint=models.CheckConstraint(
                condition=models.Q(("key", ""), _negated=True), name="knownsignature_key_given"
            ),
        ),
        migrations.AddIndex(
            model_name="shareddiagnosis",
            index=models.Index(fields=["expires_at"], name="shareddiagnosis_expires"),
        ),
        migrations.AddConstraint(
            model_name="shareddiagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("token"), 21),
                    django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("delete_digest"), 63),
                ),
                name="shareddiagnosis_hard_to_guess",
            ),
        ),
        migrations.AddConstraint(
            model_name="shareddiagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length("data_text"), 1),
                    django.db.models.lookups.LessThanOrEqual(
                        django.db.models.functions.text.Length("data_text"), 524288
                    ),
                ),
                name="shareddiagnosis_size",
            ),
        ),
        migrations.AddConstraint(
            model_name="shareddiagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(("expires_at__gt", models.F("created_at"))), name="shareddiagnosis_ends"
            ),
        ),
    ]
