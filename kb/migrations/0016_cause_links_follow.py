"""Cause links follow labels: triggers note which source must be asked about which issue again.

As with the search outbox, rows are only appended and nothing about them is unique: writers never meet. What rules
suggest is not followed. Labels come and go in thousands, so that their triggers fire once per statement; that an issue
turns out to be a pull request, or a node moves, is rare, so that these fire per row and cost other updates nothing.

An issue cannot go before its labels, whose going is noted.
"""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    {changed} INSERT INTO public.kb_causelinkchange (source_id, issue_id)
    SELECT DISTINCT l.source_id, l.issue_id FROM {labels}
    JOIN public.kb_source s ON s.id = l.source_id AND s.kind <> 'rule'
    JOIN public.kb_axis a ON a.id = l.axis_id AND a.code IN ('symptom', 'root_cause'){where};
    RETURN NULL;
END $$;
"""
# A reworded label names nobody.
BOTH_STATES = """WITH changed AS (
        (SELECT COLUMNS FROM new_rows EXCEPT ALL SELECT COLUMNS FROM old_rows)
        UNION ALL
        (SELECT COLUMNS FROM old_rows EXCEPT ALL SELECT COLUMNS FROM new_rows)
    )""".replace("COLUMNS", "id, issue_id, source_id, axis_id, node_id")
BELOW = """WITH RECURSIVE below(id) AS (
        SELECT NEW.id UNION SELECT n.id FROM public.kb_node n JOIN below ON n.parent_id = below.id
    )"""

TRIGGERS = "".join((
    FUNCTION.format(name="kb_links_label_came_or_went", changed="", labels="changed l", where=""),
    FUNCTION.format(name="kb_links_label_update", changed=BOTH_STATES, labels="changed l", where=""),
    FUNCTION.format(
        name="kb_links_kind", changed="", labels="public.kb_label l", where=" WHERE l.issue_id = NEW.id"
    ),
    FUNCTION.format(
        name="kb_links_moved", changed=BELOW, labels="public.kb_label l JOIN below ON l.node_id = below.id", where=""
    ),
    """
CREATE TRIGGER links_insert AFTER INSERT ON kb_label REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_came_or_went();
CREATE TRIGGER links_delete AFTER DELETE ON kb_label REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_came_or_went();
CREATE TRIGGER links_update AFTER UPDATE ON kb_label REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kb_links_label_update();
CREATE TRIGGER links_kind AFTER UPDATE ON kb_issue
    FOR EACH ROW WHEN ((OLD.kind = 'pull_request') <> (NEW.kind = 'pull_request'))
    EXECUTE FUNCTION kb_links_kind();
CREATE TRIGGER links_moved AFTER UPDATE ON kb_node
    FOR EACH ROW WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id)
    EXECUTE FUNCTION kb_links_moved();
""",
))  # fmt: skip
DROP = """
DROP FUNCTION kb_links_label_came_or_went, kb_links_label_update, kb_links_kind, kb_links_moved CASCADE;
"""
# Nothing is known of what the present links were counted with: each source is counted from nothing once.
COUNT_ONCE = "INSERT INTO kb_causelinkchange (source_id) SELECT id FROM kb_source WHERE kind <> 'rule'"


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0015_facts"),
    ]

    operations = [
        migrations.CreateModel(
            name="CauseLinkChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source_id", models.BigIntegerField()),
                ("issue_id", models.BigIntegerField(null=True)),
                ("changed_at", models.DateTimeField(db_default=django.contrib.postgres.functions.TransactionNow())),
            ],
        ),
        migrations.CreateModel(
            name="CauseLinkEvidence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("symptoms", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("causes", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                (
                    "issue",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="kb.issue",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="kb.source",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("source", "issue"), name="causelinkevidence_unique")],
            },
        ),
        migrations.CreateModel(
            name="GoneCauseLink",
            fields=[
                ("link_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("note", models.TextField(blank=True)),
                ("gone_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "cause",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.node"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="kb.source"
                    ),
                ),
                (
                    "symptom",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="kb.node"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("source", "symptom", "cause"), name="gonecauselink_unique")
                ],
            },
        ),
        migrations.RunSQL(TRIGGERS, DROP),
        migrations.RunSQL(COUNT_ONCE, migrations.RunSQL.noop),
    ]
