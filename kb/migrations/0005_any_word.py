"""A query for any word of a text, folded as documents are."""

from django.db import migrations

ANY_WORD = r"""
CREATE FUNCTION kb_any_word(raw text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT replace(plainto_tsquery('english', kb_fold(raw))::text, ' & ', ' | ')::tsquery
$$;
"""


class Migration(migrations.Migration):
    """After the tables."""

    dependencies = [("kb", "0004_deletions_are_history")]
    operations = [migrations.RunSQL(ANY_WORD, "DROP FUNCTION kb_any_word(text)")]
