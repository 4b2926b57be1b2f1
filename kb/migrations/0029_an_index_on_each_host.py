"""Each host has a search index of its own: the outbox keeps a change until all have it.

No index is known to belong to a host yet, so that each is made anew.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from kb.migrations._together import Together


def _hosts(help_text: str) -> models.Field:
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.BigIntegerField(), db_default=[], help_text=help_text, size=None
    )


class Migration(Together):
    """The hosts, and what is theirs."""

    dependencies = [
        ("kb", "0028_issues_that_the_index_lacks"),
    ]

    operations = [
        migrations.RunSQL("DELETE FROM kb_searchbuild", migrations.RunSQL.noop),
        migrations.DeleteModel(name="SearchIndexer"),
        migrations.CreateModel(
            name="SearchHost",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text="The folder holds it too.", max_length=32, unique=True)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("problem", models.TextField(blank=True, db_default="")),
                ("index", models.CharField(blank=True, db_default="", help_text="The index in use.", max_length=64)),
                (
                    "made_of",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Stands for the program and the database it is made of.",
                        max_length=64,
                    ),
                ),
                ("position", models.BigIntegerField(db_default=0, help_text="How often the index in use was fed.")),
                ("settled", models.BigIntegerField(db_default=0, help_text="The position that the outbox knows of.")),
            ],
        ),
        migrations.RemoveConstraint(model_name="searchbuild", name="searchbuild_one_at_a_time"),
        migrations.AddField(
            model_name="searchbuild",
            name="host",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="builds", to="kb.searchhost"
            ),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="searchbuild",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished_at__isnull", True)), fields=("host",), name="searchbuild_one_at_a_time"
            ),
        ),
        migrations.RemoveField(model_name="searchchange", name="fed"),
        migrations.AddField(
            model_name="searchchange",
            name="fed_by",
            field=_hosts("Hosts that are done with it; when all are, it goes."),
        ),
        migrations.AddField(
            model_name="searchchange",
            name="kept_by",
            field=_hosts("Hosts whose index in use has it, and that keep it for the one they are building."),
        ),
    ]
