"""Postgres' own full text looks through less of a long text than since 0010.

Of each page that a mirror writes, half of the time still went into reading the texts' words. They answer while there
is no search index, and by them the beginning, which tells what goes wrong, and the end, where a log has its error, are
enough. Vectors made before stay as they are: they hold more, and are made anew with the next change of their issue.
And an index that another one makes needless is gone.
"""

import django.db.models.deletion
from django.db import migrations, models

PART = """
CREATE OR REPLACE FUNCTION kb_searched_body(kind text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'pull_request' THEN left(body, {pull})
        WHEN length(body) <= {whole} THEN body
        ELSE left(body, {beginning}) || ' ' || right(body, {end}) END
$$;
"""
# Most issues are only mirrored: of our own words about them there are none to be read.
VECTOR = """
CREATE OR REPLACE FUNCTION kb_issue_vector(
    title text, heading text, recognise text[], label_terms text, summary text, resolution text, workaround text,
    body text, ref text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('english', public.kb_fold(title || ' ' || heading || ' ' || ref)), 'A')
        || {ours}
        || setweight(to_tsvector('english', public.kb_fold(left(body, 65536))), 'D')
$$;
"""
OURS = """setweight(to_tsvector('english', public.kb_fold(public.kb_joined(recognise) || ' ' || label_terms)), 'B')
        || setweight(to_tsvector('english', public.kb_fold(summary || ' ' || resolution || ' ' || workaround)), 'C')"""
OURS_IF_ANY = f"""CASE
            WHEN recognise = '{{}}' AND label_terms = '' AND summary = '' AND resolution = '' AND workaround = ''
            THEN ''::tsvector ELSE {OURS} END"""


class Migration(migrations.Migration):
    dependencies = [("kb", "0012_forgotten")]

    operations = [
        migrations.RunSQL(
            PART.format(pull=512, whole=2560, beginning=2048, end=512),
            PART.format(pull=2048, whole=8192, beginning=6144, end=2048),
        ),
        migrations.RunSQL(VECTOR.format(ours=OURS_IF_ANY), VECTOR.format(ours=OURS)),
        # The unique constraint of repository and number finds by repository, too.
        migrations.AlterField(
            model_name="issue",
            name="repository",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="issues", to="kb.repository"
            ),
        ),
    ]
