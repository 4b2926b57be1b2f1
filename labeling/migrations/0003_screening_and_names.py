"""Pseudonyms for the team, screening's excluding answers, and addresses that no project may have."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """After the tables."""

    dependencies = [("labeling", "0002_answers_belong_together")]
    operations = [
        migrations.AddField(
            model_name="member",
            name="is_pseudonymous",
            field=models.BooleanField(default=False, help_text="The team, too, sees the pseudonym only."),
        ),
        migrations.AddField(
            model_name="round",
            name="excluding",
            field=models.ManyToManyField(
                blank=True,
                help_text="Screening: the answers by which a vote excludes an issue.",
                related_name="+",
                to="labeling.projectnode",
            ),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=Q(shows_name=False) | Q(is_pseudonymous=False), name="member_shows_name_or_hides_it"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=~Q(slug__in=("api", "join", "new")), name="project_slug_is_not_reserved"
            ),
        ),
    ]
