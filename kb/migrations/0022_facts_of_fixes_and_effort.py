"""Facts say whether a fix is known and whether an issue is hard: asked issue by issue, a million took two seconds."""

from django.db import migrations, models

ANSWERS = "type, symptom, cause, fix, stage, component, theme"
# What facts hold of an issue and of its fixes: as it was, and as it is.
OF_ISSUE, NEW_OF_ISSUE = "framework_id, is_pull, is_open, opened_on, hours_open, comments", "hard"
OF_FIXES, NEW_OF_FIXES = "lines, files, small_fix", "has_fix"

VIEW = """
CREATE VIEW kb_facts_of_issue AS
SELECT i.id AS issue_id, r.framework_id, i.kind = 'pull_request' AS is_pull,
    CASE i.state WHEN 'open' THEN true WHEN 'closed' THEN false END AS is_open,
    (i.opened_at AT TIME ZONE 'UTC')::date AS opened_on,
    floor(extract(epoch FROM i.closed_at - i.opened_at) / 3600)::integer AS hours_open,
    i.comment_count AS comments{more}
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id;
"""
FIXES = """
LEFT JOIN LATERAL (
    SELECT min(f.lines_changed) AS lines, min(f.files_changed) AS files, bool_or(f.is_small) AS small_fix,
        count(*) > 0 AS has_fix
    FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id WHERE link.issue_id = {issue}
) AS fixes ON true
"""


def of(row: str, columns: str) -> str:
    return ", ".join(f"{row}.{name}" for name in columns.split(", "))


def functions(of_issue: str, of_fixes: str) -> str:
    """What brings facts up to the views (migration 0015), with these columns."""
    held = f"{of_issue}, {of_fixes}, {ANSWERS}"
    return f"""
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
    INSERT INTO kb_issuefacts AS facts (issue_id, holder, {held})
    SELECT a.issue_id, a.holder, {of_issue}, {of("fixes", of_fixes)}, {of("a", ANSWERS)}
    FROM kb_facts_of_answers a JOIN kb_facts_of_issue i ON i.issue_id = a.issue_id
    {FIXES.format(issue="a.issue_id")}
    WHERE a.issue_id = ANY (wanted)
    ON CONFLICT (holder, issue_id) DO UPDATE SET ({held}) = ROW({of("excluded", held)})
    WHERE ({of("facts", held)}) IS DISTINCT FROM ({of("excluded", held)});
END $$;
CREATE OR REPLACE FUNCTION kb_refresh_facts_of_fixes(wanted bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE kb_issuefacts facts SET ({of_fixes}) = ROW({of("fixes", of_fixes)})
    FROM unnest(wanted) AS one(id) {FIXES.format(issue="one.id")}
    WHERE facts.issue_id = one.id AND ({of("facts", of_fixes)}) IS DISTINCT FROM ({of("fixes", of_fixes)})
$$;
CREATE OR REPLACE FUNCTION kb_facts_issue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kb_issuefacts f SET ({of_issue}) = (SELECT {of_issue} FROM kb_facts_of_issue i WHERE i.issue_id = NEW.id)
    WHERE f.issue_id = NEW.id;
    RETURN NULL;
END $$;
"""


def view(more: str = "") -> str:
    return f"DROP VIEW kb_facts_of_issue; {VIEW.format(more=more)}"


NOW = view(", i.is_hard AS hard") + functions(f"{OF_ISSUE}, {NEW_OF_ISSUE}", f"{OF_FIXES}, {NEW_OF_FIXES}")
BEFORE = view() + functions(OF_ISSUE, OF_FIXES)
FILL = """
UPDATE kb_issuefacts f SET hard = i.is_hard,
    has_fix = EXISTS (SELECT FROM kb_issue_fixes link WHERE link.issue_id = i.id)
FROM kb_issue i WHERE i.id = f.issue_id
"""
OF_HOUSE = models.Index(
    fields=("opened_on",),
    include=(
        "issue_id", "framework_id", "is_open", "hours_open", "comments", "hard", "lines", "files", "small_fix",
        "has_fix", "type", "symptom", "cause", "fix", "stage", "component", "theme",
    ),
    condition=models.Q(("holder", 0), ("is_pull", False)),
    name="facts_of_house",
)  # fmt: skip


class Migration(migrations.Migration):
    dependencies = (("kb", "0021_facts_of_house"),)

    operations = (
        migrations.RemoveIndex("issuefacts", "facts_of_house"),
        migrations.AddField("issuefacts", "hard", models.BooleanField(null=True)),
        migrations.AddField("issuefacts", "has_fix", models.BooleanField(default=False), preserve_default=False),
        migrations.RunSQL(NOW, BEFORE),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex("issuefacts", OF_HOUSE),
    )
