"""Indexes for what searching asks of the issues beside words: orders, dates, numbers, and an issue's short name.

Found by explaining every statement at a million issues (`tests/support/plans.py`).
"""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Upper

NEWEST = (F("opened_at").desc(nulls_last=True), F("id").desc())


class Migration(migrations.Migration):
    dependencies = [("kb", "0005_search_index")]

    operations = [
        migrations.AddIndex(
            "issue", models.Index(F("comment_count").desc(nulls_last=True), *NEWEST, name="issue_discussed")
        ),
        migrations.AddIndex(
            "issue", models.Index(F("open_duration").asc(nulls_last=True), *NEWEST, name="issue_quickest")
        ),
        migrations.AddIndex("issue", models.Index(fields=("closed_at",), name="issue_closed")),
        migrations.AddIndex("issue", models.Index(fields=("reaction_count",), name="issue_reactions")),
        migrations.AddIndex("issue", models.Index(fields=("kind",), name="issue_kind")),
        migrations.AddIndex("issue", models.Index(fields=("id",), condition=Q(is_hard=True), name="issue_hard")),
        migrations.AddIndex("issue", models.Index(fields=("id",), condition=~Q(resolution=""), name="issue_resolved")),
        migrations.AddIndex("issue", models.Index(Upper("ref"), F("repository"), name="issue_short_name")),
    ]
