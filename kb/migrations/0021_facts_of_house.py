"""Charts of the house read one index alone; hours are whole ones that passed, so that days can be told from them."""

from django.db import migrations, models

OF_ISSUE = """
CREATE OR REPLACE VIEW kb_facts_of_issue AS
SELECT i.id AS issue_id, r.framework_id, i.kind = 'pull_request' AS is_pull,
    CASE i.state WHEN 'open' THEN true WHEN 'closed' THEN false END AS is_open,
    (i.opened_at AT TIME ZONE 'UTC')::date AS opened_on,
    {whole}(extract(epoch FROM i.closed_at - i.opened_at) / 3600)::integer AS hours_open,
    i.comment_count AS comments
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id
"""
ANEW = """
UPDATE kb_issuefacts f SET hours_open = i.hours_open FROM kb_facts_of_issue i
WHERE i.issue_id = f.issue_id AND f.hours_open IS DISTINCT FROM i.hours_open
"""
# Without them Postgres takes any answers to go together, expects far too many groups, and counts with one worker.
STATISTICS = """
CREATE STATISTICS kb_facts_together (ndistinct)
    ON framework_id, symptom, cause, fix, stage, component, theme, type FROM kb_issuefacts
"""


class Migration(migrations.Migration):
    dependencies = (("kb", "0020_published_tables"),)

    operations = (
        migrations.RunSQL([OF_ISSUE.format(whole="floor"), ANEW], [OF_ISSUE.format(whole="round"), ANEW]),
        migrations.AddIndex(
            "issuefacts",
            models.Index(
                fields=("opened_on",),
                include=(
                    "issue_id", "framework_id", "is_open", "hours_open", "comments", "lines", "files", "small_fix",
                    "type", "symptom", "cause", "fix", "stage", "component", "theme",
                ),
                condition=models.Q(("holder", 0), ("is_pull", False)),
                name="facts_of_house",
            ),
        ),
        migrations.RunSQL(STATISTICS, "DROP STATISTICS kb_facts_together"),
    )  # fmt: skip
