-- Public ids: every described issue has one, at the latest when its summary is written. An id is never lost and never
-- given to another report: one that was replaced, or whose issue is gone, stays in kb_formerid.

CREATE FUNCTION kb_local_public_id(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'FB-' || left(md5(lower(url)), 12)
$$;

CREATE FUNCTION kb_issue_public_id() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE former public.kb_formerid%ROWTYPE;
BEGIN
    IF NEW.public_id = '' THEN
        NEW.public_id := CASE WHEN TG_OP = 'UPDATE' THEN OLD.public_id ELSE '' END;
    END IF;
    IF NEW.public_id = '' AND NEW.summary <> '' THEN
        NEW.public_id := public.kb_local_public_id(NEW.url);
    END IF;
    IF NEW.public_id = '' OR (TG_OP = 'UPDATE' AND NEW.public_id = OLD.public_id) THEN
        RETURN NEW;
    END IF;
    SELECT * INTO former FROM public.kb_formerid WHERE public_id = NEW.public_id;
    IF FOUND AND former.url <> NEW.url AND former.issue_id IS DISTINCT FROM NEW.id THEN
        RAISE unique_violation USING MESSAGE = format('%s was given to %s', former.public_id, former.url);
    END IF;
    DELETE FROM public.kb_formerid WHERE public_id = NEW.public_id;
    IF TG_OP = 'UPDATE' AND OLD.public_id <> '' THEN
        INSERT INTO public.kb_formerid (public_id, issue_id, url, ended_at)
        VALUES (OLD.public_id, OLD.id, OLD.url, now());
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER public_id_insert BEFORE INSERT ON kb_issue
    FOR EACH ROW WHEN (NEW.summary <> '' OR NEW.public_id <> '') EXECUTE FUNCTION kb_issue_public_id();
CREATE TRIGGER public_id_update BEFORE UPDATE OF summary, public_id ON kb_issue
    FOR EACH ROW EXECUTE FUNCTION kb_issue_public_id();

CREATE FUNCTION kb_issue_former_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.kb_formerid (public_id, url, ended_at) VALUES (OLD.public_id, OLD.url, now());
    RETURN NULL;
END $$;
CREATE TRIGGER former_id AFTER DELETE ON kb_issue
    FOR EACH ROW WHEN (OLD.public_id <> '') EXECUTE FUNCTION kb_issue_former_id();
