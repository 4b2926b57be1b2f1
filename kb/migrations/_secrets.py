"""The function that leaves secrets out of what Postgres' own full text looks through.

What counts as a secret here is coarser than in `kb.core.secrets`, which shows texts: a word too many left out is only
not found. Whatever `kb.core.secrets` hides must be left out; a test tries every example on both.
"""

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
