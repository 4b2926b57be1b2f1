-- Cause links follow labels: triggers note which source must be asked about which issue again. As with the search
-- outbox, rows are only appended and nothing about them is unique: writers never meet. Labels come and go in
-- thousands, so that their triggers fire once per statement; that an issue turns out to be a pull request, or a
-- node moves, is rare: per row.

CREATE FUNCTION kb_links_label_came_or_went() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
     INSERT INTO public.kb_causelinkchange (source_id, issue_id)
    SELECT DISTINCT l.source_id, l.issue_id FROM changed l
    JOIN public.kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN public.kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause');
    RETURN NULL;
END $$;

CREATE FUNCTION kb_links_label_update() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    WITH changed AS (
        (SELECT id, issue_id, source_id, axis_id, node_id FROM new_rows EXCEPT ALL SELECT id, issue_id, source_id,
            axis_id, node_id FROM old_rows)
        UNION ALL
        (SELECT id, issue_id, source_id, axis_id, node_id FROM old_rows EXCEPT ALL SELECT id, issue_id, source_id,
            axis_id, node_id FROM new_rows)
    ) INSERT INTO public.kb_causelinkchange (source_id, issue_id)
    SELECT DISTINCT l.source_id, l.issue_id FROM changed l
    JOIN public.kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN public.kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause');
    RETURN NULL;
END $$;

CREATE FUNCTION kb_links_kind() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
     INSERT INTO public.kb_causelinkchange (source_id, issue_id)
    SELECT DISTINCT l.source_id, l.issue_id FROM public.kb_label l
    JOIN public.kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN public.kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause') WHERE l.issue_id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION kb_links_moved() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    WITH RECURSIVE below(id) AS (
        SELECT NEW.id UNION SELECT n.id FROM public.kb_node n JOIN below ON n.parent_id = below.id
    ) INSERT INTO public.kb_causelinkchange (source_id, issue_id)
    SELECT DISTINCT l.source_id, l.issue_id FROM public.kb_label l JOIN below ON l.node_id = below.id
    JOIN public.kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN public.kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause');
    RETURN NULL;
END $$;

CREATE TRIGGER links_insert AFTER INSERT ON kb_label REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_came_or_went();
CREATE TRIGGER links_delete AFTER DELETE ON kb_label REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_came_or_went();
CREATE TRIGGER links_update AFTER UPDATE ON kb_label REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_update();
CREATE TRIGGER links_kind AFTER UPDATE ON kb_issue
    FOR EACH ROW WHEN ((OLD.kind = 'pull_request') <> (NEW.kind = 'pull_request'))
    EXECUTE FUNCTION kb_links_kind();
CREATE TRIGGER links_moved AFTER UPDATE ON kb_node
    FOR EACH ROW WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id)
    EXECUTE FUNCTION kb_links_moved();
