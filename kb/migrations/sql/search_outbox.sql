-- The outbox of the search index: whatever changes a document or its card names the issue, in the same transaction.
-- One trigger per statement, which names each issue once, so that bulk loads hardly notice. What is compared is
-- what `kb.search.documents` reads: an update that changes none of it names nobody. Equal notifications of one
-- transaction are sent once.

CREATE FUNCTION kb_search_kb_issue_insert() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_insert AFTER INSERT ON kb_issue REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_insert();

CREATE FUNCTION kb_search_kb_issue_delete() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_delete AFTER DELETE ON kb_issue REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_delete();

CREATE FUNCTION kb_search_kb_label_insert() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_insert AFTER INSERT ON kb_label REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_label_insert();

CREATE FUNCTION kb_search_kb_label_delete() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_delete AFTER DELETE ON kb_label REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_label_delete();

CREATE FUNCTION kb_search_kb_issue_fixes_insert() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_insert AFTER INSERT ON kb_issue_fixes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_fixes_insert();

CREATE FUNCTION kb_search_kb_issue_fixes_delete() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_delete AFTER DELETE ON kb_issue_fixes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_fixes_delete();

CREATE FUNCTION kb_search_kb_issue_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.state, n.kind, n.opened_at, n.closed_at, n.comment_count, n.reaction_count, n.repository_id, n.ref,
            n.url, n.title, n.heading, n.summary, n.recognise, n.resolution, n.workaround, n.body) IS DISTINCT FROM
            (o.state, o.kind, o.opened_at, o.closed_at, o.comment_count, o.reaction_count, o.repository_id, o.ref,
            o.url, o.title, o.heading, o.summary, o.recognise, o.resolution, o.workaround, o.body)
    )
 SELECT DISTINCT id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_issue REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_update();

CREATE FUNCTION kb_search_kb_label_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        (SELECT id, issue_id, node_id, source_id FROM new_rows EXCEPT ALL SELECT id, issue_id, node_id, source_id FROM
            old_rows)
        UNION ALL
        (SELECT id, issue_id, node_id, source_id FROM old_rows EXCEPT ALL SELECT id, issue_id, node_id, source_id FROM
            new_rows)
    )
 SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_label REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_label_update();

CREATE FUNCTION kb_search_kb_issue_fixes_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        (SELECT id, issue_id, fix_id FROM new_rows EXCEPT ALL SELECT id, issue_id, fix_id FROM old_rows)
        UNION ALL
        (SELECT id, issue_id, fix_id FROM old_rows EXCEPT ALL SELECT id, issue_id, fix_id FROM new_rows)
    )
 SELECT DISTINCT issue_id FROM changed;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_issue_fixes REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_issue_fixes_update();

CREATE FUNCTION kb_search_kb_fix_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.url, n.kind, n.merged_on, n.additions, n.deletions) IS DISTINCT FROM (o.url, o.kind, o.merged_on,
            o.additions, o.deletions)
    )
 SELECT DISTINCT link.issue_id FROM public.kb_issue_fixes link JOIN changed ON changed.id = link.fix_id;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_fix REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_fix_update();

CREATE FUNCTION kb_search_kb_node_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH RECURSIVE changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.code, n.name, n.aliases, n.parent_id, n.status, n.position, n.axis_id) IS DISTINCT FROM (o.code,
            o.name, o.aliases, o.parent_id, o.status, o.position, o.axis_id)
    ),  below(id) AS (
        SELECT id FROM changed UNION SELECT n.id FROM public.kb_node n JOIN below ON n.parent_id = below.id
    ) SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN below ON l.node_id = below.id;
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_node REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_node_update();

CREATE FUNCTION kb_search_kb_axis_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.code, n.position, n.scheme_id) IS DISTINCT FROM (o.code, o.position, o.scheme_id)
    )
 SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_node n ON n.id = l.node_id
    JOIN public.kb_axis a ON a.id = n.axis_id WHERE a.id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_axis REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_axis_update();

CREATE FUNCTION kb_search_kb_scheme_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.slug, n.study_id) IS DISTINCT FROM (o.slug, o.study_id)
    )
 SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_node n ON n.id = l.node_id
    JOIN public.kb_axis a ON a.id = n.axis_id WHERE a.scheme_id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_scheme REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_scheme_update();

CREATE FUNCTION kb_search_kb_source_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.slug, n.name, n.kind, n.confidence, n.study_id) IS DISTINCT FROM (o.slug, o.name, o.kind,
            o.confidence, o.study_id)
    )
 SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_source s ON s.id = l.source_id
    WHERE s.id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_source REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_source_update();

CREATE FUNCTION kb_search_kb_study_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.code) IS DISTINCT FROM (o.code)
    )
 SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_source s ON s.id = l.source_id
    WHERE s.study_id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_study REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_study_update();

CREATE FUNCTION kb_search_kb_repository_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.host, n.full_name, n.framework_id) IS DISTINCT FROM (o.host, o.full_name, o.framework_id)
    )
 SELECT i.id FROM public.kb_issue i JOIN public.kb_repository r ON r.id = i.repository_id
    WHERE r.id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_repository REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_repository_update();

CREATE FUNCTION kb_search_kb_framework_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE (n.slug, n.name) IS DISTINCT FROM (o.slug, o.name)
    )
 SELECT i.id FROM public.kb_issue i JOIN public.kb_repository r ON r.id = i.repository_id
    WHERE r.framework_id IN (SELECT id FROM changed);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_update AFTER UPDATE ON kb_framework REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_framework_update();
