"""Public ids: the present one of each described issue, and those that were replaced or whose issue is gone."""

import django.db.models.deletion
from django.db import migrations, models

from kb.migrations._sql import SQL, run_file
from kb.migrations._together import Together

WATCHED = (
    "state", "kind", "opened_at", "closed_at", "comment_count", "reaction_count", "repository_id", "ref", "url",
    "title", "heading", "summary", "recognise", "resolution", "workaround", "body", "fixed_version", "fix_line",
    "also_seen", "found_by", "reproduced_with", "fix_tested_by", "told_by", "reach",
)  # fmt: skip
FUNCTION = """
CREATE OR REPLACE FUNCTION kb_search_kb_issue_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE ({new}) IS DISTINCT FROM ({old})
    )
 SELECT id FROM changed UNION SELECT i.id FROM changed
    JOIN public.kb_otherreport r ON r.record_id = changed.id
    JOIN public.kb_issue i ON (i.repository_id, i.ref) = (r.repository_id, r.ref);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
"""


def watching(*columns: str) -> str:
    """The trigger's function for changes of these columns."""
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("n", "o"))
    return FUNCTION.format(new=new, old=old)


class Migration(Together):
    """Records that are there get their ids from their files when these are loaded, the others one of this server's."""

    dependencies = [("kb", "0040_circumstances")]
    operations = [
        migrations.AddField(
            model_name="issue",
            name="public_id",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="Such as FB-000860, the same on every server; empty where nobody described it.",
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="issue",
            constraint=models.UniqueConstraint(
                condition=models.Q(("public_id", ""), _negated=True),
                fields=("public_id",),
                name="issue_public_id_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="issue",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("public_id", ""), ("public_id__regex", "^FB-(?:\\d{6}|[0-9a-f]{12})$"), _connector="OR"
                ),
                name="issue_public_id_form",
            ),
        ),
        migrations.CreateModel(
            name="FormerId",
            fields=[
                ("public_id", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("url", models.URLField(help_text="The report that it was given to.", max_length=300)),
                ("ended_at", models.DateTimeField()),
                (
                    "issue",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="former_ids",
                        to="kb.issue",
                    ),
                ),
            ],
            options={"ordering": ("public_id",)},
        ),
        run_file(SQL / "public_ids.sql"),
        migrations.RunSQL(watching(*WATCHED, "public_id"), watching(*WATCHED)),
    ]
