-- What Django cannot express of the tables: keys of several columns, forgotten authors, unlogged tables.

-- A label's node, and a node's parent, are on the same axis.
ALTER TABLE kb_label ADD CONSTRAINT label_node_is_on_axis
    FOREIGN KEY (node_id, axis_id) REFERENCES kb_node (id, axis_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE kb_node ADD CONSTRAINT node_parent_is_on_axis
    FOREIGN KEY (parent_id, axis_id) REFERENCES kb_node (id, axis_id) DEFERRABLE INITIALLY DEFERRED;

-- The words of a forgotten author stay away. Written out here: the triggers that pgtrigger writes ask first, for
-- each row, whether somebody wants them ignored, which takes longer than what they do; and nobody should.
CREATE FUNCTION kb_forgotten_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Hardly anybody is: the repository is looked up for those few.
    IF EXISTS (SELECT 1 FROM public.kb_forgottenauthor f WHERE lower(f.login) = lower(NEW.author))
        AND EXISTS (SELECT 1 FROM public.kb_forgottenauthor f JOIN public.kb_repository r ON r.host = f.host
                    WHERE lower(f.login) = lower(NEW.author) AND r.id = NEW.repository_id)
    THEN
        NEW.title = ''; NEW.body = '';
        NEW.author = '';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER forgotten_stays_forgotten BEFORE INSERT OR UPDATE OF author, title, body ON kb_issue
FOR EACH ROW WHEN (NEW.author <> '') EXECUTE FUNCTION kb_forgotten_issue();

CREATE FUNCTION kb_forgotten_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Hardly anybody is: the repository is looked up for those few.
    IF EXISTS (SELECT 1 FROM public.kb_forgottenauthor f WHERE lower(f.login) = lower(NEW.author))
        AND EXISTS (SELECT 1 FROM public.kb_forgottenauthor f JOIN public.kb_repository r ON r.host = f.host
                    WHERE lower(f.login) = lower(NEW.author) AND r.id = (SELECT i.repository_id FROM public.kb_issue i
                        WHERE i.id = NEW.issue_id))
    THEN
        NEW.body = '';
        NEW.author = '';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER forgotten_stays_forgotten BEFORE INSERT OR UPDATE OF author, body ON kb_comment
FOR EACH ROW WHEN (NEW.author <> '') EXECUTE FUNCTION kb_forgotten_comment();

-- Django makes a second index of each unique text, for questions by its beginning; nobody asks these.
DROP INDEX IF EXISTS kb_comment_node_id_e7720d35_like;

-- Diagnosis jobs: no log reaches the write-ahead log, and a crash empties the tables. Uploads first: a logged table
-- may not point to an unlogged one. Most of what is uploaded is compressed already.
ALTER TABLE kb_diagnosisupload ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE kb_diagnosisupload SET UNLOGGED;
ALTER TABLE kb_diagnosisjob SET UNLOGGED;
