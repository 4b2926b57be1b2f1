"""Help texts and names of choices in plainer words; no table changes."""

import django.db.models.deletion
from django.db import migrations, models

from kb.migrations._together import Together


class Migration(Together):
    dependencies = [
        ("labeling", "0011_staff_oversee_projects"),
    ]

    operations = [
        migrations.AlterField(
            model_name="answer",
            name="is_undecidable",
            field=models.BooleanField(default=False, help_text="The report does not say."),
        ),
        migrations.AlterField(
            model_name="codebook",
            name="change",
            field=models.TextField(blank=True, help_text="What changed in this version, and why."),
        ),
        migrations.AlterField(
            model_name="crossrule",
            name="reason",
            field=models.TextField(help_text="Shown to annotators who vote against it."),
        ),
        migrations.AlterField(
            model_name="draft",
            name="active_seconds",
            field=models.PositiveIntegerField(default=0, help_text="Working time, without idle time."),
        ),
        migrations.AlterField(
            model_name="draft",
            name="revision",
            field=models.PositiveIntegerField(
                default=0, help_text="Increases with every save, so that other tabs notice."
            ),
        ),
        migrations.AlterField(
            model_name="guideline",
            name="change",
            field=models.TextField(blank=True, help_text="What changed in this version, and why."),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="accounts_left",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How many accounts it can still create where sign-up is closed."
            ),
        ),
        migrations.AlterField(
            model_name="invitation",
            name="note",
            field=models.CharField(blank=True, help_text="The lead's note on who it is for.", max_length=120),
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
                ],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="member",
            field=models.ForeignKey(
                blank=True,
                help_text="Who started it; empty: the site's staff.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="jobs",
                to="labeling.member",
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="result",
            field=models.JSONField(blank=True, default=dict, help_text="Its result: counts and what it created."),
        ),
        migrations.AlterField(
            model_name="member",
            name="is_pseudonymous",
            field=models.BooleanField(default=False, help_text="The team also sees only the pseudonym."),
        ),
        migrations.AlterField(
            model_name="member",
            name="is_senior",
            field=models.BooleanField(
                default=False, help_text="Counts where a round asks for an experienced annotator."
            ),
        ),
        migrations.AlterField(
            model_name="member",
            name="pseudonym",
            field=models.CharField(help_text="The person's pseudonym in exports and releases.", max_length=30),
        ),
        migrations.AlterField(
            model_name="member",
            name="shows_name",
            field=models.BooleanField(default=False, help_text="May the name appear with published results?"),
        ),
        migrations.AlterField(
            model_name="project",
            name="is_demo",
            field=models.BooleanField(default=False, help_text="A demo: it can be removed completely."),
        ),
        migrations.AlterField(
            model_name="project",
            name="shows_comments",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Do new rounds show an issue's comments?"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="suspended_at",
            field=models.DateTimeField(blank=True, help_text="Suspended by staff: read-only.", null=True),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="codebook",
            field=models.OneToOneField(
                blank=True,
                help_text="Its result.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="proposal",
                to="labeling.codebook",
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="electorate",
            field=models.ManyToManyField(
                blank=True, help_text="Eligible voters, fixed at the start.", related_name="+", to="labeling.member"
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="rule",
            field=models.CharField(
                choices=[
                    ("unanimous", "Everybody entitled agrees"),
                    ("majority", "More than half of the eligible voters agree"),
                ],
                default="unanimous",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="state",
            field=models.CharField(
                choices=[
                    ("draft", "Being written"),
                    ("vote", "Open for votes"),
                    ("accepted", "Accepted"),
                    ("rejected", "Rejected"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="draft",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="publication",
            name="published_at",
            field=models.DateTimeField(blank=True, help_text="When it was last updated.", null=True),
        ),
        migrations.AlterField(
            model_name="release",
            name="authors",
            field=models.TextField(help_text="One per line, as cited."),
        ),
        migrations.AlterField(
            model_name="release",
            name="note",
            field=models.TextField(blank=True, help_text="What changed."),
        ),
        migrations.AlterField(
            model_name="round",
            name="hold_minutes",
            field=models.PositiveSmallIntegerField(default=60, help_text="How long an issue stays reserved."),
        ),
        migrations.AlterField(
            model_name="round",
            name="release",
            field=models.CharField(
                choices=[("round", "When the round closes"), ("issue", "When an issue has all its votes")],
                default="round",
                max_length=5,
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="seniors_wanted",
            field=models.PositiveSmallIntegerField(default=0, help_text="Senior votes that every issue needs."),
        ),
        migrations.AlterField(
            model_name="round",
            name="shows_comments",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Are comments frozen with the issue? Copied from the project.",
            ),
        ),
        migrations.AlterField(
            model_name="slot",
            name="only_for",
            field=models.ForeignKey(
                blank=True,
                help_text="Reserved for this person.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="labeling.member",
            ),
        ),
        migrations.AlterField(
            model_name="vote",
            name="rule_reasons",
            field=models.JSONField(blank=True, default=dict, help_text="Cross rule -> why the vote breaks it."),
        ),
        migrations.AlterField(
            model_name="voteimport",
            name="format",
            field=models.CharField(
                choices=[
                    ("long_csv", "CSV, one row per answer"),
                    ("wide_csv", "CSV, one column per annotator"),
                    ("long_jsonl", "JSON Lines, one line per answer"),
                    ("wide_jsonl", "JSON Lines, one line per issue"),
                    ("doccano", "doccano, JSON lines"),
                    ("label_studio", "Label Studio, JSON"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="voteimport",
            name="name",
            field=models.CharField(help_text="Name of the round.", max_length=80),
        ),
        migrations.AlterField(
            model_name="voteimport",
            name="people",
            field=models.JSONField(blank=True, default=dict, help_text="Annotator in the file -> member, or none."),
        ),
        migrations.AlterField(
            model_name="voteimport",
            name="round",
            field=models.OneToOneField(
                blank=True,
                help_text="Its result.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="vote_import",
                to="labeling.round",
            ),
        ),
    ]
