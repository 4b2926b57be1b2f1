"""Extensions, and the immutable functions behind the issues' generated search vector."""

from django.contrib.postgres.operations import BtreeGinExtension, TrigramExtension, UnaccentExtension
from django.db import migrations

# `ZeRO-3`, `zero3` and `zero stage 3` become one word; identifiers, paths and flags fall apart into words.
FOLD = r"""
CREATE FUNCTION kb_fold(raw text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT regexp_replace(
        regexp_replace(lower(raw), '\yzero[-_ ]*(stage)?[-_ ]*([123])(?![0-9])', 'zero\2 ', 'g'),
        '[-_/\\.:=]+', ' ', 'g')
$$;
"""

ANY_WORD = r"""
CREATE FUNCTION kb_any_word(raw text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT replace(plainto_tsquery('english', public.kb_fold(raw))::text, ' & ', ' | ')::tsquery
$$;
"""

VECTOR = r"""
CREATE FUNCTION kb_issue_vector(
    title text, heading text, recognise text[], label_terms text, summary text, resolution text, workaround text,
    body text, ref text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('english', public.kb_fold(title || ' ' || heading || ' ' || ref)), 'A')
        || setweight(to_tsvector('english', public.kb_fold(coalesce(recognise::text, '') || ' ' || label_terms)), 'B')
        || setweight(to_tsvector('english', public.kb_fold(summary || ' ' || resolution || ' ' || workaround)), 'C')
        || setweight(to_tsvector('english', public.kb_fold(left(body, 65536))), 'D')
$$;
"""


class Migration(migrations.Migration):
    """First of all migrations."""

    initial = True
    dependencies = []
    operations = [
        TrigramExtension(),
        UnaccentExtension(),
        BtreeGinExtension(),
        migrations.RunSQL(FOLD, "DROP FUNCTION kb_fold(text)"),
        migrations.RunSQL(ANY_WORD, "DROP FUNCTION kb_any_word(text)"),
        migrations.RunSQL(
            VECTOR, "DROP FUNCTION kb_issue_vector(text, text, text[], text, text, text, text, text, text)"
        ),
    ]
