-- The facts of `facts.sql` with the answers about hardware.

CREATE OR REPLACE VIEW kb_facts_of_answers AS
SELECT issue_id, holder,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'issue_type'), '') COLLATE "C" AS type,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'symptom'), '') COLLATE "C" AS symptom,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'root_cause'), '') COLLATE "C" AS cause,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'fix_pattern'), '') COLLATE "C" AS fix,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'stage'), '') COLLATE "C" AS stage,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'component'), '') COLLATE "C" AS
            component,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'theme'), '') COLLATE "C" AS theme,
        coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = 'hardware'), '') COLLATE "C" AS hardware
FROM (
    SELECT l.issue_id, l.source_id AS holder, a.code AS axis, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    UNION ALL
    SELECT l.issue_id, 0, a.code, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN kb_scheme scheme ON scheme.id = a.scheme_id AND scheme.study_id IS NULL
) AS held
GROUP BY issue_id, holder;

CREATE OR REPLACE FUNCTION kb_refresh_facts(wanted bigint[]) RETURNS void LANGUAGE plpgsql
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
        comments, hard, lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme,
        hardware)
    SELECT a.issue_id, a.holder, framework_id, is_pull, is_open, opened_on, hours_open, comments, hard, fixes.lines,
        fixes.files, fixes.small_fix, fixes.has_fix, a.type, a.symptom, a.cause, a.fix, a.stage, a.component, a.theme,
        a.hardware
    FROM kb_facts_of_answers a JOIN kb_facts_of_issue i ON i.issue_id = a.issue_id
    
LEFT JOIN LATERAL (
    SELECT min(f.lines_changed) AS lines, min(f.files_changed) AS files, bool_or(f.is_small) AS small_fix,
        count(*) > 0 AS has_fix
    FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id WHERE link.issue_id = a.issue_id
) AS fixes ON true

    WHERE a.issue_id = ANY (wanted)
    ON CONFLICT (holder, issue_id) DO UPDATE SET (framework_id, is_pull, is_open, opened_on, hours_open, comments,
        hard, lines, files, small_fix, has_fix, type, symptom, cause, fix, stage, component, theme, hardware) =
        ROW(excluded.framework_id, excluded.is_pull, excluded.is_open, excluded.opened_on, excluded.hours_open,
        excluded.comments, excluded.hard, excluded.lines, excluded.files, excluded.small_fix, excluded.has_fix,
        excluded.type, excluded.symptom, excluded.cause, excluded.fix, excluded.stage, excluded.component,
        excluded.theme, excluded.hardware)
    WHERE (facts.framework_id, facts.is_pull, facts.is_open, facts.opened_on, facts.hours_open, facts.comments,
        facts.hard, facts.lines, facts.files, facts.small_fix, facts.has_fix, facts.type, facts.symptom, facts.cause,
        facts.fix, facts.stage, facts.component, facts.theme, facts.hardware) IS DISTINCT FROM (excluded.framework_id,
        excluded.is_pull, excluded.is_open, excluded.opened_on, excluded.hours_open, excluded.comments, excluded.hard,
        excluded.lines, excluded.files, excluded.small_fix, excluded.has_fix, excluded.type, excluded.symptom,
        excluded.cause, excluded.fix, excluded.stage, excluded.component, excluded.theme,
        excluded.hardware);
END $$;
