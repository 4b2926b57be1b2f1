-- Whatever changes what is said of a described fault names its id, in the same transaction. The outbox of the search
-- index names issues whose labels, fixes, words or facts changed; the rest is watched here.

CREATE FUNCTION kb_touch_searched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.kb_faulttouch (public_id)
    SELECT DISTINCT i.public_id FROM changed c JOIN public.kb_issue i ON i.id = c.issue_id WHERE i.public_id <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER touch_faults AFTER INSERT ON kb_searchchange REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_searched();

CREATE FUNCTION kb_touch_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.kb_faulttouch (public_id) SELECT n.public_id FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.public_id <> '' AND
        (n.snippet, n.no_line, n.affected_versions, n.affects_when, n.range_unknown, n.certainty, n.inferred, n.severity,
            n.model_names, n.layout, n.neighbours, n.evidence, n.related_urls, n.read_on, n.checked_on)
        IS DISTINCT FROM
        (o.snippet, o.no_line, o.affected_versions, o.affects_when, o.range_unknown, o.certainty, o.inferred, o.severity,
            o.model_names, o.layout, o.neighbours, o.evidence, o.related_urls, o.read_on, o.checked_on);
    RETURN NULL;
END $$;
CREATE TRIGGER touch_faults AFTER UPDATE ON kb_issue REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_words();

CREATE FUNCTION kb_touch_ranges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.kb_faulttouch (public_id)
    SELECT DISTINCT i.public_id FROM changed c JOIN public.kb_issue i ON i.id = c.issue_id WHERE i.public_id <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER touch_faults_insert AFTER INSERT ON kb_affectedrange REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_ranges();
CREATE TRIGGER touch_faults_update AFTER UPDATE ON kb_affectedrange REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_ranges();
CREATE TRIGGER touch_faults_delete AFTER DELETE ON kb_affectedrange REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_ranges();

CREATE FUNCTION kb_touch_former() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.kb_faulttouch (public_id) SELECT public_id FROM changed;
    RETURN NULL;
END $$;
CREATE TRIGGER touch_faults AFTER INSERT ON kb_formerid REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_touch_former();

INSERT INTO kb_faulttouch (public_id)
SELECT public_id FROM kb_issue WHERE public_id <> '' UNION SELECT public_id FROM kb_formerid;
