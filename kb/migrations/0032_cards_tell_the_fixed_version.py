"""A change of the release with the fix reaches the search index: its cards tell it."""

from django.db import migrations

WATCHED = (
    "state", "kind", "opened_at", "closed_at", "comment_count", "reaction_count", "repository_id", "ref", "url",
    "title", "heading", "summary", "recognise", "resolution", "workaround", "body",
)  # fmt: skip
FUNCTION = """
CREATE OR REPLACE FUNCTION kb_search_kb_issue_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE ({new}) IS DISTINCT FROM ({old})
    )
 SELECT DISTINCT id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
"""


def watching(*columns: str) -> str:
    """The trigger's function for changes of these columns."""
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("n", "o"))
    return FUNCTION.format(new=new, old=old)


class Migration(migrations.Migration):
    """As for all other columns that documents are made of."""

    dependencies = [("kb", "0031_plainer_words")]
    operations = [migrations.RunSQL(watching(*WATCHED, "fixed_version"), watching(*WATCHED))]
