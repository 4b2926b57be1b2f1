"""Five facts of a described issue, which searches filter by: who found it, what shows it, how its fix was tested."""

from django.db import migrations, models

from kb.migrations._together import Together

WATCHED = (
    "state", "kind", "opened_at", "closed_at", "comment_count", "reaction_count", "repository_id", "ref", "url",
    "title", "heading", "summary", "recognise", "resolution", "workaround", "body", "fixed_version", "fix_line",
    "also_seen",
)  # fmt: skip
ADDED = ("found_by", "reproduced_with", "fix_tested_by", "told_by", "reach")
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
    dependencies = [
        ("kb", "0039_proposed_categories"),
    ]

    operations = [
        migrations.AddField(
            model_name="issue",
            name="fix_tested_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("new-test", "Fix has a new test"),
                    ("existing-test", "Fix tried by existing tests"),
                    ("by-hand", "Fix tried by hand"),
                    ("not-tested", "Fix not tested"),
                ],
                db_default="",
                default="",
                help_text="How what cures it was tested.",
                max_length=13,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="found_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("user", "Found by a user"),
                    ("maintainer", "Found by a developer"),
                    ("ci", "Found by tests or CI"),
                    ("review", "Found by reading code"),
                ],
                db_default="",
                default="",
                help_text="Who noticed it first.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="reach",
            field=models.CharField(
                blank=True,
                choices=[("one", "Lies in one component"), ("across", "Lies across components")],
                db_default="",
                default="",
                help_text="Whether cause and repair lie in one component.",
                max_length=6,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="reproduced_with",
            field=models.CharField(
                blank=True,
                choices=[
                    ("cpu", "Shows on a CPU"),
                    ("one-device", "Shows on one device"),
                    ("several-devices", "Takes several devices"),
                    ("several-nodes", "Takes several machines"),
                    ("not-reproduced", "Not reproduced"),
                ],
                db_default="",
                default="",
                help_text="The least that shows it.",
                max_length=15,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="told_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("log", "Told by its log"),
                    ("log-and-more", "Told by its log and more"),
                    ("not-log", "Not told by its log"),
                ],
                db_default="",
                default="",
                help_text="Whether the failing run's own output tells the cause.",
                max_length=12,
            ),
        ),
        migrations.RunSQL(watching(*WATCHED, *ADDED), watching(*WATCHED)),
    ]
