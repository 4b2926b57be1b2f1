-- The facts that charts count, and the triggers that keep them current. Two views say what is true; the functions
-- bring the table up to them, row by row and as far as it differs.

CREATE VIEW kb_facts_of_issue AS
SELECT i.id AS issue_id, r.framework_id, i.kind = 'pull_request' AS is_pull,
    CASE i.state WHEN 'open' THEN true WHEN 'closed' THEN false END AS is_open,
    (i.opened_at AT TIME ZONE 'UTC')::date AS opened_on,
    floor(extract(epoch FROM i.closed_at - i.opened_at) / 3600)::integer AS hours_open,
    i.comment_count AS comments, i.is_hard AS hard
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id;

CREATE VIEW kb_facts_of_answers AS
SELECT issue_id, holder,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'issue_type'), '') COLLATE "C" AS type,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'symptom'), '') COLLATE "C" AS symptom,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'root_cause'), '') COLLATE "C" AS cause,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'fix_pattern'), '') COLLATE "C" AS fix,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'stage'), '') COLLATE "C" AS stage,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'component'), '') COLLATE "C" AS
            component,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'theme'), '') COLLATE "C" AS theme
FROM (
    SELECT l.issue_id, l.source_id AS holder, a.code AS axis, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    UNION ALL
    SELECT l.issue_id, 0, a.code, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN kb_scheme scheme ON scheme.id = a.scheme_id AND scheme.study_id IS NULL
) AS held
GROUP BY issue_id, holder;

