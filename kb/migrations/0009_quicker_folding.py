"""Making issues searchable a quarter quicker, with the very same words: no row has to be written anew.

Folding by plain replacements takes less than half of what regular expressions over whole texts took. `ZeRO-3` still
needs one, but few texts speak of it. Runs of separators become as many spaces, which a search vector does not see.

The vector's function can be inlined now: whatever is not immutable forbids that, as an array's cast to text does, so
this is a function of its own.
"""

from django.db import migrations

FOLD_BEFORE = r"""
CREATE OR REPLACE FUNCTION kb_fold(raw text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT regexp_replace(
        regexp_replace(lower(raw), '\yzero[-_ ]*(stage)?[-_ ]*([123])(?![0-9])', 'zero\2 ', 'g'),
        '[-_/\\.:=]+', ' ', 'g')
$$;
"""
FOLD = r"""
CREATE OR REPLACE FUNCTION kb_fold(raw text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT replace(replace(replace(replace(replace(replace(replace(
        CASE WHEN strpos(lower(raw), 'zero') = 0 THEN lower(raw)
        ELSE regexp_replace(lower(raw), '\yzero[-_ ]*(stage)?[-_ ]*([123])(?![0-9])', 'zero\2 ', 'g') END,
        '-', ' '), '_', ' '), '/', ' '), '\', ' '), '.', ' '), ':', ' '), '=', ' ')
$$;
"""
JOINED = """
CREATE FUNCTION kb_joined(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(texts::text, '')
$$;
"""
VECTOR = """
CREATE OR REPLACE FUNCTION kb_issue_vector(
    title text, heading text, recognise text[], label_terms text, summary text, resolution text, workaround text,
    body text, ref text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('english', public.kb_fold(title || ' ' || heading || ' ' || ref)), 'A')
        || setweight(to_tsvector('english', public.kb_fold({recognise} || ' ' || label_terms)), 'B')
        || setweight(to_tsvector('english', public.kb_fold(summary || ' ' || resolution || ' ' || workaround)), 'C')
        || setweight(to_tsvector('english', public.kb_fold(left(body, 65536))), 'D')
$$;
"""
VECTOR_BEFORE = VECTOR.format(recognise="coalesce(recognise::text, '')")


class Migration(migrations.Migration):
    dependencies = [("kb", "0008_mirrored")]

    operations = [
        migrations.RunSQL(FOLD, FOLD_BEFORE),
        migrations.RunSQL(JOINED, "DROP FUNCTION kb_joined(text[])"),
        migrations.RunSQL(VECTOR.format(recognise="public.kb_joined(recognise)"), VECTOR_BEFORE),
    ]
