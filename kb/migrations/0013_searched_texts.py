"""Postgres' own full text is quicker to make, and titles can be looked through without the secrets in them.

Of each page that a mirror writes, half of the time went into reading the texts' words. They answer while there is no
search index: of long texts the beginning, which tells what goes wrong, and the end, where a log has its error, are
enough. Vectors made before stay as they are: they hold more, and are made anew with the next change of their issue. And
an index that another one makes needless is gone.

What counts as a secret here is coarser than in `kb.core.secrets`, which shows texts: a word too many left out is only
not found. Whatever `kb.core.secrets` hides must be left out; a test tries every example on both.
"""

import django.db.models.deletion
from django.db import migrations, models

# Tokens by their prefix; what stands behind the name of a secret, behind a sign or behind an option of a command;
# headers; what stands before the @ of a server's address; e-mail addresses. All of it in one pass, in which nothing may
# count characters that could begin anywhere: with runs of base64 among it, it took eight times as long.
NAME = r"(?:passw[a-z]*|pwd|secret|token|api[ _-]?key|access[ _-]?key|_key)"
SECRETS = "|".join(
    (
        r"(?:gh[pousr]|github_pat|hf|npm|dckr_pat|[rs]k_(?:live|test)|gsk)\\?_[a-z0-9_-]{16,}",
        r"(?:sk|xox[a-z]|glpat|pypi|nvapi)-[a-z0-9_-]{10,}",
        r"A(?:KI|SI)A[a-z0-9]{16}",
        r"AIza[a-z0-9_-]{30,}",
        r"ya29\.[a-z0-9_-]{20,}",
        r"eyJ[a-z0-9_-]{10,}\.[a-z0-9_.-]{10,}",
        NAME
        + r"\d?[\"'`*\])\\]*\s*(?::\s?[a-z\[\]]+\s?=|:=|=>|=+|[:：])[\s*`]{0,4}\[?[frbu]?\\?[\"']?[^\s\"',;&<>]{6,}",
        r"-" + NAME + r"\s+\S{6,}",
        r"authorization\W{1,6}(?:\w+ +)?\S{8,}",
        r"bearer +\S{8,}",
        r"sig=\S+",
        r"://[^\s/@]+@",
        r"[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z0-9.-]+",
    )
)
# Bare letters and numbers are secrets only beside these names; the lines of a key, the short last one too.
BESIDE, BARE = r"wandb|a(?:ki|si)a[a-z0-9]{16}|accountkey|accesskey", r"[a-z0-9/+]{38,}"
KEY, LINES = "PRIVATE KEY", "[a-z0-9/+=]{16,}"
WITHOUT_SECRETS = f"""
CREATE FUNCTION kb_without_secrets(raw text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT regexp_replace(
        CASE WHEN strpos(raw, '{KEY}') > 0 THEN regexp_replace(raw, '{LINES}', ' ', 'gi')
        WHEN raw ~* '{BESIDE}' THEN regexp_replace(raw, '{BARE}', ' ', 'gi') ELSE raw END,
        $secrets${SECRETS}$secrets$, ' ', 'gi')
$$;
"""
PART = """
CREATE OR REPLACE FUNCTION kb_searched_body(kind text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'pull_request' THEN left(body, {pull})
        WHEN length(body) <= {whole} THEN body
        ELSE left(body, {beginning}) || ' ' || right(body, {end}) END
$$;
"""
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
# Most issues are only mirrored: of our own words about them there are none to be read.
OURS_IF_ANY = f"""CASE
            WHEN recognise = '{{}}' AND label_terms = '' AND summary = '' AND resolution = '' AND workaround = ''
            THEN ''::tsvector ELSE {OURS} END"""


class Migration(migrations.Migration):
    dependencies = [("kb", "0012_forgotten")]

    operations = [
        migrations.RunSQL(WITHOUT_SECRETS, "DROP FUNCTION kb_without_secrets(text)"),
        migrations.RunSQL(
            PART.format(pull=512, whole=3072, beginning=2304, end=768),
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
