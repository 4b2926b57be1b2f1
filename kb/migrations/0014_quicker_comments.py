"""Comments and issues are written quicker: half of a comment's time went into a trigger, a fifth into needless indexes.

The triggers that keep forgotten authors' words away are written out here. Those that pgtrigger writes ask first, for
each row, whether somebody wants them ignored, which takes longer than what they do; and nobody should.
"""

import pgtrigger.migrations
from django.db import migrations

TRIGGER = """
CREATE FUNCTION kb_forgotten_{name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Hardly anybody is: the repository is looked up for those few.
    IF EXISTS (SELECT 1 FROM public.kb_forgottenauthor f WHERE lower(f.login) = lower(NEW.author))
        AND EXISTS (SELECT 1 FROM public.kb_forgottenauthor f JOIN public.kb_repository r ON r.host = f.host
                    WHERE lower(f.login) = lower(NEW.author) AND r.id = {repository})
    THEN
        {forget}
        NEW.author = '';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER forgotten_stays_forgotten BEFORE INSERT OR UPDATE OF {columns} ON kb_{name}
FOR EACH ROW WHEN (NEW.author <> '') EXECUTE FUNCTION kb_forgotten_{name}();
"""
ISSUE = TRIGGER.format(
    name="issue", columns="author, title, body", repository="NEW.repository_id", forget="NEW.title = ''; NEW.body = '';"
)
COMMENT = TRIGGER.format(
    name="comment",
    columns="author, body",
    repository="(SELECT i.repository_id FROM public.kb_issue i WHERE i.id = NEW.issue_id)",
    forget="NEW.body = '';",
)
DROP = "DROP TRIGGER forgotten_stays_forgotten ON kb_{name}; DROP FUNCTION kb_forgotten_{name}();"
LIKE = "kb_comment_node_id_e7720d35_like"


class Migration(migrations.Migration):
    dependencies = [("kb", "0013_searched_texts")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(model_name="comment", name="forgotten_stays_forgotten"),
        pgtrigger.migrations.RemoveTrigger(model_name="issue", name="forgotten_stays_forgotten"),
        migrations.RunSQL(ISSUE, DROP.format(name="issue")),
        migrations.RunSQL(COMMENT, DROP.format(name="comment")),
        # Forgetting somebody, which is rare, may look at every row.
        migrations.RemoveIndex(model_name="comment", name="comment_author"),
        migrations.RemoveIndex(model_name="issue", name="issue_author"),
        # Django makes a second index of each unique text, for questions by its beginning; nobody asks these.
        migrations.RunSQL(
            f"DROP INDEX IF EXISTS {LIKE}", f"CREATE INDEX {LIKE} ON kb_comment (node_id varchar_pattern_ops)"
        ),
    ]
