"""One source holds what rules suggest, and the digest, which filters and facets read, knows people's answers only.

Which kinds of sources hold a label stays in the digest, suggestions too: that there are some may be asked for.
"""

from django.db import migrations, models

# As in 0004, but for the kind of the source behind a node.
REFRESH = """
CREATE OR REPLACE FUNCTION kb_refresh_digest(wanted bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM 1 FROM kb_issue WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO kb_issuedigest AS digest (issue_id, node_ids, source_kinds, has_fix, small_fix)
    SELECT i.id,
        coalesce((
            SELECT array_agg(DISTINCT up.node_id)
            FROM kb_label l JOIN kb_axis a ON a.id = l.axis_id
            JOIN kb_scheme s ON s.id = a.scheme_id AND s.study_id IS NULL
            JOIN kb_source source ON source.id = l.source_id{of_people}
            JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
            CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(node_id)
            WHERE l.issue_id = i.id AND up.node_id IS NOT NULL
        ), '{{}}'),
        coalesce((
            SELECT array_agg(DISTINCT s.kind) FROM kb_label l JOIN kb_source s ON s.id = l.source_id
            WHERE l.issue_id = i.id
        ), '{{}}'),
        EXISTS (SELECT 1 FROM kb_issue_fixes link WHERE link.issue_id = i.id),
        (SELECT bool_or(f.is_small) FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id
         WHERE link.issue_id = i.id)
    FROM kb_issue i
    WHERE i.id = ANY (wanted)
    ON CONFLICT (issue_id) DO UPDATE SET node_ids = excluded.node_ids, source_kinds = excluded.source_kinds,
        has_fix = excluded.has_fix, small_fix = excluded.small_fix
    WHERE (digest.node_ids, digest.source_kinds, digest.has_fix, digest.small_fix)
        IS DISTINCT FROM (excluded.node_ids, excluded.source_kinds, excluded.has_fix, excluded.small_fix);
END $$;
SELECT kb_refresh_digest(ARRAY(
    SELECT DISTINCT l.issue_id FROM kb_label l JOIN kb_source s ON s.id = l.source_id WHERE s.kind = 'rule'
));
"""


class Migration(migrations.Migration):
    """After the triggers that keep digests current."""

    dependencies = [("kb", "0010_searched_part")]
    operations = [
        migrations.AddConstraint(
            model_name="source",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "rule"), ("slug", "rule")),
                    models.Q(models.Q(("kind", "rule"), _negated=True), models.Q(("slug", "rule"), _negated=True)),
                    _connector="OR",
                ),
                name="source_rule_is_one",
            ),
        ),
        migrations.RunSQL(REFRESH.format(of_people=" AND source.kind <> 'rule'"), REFRESH.format(of_people="")),
    ]
