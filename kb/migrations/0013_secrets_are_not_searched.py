"""The issues' search vector leaves out what looks like a secret, so that the fallback search does not find it either.

Coarser than `kb.hygiene`, which shows texts: a word too many that is left out here is only not found, and only while
there is no search index. Whatever `kb.hygiene` hides must be left out here; a test tries every example on both.
"""

from django.db import migrations

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
# Before the text is cut (0010): half a secret would not be known as one. `raw` is read several times below, so that it
# is made once, apart.
PART = """
CREATE OR REPLACE FUNCTION kb_searched_body(kind text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH shown AS MATERIALIZED (SELECT public.kb_without_secrets(body) AS raw)
    SELECT CASE
        WHEN kind = 'pull_request' THEN left(raw, 2048)
        WHEN length(raw) <= 8192 THEN raw
        ELSE left(raw, 6144) || ' ' || right(raw, 2048) END
    FROM shown
$$;
"""
PART_BEFORE = """
CREATE OR REPLACE FUNCTION kb_searched_body(kind text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'pull_request' THEN left(body, 2048)
        WHEN length(body) <= 8192 THEN body
        ELSE left(body, 6144) || ' ' || right(body, 2048) END
$$;
"""
VECTOR = """
CREATE OR REPLACE FUNCTION kb_issue_vector(
    title text, heading text, recognise text[], label_terms text, summary text, resolution text, workaround text,
    body text, ref text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('english', public.kb_fold({title} || ' ' || heading || ' ' || ref)), 'A')
        || setweight(to_tsvector('english', public.kb_fold(public.kb_joined(recognise) || ' ' || label_terms)), 'B')
        || setweight(to_tsvector('english', public.kb_fold(summary || ' ' || resolution || ' ' || workaround)), 'C')
        || setweight(to_tsvector('english', public.kb_fold(left(body, 65536))), 'D')
$$;
"""
# Replacing the function leaves vectors as they are: those that hold something are made again.
AGAIN = """
UPDATE kb_issue SET body = body
WHERE public.kb_without_secrets(title) <> title OR public.kb_without_secrets(body) <> body
"""


class Migration(migrations.Migration):
    """No column changes."""

    dependencies = [("kb", "0012_forgotten")]
    operations = [
        migrations.RunSQL(WITHOUT_SECRETS, "DROP FUNCTION kb_without_secrets(text)"),
        migrations.RunSQL(PART, PART_BEFORE),
        migrations.RunSQL(VECTOR.format(title="public.kb_without_secrets(title)"), VECTOR.format(title="title")),
        migrations.RunSQL(AGAIN, migrations.RunSQL.noop),
    ]
