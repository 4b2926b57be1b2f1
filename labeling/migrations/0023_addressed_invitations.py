"""Invitations that are addressed to one person, by e-mail address or user name."""

from django.db import migrations, models

from kb.migrations._together import Together

KINDS = [
    ("invited", "You are invited to a project"),
    ("joined", "Somebody joined by your invitation"),
    ("opened", "A round that you label is open"),
    ("deadline", "A deadline is near, and you have issues left"),
    ("flag", "An issue is flagged"),
    ("answer", "Your flag is answered"),
    ("discussion", "A discussion waits for your answer"),
    ("ballot", "A change of the codebook is put to the vote"),
    ("release", "A release is made"),
]


class Migration(Together):
    dependencies = [
        ("labeling", "0022_readers"),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="addressee",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="An e-mail address or user name, until it is answered.",
                max_length=254,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mailed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=KINDS,
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="noticechoice",
            name="kind",
            field=models.CharField(
                choices=KINDS,
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("addressee", ""), ("uses_left__lte", 1), _connector="OR"),
                name="invitation_addressed_to_one_person",
            ),
        ),
    ]
