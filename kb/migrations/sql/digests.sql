-- The digest of each issue, which filters and facets read: people's answers and, apart, which kinds of sources
-- there are.

-- Issues are locked before their labels are read, so that of two writers the later one sees both results. One
-- lookup per issue and a plan of its own per call: a cached plan for few issues would loop for minutes over
-- thousands.
CREATE FUNCTION kb_refresh_digest(wanted bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM 1 FROM kb_issue WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO kb_issuedigest AS digest (issue_id, node_ids, source_kinds, has_fix, small_fix)
    SELECT i.id,
        coalesce((
            SELECT array_agg(DISTINCT up.node_id)
            FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id
            JOIN kb_scheme s ON s.id = a.scheme_id AND s.study_id IS NULL
            JOIN kb_source source ON source.id = l.source_id AND source.kind <> 'rule'
            JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
            CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
            WHERE l.issue_id = i.id AND up.node_id IS NOT NULL
        ), '{}'),
        coalesce((
            SELECT array_agg(DISTINCT s.kind) FROM kb_label l JOIN kb_source s ON s.id = l.source_id
            WHERE l.issue_id = i.id
        ), '{}'),
        EXISTS (SELECT 1 FROM kb_issue_fixes link WHERE link.issue_id = i.id),
        (SELECT bool_or(f.is_small) FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id
         WHERE link.issue_id = i.id)
    FROM kb_issue i
    WHERE i.id = ANY (wanted)
    ON CONFLICT (issue_id) DO UPDATE SET node_ids = excluded.node_ids, source_kinds = excluded.source_kinds,
        has_fix = excluded.has_fix, small_fix = excluded.small_fix
    WHERE (digest.node_ids, digest.source_kinds, digest.has_fix, digest.small_fix)
        IS DISTINCT FROM (excluded.node_ids, excluded.source_kinds, excluded.has_fix, excluded.small_fix);
END $$;

CREATE FUNCTION kb_digest_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM kb_refresh_digest(ARRAY(SELECT DISTINCT issue_id FROM changed)); RETURN NULL; END $$;
CREATE FUNCTION kb_digest_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_refresh_digest(ARRAY(SELECT issue_id FROM changed UNION SELECT issue_id FROM former)); RETURN NULL;
END $$;
CREATE FUNCTION kb_digest_fix_resized() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_refresh_digest(ARRAY(SELECT DISTINCT issue_id FROM kb_issue_fixes WHERE fix_id = NEW.id)); RETURN NULL;
END $$;
CREATE FUNCTION kb_digest_node_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_refresh_digest(ARRAY(SELECT issue_id FROM kb_issuedigest WHERE node_ids @> ARRAY[NEW.id]));
    RETURN NULL;
END $$;
CREATE FUNCTION kb_digest_issue_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN DELETE FROM kb_issuedigest WHERE issue_id = OLD.id; RETURN NULL; END $$;

CREATE TRIGGER digest_insert AFTER INSERT ON kb_label REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_digest_changed();
CREATE TRIGGER digest_delete AFTER DELETE ON kb_label REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_digest_changed();
CREATE TRIGGER digest_update AFTER UPDATE ON kb_label REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION kb_digest_moved();
CREATE TRIGGER digest_insert AFTER INSERT ON kb_issue_fixes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_digest_changed();
CREATE TRIGGER digest_delete AFTER DELETE ON kb_issue_fixes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_digest_changed();
CREATE TRIGGER digest_resized AFTER UPDATE OF additions, deletions ON kb_fix
    FOR EACH ROW EXECUTE FUNCTION kb_digest_fix_resized();
CREATE TRIGGER digest_node_moved AFTER UPDATE OF parent_id ON kb_node FOR EACH ROW
    WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION kb_digest_node_moved();
CREATE TRIGGER digest_gone AFTER DELETE ON kb_issue FOR EACH ROW EXECUTE FUNCTION kb_digest_issue_gone();
