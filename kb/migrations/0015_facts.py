"""The facts that charts count, and the triggers that keep them current."""

from django.db import migrations, models

AXES = {
    "type": "issue_type",
    "symptom": "symptom",
    "cause": "root_cause",
    "fix": "fix_pattern",
    "stage": "stage",
    "component": "component",
    "theme": "theme",
}
ANSWERS = ",\n        ".join(
    f"coalesce(string_agg(DISTINCT node_id::text, ' ') FILTER (WHERE axis = '{axis}'), '') COLLATE \"C\" AS {name}"
    for name, axis in AXES.items()
)
OF_ISSUE = "framework_id, is_pull, is_open, opened_on, hours_open, comments"
OF_FIXES = "lines, files, small_fix"
HELD = f"{OF_ISSUE}, {OF_FIXES}, {', '.join(AXES)}"


def of(row: str) -> str:
    return ", ".join(f"{row}.{name}" for name in HELD.split(", "))


# Two views say what is true; the functions below only bring the table up to it, row by row and as far as it differs.
VIEWS = f"""
CREATE VIEW kb_facts_of_issue AS
SELECT i.id AS issue_id, r.framework_id, i.kind = 'pull_request' AS is_pull,
    CASE i.state WHEN 'open' THEN true WHEN 'closed' THEN false END AS is_open,
    (i.opened_at AT TIME ZONE 'UTC')::date AS opened_on,
    round(extract(epoch FROM i.closed_at - i.opened_at) / 3600)::integer AS hours_open,
    i.comment_count AS comments
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id;

CREATE VIEW kb_facts_of_answers AS
SELECT issue_id, holder,
        {ANSWERS}
FROM (
    SELECT l.issue_id, l.source_id AS holder, a.code AS axis, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    UNION ALL
    SELECT l.issue_id, 0, a.code, l.node_id
    FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id JOIN kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN kb_scheme scheme ON scheme.id = a.scheme_id AND scheme.study_id IS NULL
) AS held
GROUP BY issue_id, holder;
"""
FIXES = """
LEFT JOIN LATERAL (
    SELECT min(f.lines_changed) AS lines, min(f.files_changed) AS files, bool_or(f.is_small) AS small_fix
    FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id WHERE link.issue_id = {issue}
) AS fixes ON true
"""

# Issues are locked in one order before their labels are read, as for digests: of two writers the later one sees both.
REFRESH = f"""
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
    INSERT INTO kb_issuefacts AS facts (issue_id, holder, {HELD})
    SELECT a.issue_id, a.holder, {OF_ISSUE}, {OF_FIXES}, {", ".join(f"a.{name}" for name in AXES)}
    FROM kb_facts_of_answers a JOIN kb_facts_of_issue i ON i.issue_id = a.issue_id
    {FIXES.format(issue="a.issue_id")}
    WHERE a.issue_id = ANY (wanted)
    ON CONFLICT (holder, issue_id) DO UPDATE SET ({HELD}) = ROW({of("excluded")})
    WHERE ({of("facts")}) IS DISTINCT FROM ({of("excluded")});
END $$;

CREATE FUNCTION kb_refresh_facts_of_fixes(wanted bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE kb_issuefacts facts SET ({OF_FIXES}) = ROW(fixes.lines, fixes.files, fixes.small_fix)
    FROM unnest(wanted) AS one(id) {FIXES.format(issue="one.id")}
    WHERE facts.issue_id = one.id AND (facts.lines, facts.files, facts.small_fix)
        IS DISTINCT FROM (fixes.lines, fixes.files, fixes.small_fix)
$$;
"""

TRIGGERS = f"""
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
CREATE FUNCTION kb_facts_issue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kb_issuefacts f SET ({OF_ISSUE}) = (SELECT {OF_ISSUE} FROM kb_facts_of_issue i WHERE i.issue_id = NEW.id)
    WHERE f.issue_id = NEW.id;
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
"""
# Their triggers go with them.
DROP = """
DROP FUNCTION kb_facts_labelled, kb_facts_relabelled, kb_facts_fixed, kb_facts_fix_resized, kb_facts_issue_changed,
    kb_facts_framework_changed, kb_facts_issue_gone
CASCADE
"""
FILL = "SELECT kb_refresh_facts(ARRAY(SELECT DISTINCT issue_id FROM kb_label));"


class Migration(migrations.Migration):
    dependencies = [("kb", "0014_quicker_comments")]
    operations = [
        migrations.CreateModel(
            name="IssueFacts",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "holder", "issue_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("issue_id", models.BigIntegerField()),
                ("holder", models.BigIntegerField()),
                ("framework_id", models.BigIntegerField()),
                ("is_pull", models.BooleanField()),
                ("is_open", models.BooleanField(null=True)),
                ("opened_on", models.DateField(null=True)),
                ("hours_open", models.IntegerField(null=True)),
                ("comments", models.IntegerField(null=True)),
                ("lines", models.IntegerField(null=True)),
                ("files", models.IntegerField(null=True)),
                ("small_fix", models.BooleanField(null=True)),
                *[(name, models.TextField(db_collation="C")) for name in AXES],
            ],
            options={
                "verbose_name_plural": "facts of issues",
                "indexes": [models.Index(fields=["issue_id"], name="facts_issue")],
            },
        ),
        migrations.RunSQL(VIEWS, "DROP VIEW kb_facts_of_answers, kb_facts_of_issue"),
        migrations.RunSQL(REFRESH, "DROP FUNCTION kb_refresh_facts, kb_refresh_facts_of_fixes"),
        migrations.RunSQL(TRIGGERS, DROP),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