-- Issues are locked in one order before their labels are read, as for digests: of two writers the later one sees
-- both.
CREATE FUNCTION kb_refresh_facts(wanted bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM 1 FROM kb_issue WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
    DELETE FROM kb_issuefacts f WHERE f.issue_id = ANY (wanted) AND NOT EXISTS (
        SELECT 1 FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_scheme s ON s.id = a.scheme_id
        JOIN kb_source source ON source.id = l.source_id AND source.kind <> 'rule'
        WHERE l.issue_id = f.issue_id
            AND CASE WHEN f.holder = 0 THEN s.study_id IS NULL ELSE l.source_id = f.holder END
    );
    INSERT INTO kb_issuefacts AS facts (issue_id, holder, framework_id, is_pull, is_open, opened_on, hours_open,
        comments, hard, lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme)
    SELECT a.issue_id, a.holder, framework_id, is_pull, is_open, opened_on, hours_open, comments, hard, fixes.lines,
        fixes.files, fixes.small_fix, fixes.has_fix, a.type, a.symptom, a.cause, a.fix, a.stage, a.component, a.theme
    FROM kb_facts_of_answers a JOIN kb_facts_of_issue i ON i.issue_id = a.issue_id
    
LEFT JOIN LATERAL (
    SELECT min(f.lines_changed) AS lines, min(f.files_changed) AS files, bool_or(f.is_small) AS small_fix,
        count(*) > 0 AS has_fix
    FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id WHERE link.issue_id = a.issue_id
) AS fixes ON true

    WHERE a.issue_id = ANY (wanted)
    ON CONFLICT (holder, issue_id) DO UPDATE SET (framework_id, is_pull, is_open, opened_on, hours_open, comments,
        hard, lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme) =
        ROW(excluded.framework_id, excluded.is_pull, excluded.is_open, excluded.opened_on, excluded.hours_open,
        excluded.comments, excluded.hard, excluded.lines, excluded.files, excluded.small_fix, excluded.has_fix,
        excluded.type, excluded.symptom, excluded.cause, excluded.fix, excluded.stage, excluded.component,
        excluded.theme)
    WHERE (facts.framework_id, facts.is_pull, facts.is_open, facts.opened_on, facts.hours_open, facts.comments,
        facts.hard, facts.lines, facts.files, facts.small_fix, facts.has_fix, facts.type, facts.symptom, facts.cause,
        facts.fix, facts.stage, facts.component, facts.theme) IS DISTINCT FROM (excluded.framework_id,
        excluded.is_pull, excluded.is_open, excluded.opened_on, excluded.hours_open, excluded.comments, excluded.hard,
        excluded.lines, excluded.files, excluded.small_fix, excluded.has_fix, excluded.type, excluded.symptom,
        excluded.cause, excluded.fix, excluded.stage, excluded.component, excluded.theme);
END $$;
CREATE FUNCTION kb_refresh_facts_of_fixes(wanted bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE kb_issuefacts facts SET (lines, files, small_fix, has_fix) = ROW(fixes.lines, fixes.files, fixes.small_fix,
        fixes.has_fix)
    FROM unnest(wanted) AS one(id) 
LEFT JOIN LATERAL (
    SELECT min(f.lines_changed) AS lines, min(f.files_changed) AS files, bool_or(f.is_small) AS small_fix,
        count(*) > 0 AS has_fix
    FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id WHERE link.issue_id = one.id
) AS fixes ON true

    WHERE facts.issue_id = one.id AND (facts.lines, facts.files, facts.small_fix, facts.has_fix) IS DISTINCT FROM
        (fixes.lines, fixes.files, fixes.small_fix, fixes.has_fix)
$$;
CREATE FUNCTION kb_facts_issue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kb_issuefacts f SET (framework_id, is_pull, is_open, opened_on, hours_open, comments, hard) = (SELECT
        framework_id, is_pull, is_open, opened_on, hours_open, comments, hard FROM kb_facts_of_issue i WHERE
        i.issue_id = NEW.id)
    WHERE f.issue_id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION kb_facts_labelled() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE touched bigint[] := ARRAY(SELECT DISTINCT c.issue_id FROM changed c
    JOIN kb_source s ON s.id = c.source_id AND s.kind <> 'rule');
BEGIN
    IF cardinality(touched) > 0 THEN PERFORM kb_refresh_facts(touched); END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION kb_facts_relabelled() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE touched bigint[] := ARRAY(SELECT c.issue_id FROM (TABLE changed UNION ALL TABLE former) c
    JOIN kb_source s ON s.id = c.source_id AND s.kind <> 'rule' GROUP BY 1);
BEGIN
    IF cardinality(touched) > 0 THEN PERFORM kb_refresh_facts(touched); END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION kb_facts_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM kb_refresh_facts_of_fixes(ARRAY(SELECT DISTINCT issue_id FROM changed)); RETURN NULL; END $$;
CREATE FUNCTION kb_facts_fix_resized() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_refresh_facts_of_fixes(ARRAY(SELECT DISTINCT issue_id FROM kb_issue_fixes WHERE fix_id = NEW.id));
    RETURN NULL;
END $$;
CREATE FUNCTION kb_facts_framework_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kb_issuefacts f SET framework_id = NEW.framework_id FROM kb_issue i
    WHERE i.repository_id = NEW.id AND f.issue_id = i.id;
    RETURN NULL;
END $$;
CREATE FUNCTION kb_facts_issue_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN DELETE FROM kb_issuefacts WHERE issue_id = OLD.id; RETURN NULL; END $$;

CREATE TRIGGER facts_insert AFTER INSERT ON kb_label REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_facts_labelled();
CREATE TRIGGER facts_delete AFTER DELETE ON kb_label REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_facts_labelled();
CREATE TRIGGER facts_update AFTER UPDATE ON kb_label REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION kb_facts_relabelled();
CREATE TRIGGER facts_insert AFTER INSERT ON kb_issue_fixes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_facts_fixed();
CREATE TRIGGER facts_delete AFTER DELETE ON kb_issue_fixes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_facts_fixed();
CREATE TRIGGER facts_resized AFTER UPDATE OF additions, deletions, files_changed ON kb_fix
    FOR EACH ROW EXECUTE FUNCTION kb_facts_fix_resized();
CREATE TRIGGER facts_changed AFTER UPDATE OF repository_id, kind, state, opened_at, closed_at, comment_count ON kb_issue
    FOR EACH ROW WHEN ((OLD.repository_id, OLD.kind, OLD.state, OLD.opened_at, OLD.closed_at, OLD.comment_count)
        IS DISTINCT FROM (NEW.repository_id, NEW.kind, NEW.state, NEW.opened_at, NEW.closed_at, NEW.comment_count))
    EXECUTE FUNCTION kb_facts_issue_changed();
CREATE TRIGGER facts_moved AFTER UPDATE OF framework_id ON kb_repository FOR EACH ROW
    WHEN (OLD.framework_id IS DISTINCT FROM NEW.framework_id) EXECUTE FUNCTION kb_facts_framework_changed();
CREATE TRIGGER facts_gone AFTER DELETE ON kb_issue FOR EACH ROW EXECUTE FUNCTION kb_facts_issue_gone();

-- Without them Postgres takes any answers to go together, expects far too many groups, and counts with one worker.
CREATE STATISTICS kb_facts_together (ndistinct)
    ON framework_id, symptom, cause, fix, stage, component, theme, type FROM kb_issuefacts;
