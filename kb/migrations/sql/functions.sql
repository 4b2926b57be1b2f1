-- Immutable functions behind the issues' generated search vector. Leaving secrets out is in `_secrets.py`.

-- `ZeRO-3`, `zero3` and `zero stage 3` become one word; identifiers, paths and flags fall apart into words. Plain
-- replacements take less than half of what regular expressions over whole texts took.
CREATE FUNCTION kb_fold(raw text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT replace(replace(replace(replace(replace(replace(replace(
        CASE WHEN strpos(lower(raw), 'zero') = 0 THEN lower(raw)
        ELSE regexp_replace(lower(raw), '\yzero[-_ ]*(stage)?[-_ ]*([123])(?![0-9])', 'zero\2 ', 'g') END,
        '-', ' '), '_', ' '), '/', ' '), '\', ' '), '.', ' '), ':', ' '), '=', ' ')
$$;

CREATE FUNCTION kb_any_word(raw text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT replace(plainto_tsquery('english', public.kb_fold(raw))::text, ' & ', ' | ')::tsquery
$$;

-- An array's cast to text is not immutable, which would keep the vector's function from being inlined.
CREATE FUNCTION kb_joined(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(texts::text, '')
$$;

-- Of long texts the beginning, which tells what goes wrong, and the end, where a log has its error.
CREATE FUNCTION kb_searched_body(kind text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'pull_request' THEN left(body, 512)
        WHEN length(body) <= 3072 THEN body
        ELSE left(body, 2304) || ' ' || right(body, 768) END
$$;

-- Most issues are only mirrored: of our own words about them there are none to be read.
CREATE FUNCTION kb_issue_vector(
    title text, heading text, recognise text[], label_terms text, summary text, resolution text, workaround text,
    body text, ref text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('english', public.kb_fold(title || ' ' || heading || ' ' || ref)), 'A')
        || CASE
            WHEN recognise = '{}' AND label_terms = '' AND summary = '' AND resolution = '' AND workaround = ''
            THEN ''::tsvector ELSE setweight(to_tsvector('english', public.kb_fold(public.kb_joined(recognise) || ' '
                || label_terms)), 'B')
        || setweight(to_tsvector('english', public.kb_fold(summary || ' ' || resolution || ' ' || workaround)), 'C') END
        || setweight(to_tsvector('english', public.kb_fold(left(body, 65536))), 'D')
$$;
