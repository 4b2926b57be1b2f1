-- A number that grows whenever rows change that a page for all readers may show: kept pages are valid while it stays
-- (config/front/pages.py). A sequence locks nobody, and does not wait for the transaction to end; so writers also
-- share a lock until their rows can be seen, and a page that is made while one is held cannot be trusted.

CREATE SEQUENCE kb_page_revision;
-- A new sequence already shows its first number: draw it, so that the first change shows the second.
SELECT nextval('kb_page_revision');

CREATE FUNCTION kb_page_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared('public.kb_page_revision'::regclass::oid::bigint);
    PERFORM nextval('public.kb_page_revision');
    RETURN NULL;
END $$;

-- The number is read first: later writes change it, and earlier ones still hold the lock or have committed.
CREATE FUNCTION kb_settled_revision() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    revision bigint := (SELECT last_value FROM public.kb_page_revision);
BEGIN
    IF EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND objid = 'public.kb_page_revision'::regclass AND classid = 0 AND objsubid = 1
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) THEN
        RETURN NULL;
    END IF;
    RETURN revision;
END $$;

-- No kept page shows what visitors, programs and indexers write all the time. A commit of the search index does count.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ '^kb_'
            AND relname NOT IN (
                'kb_searchchange', 'kb_searchhost', 'kb_searchbuild', 'kb_missedsearch', 'kb_diagnosisjob',
                'kb_diagnosisupload', 'kb_webhook', 'kb_webhookdelivery', 'kb_faulttouch', 'kb_faultchange'
            )
    LOOP
        EXECUTE format(
            'CREATE TRIGGER page_changes BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION kb_page_changes()', name
        );
    END LOOP;
END $$;
CREATE TRIGGER page_changes BEFORE DELETE OR UPDATE OF index, settled ON kb_searchhost
    FOR EACH STATEMENT EXECUTE FUNCTION kb_page_changes();
-- Histories name who changed a category.
CREATE TRIGGER page_changes BEFORE DELETE OR UPDATE OF username ON auth_user
    FOR EACH STATEMENT EXECUTE FUNCTION kb_page_changes();
