# ruff: noqa: E501
"""What a record says to do first, how else its fault is seen, and the other reports that it answers.

Whatever of it stands in a document of the search index names the issue in its outbox: that of a report is made of the
record that answers it, too.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from kb.migrations._together import Together

REPORTS = """
CREATE FUNCTION kb_search_kb_otherreport_change() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    SELECT DISTINCT i.id FROM public.kb_issue i JOIN changed c ON (c.repository_id, c.ref) = (i.repository_id, i.ref);
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER search_insert AFTER INSERT ON kb_otherreport REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_otherreport_change();
CREATE TRIGGER search_delete AFTER DELETE ON kb_otherreport REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kb_search_kb_otherreport_change();
"""
NO_REPORTS = "DROP FUNCTION kb_search_kb_otherreport_change CASCADE;"
WATCHED = (
    "state", "kind", "opened_at", "closed_at", "comment_count", "reaction_count", "repository_id", "ref", "url",
    "title", "heading", "summary", "recognise", "resolution", "workaround", "body", "fixed_version",
)  # fmt: skip
FUNCTION = """
CREATE OR REPLACE FUNCTION kb_search_kb_issue_update() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id)
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE ({new}) IS DISTINCT FROM ({old})
    )
 SELECT id FROM changed{also};
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
"""
REPORTED = """ UNION SELECT i.id FROM changed
    JOIN public.kb_otherreport r ON r.record_id = changed.id
    JOIN public.kb_issue i ON (i.repository_id, i.ref) = (r.repository_id, r.ref)"""


def watching(*columns: str, also: str = "") -> str:
    """The trigger's function for changes of these columns; `also`: which other issues a change concerns."""
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("n", "o"))
    return FUNCTION.format(new=new, old=old, also=also)


WATCH_ISSUES = watching(*WATCHED)
WATCH_RECORDS = watching(*WATCHED, "fix_line", "also_seen", also=REPORTED)


class Migration(Together):
    dependencies = [
        ("kb", "0035_bundled_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="OtherReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(max_length=20)),
                (
                    "record",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="other_reports", to="kb.issue"
                    ),
                ),
                (
                    "repository",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="kb.repository",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(fields=("repository", "ref", "record"), name="otherreport_once_in_a_record")
                ],
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="issue",
            name="insert_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="issue",
            name="update_update",
        ),
        migrations.AddField(
            model_name="issue",
            name="also_seen",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                db_default=[],
                default=list,
                help_text="Other faces: follow-on lines, exit codes, everyday words.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="certainty",
            field=models.CharField(
                blank=True,
                choices=[("confirmed", "Confirmed"), ("likely", "Likely"), ("unsettled", "Unsettled")],
                db_default="",
                default="",
                help_text="Of cause and fix as a whole.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="checked_extent",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="issue",
            name="checked_on",
            field=models.DateField(blank=True, help_text="When somebody else checked the record.", null=True),
        ),
        migrations.AddField(
            model_name="issue",
            name="fix_line",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="What to do now, in one sentence.", max_length=200
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="inferred",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                db_default=[],
                default=list,
                help_text="Claims that follow from the thread and that no link states.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="layout",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The parallel layout, where it matters.",
                max_length=120,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="model_names",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                db_default=[],
                default=list,
                help_text="Models that the fault needs.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="neighbours",
            field=models.JSONField(
                blank=True, db_default=[], default=list, help_text="Records that look the same: url, and how to tell."
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="no_line",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="Why there is no line to recognise it by."
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="severity",
            field=models.CharField(
                blank=True,
                choices=[
                    ("blocks", "Blocks the work"),
                    ("wrong-result", "Wrong results"),
                    ("data-loss", "Loses data"),
                    ("degrades", "Slower or worse"),
                    ("cosmetic", "Cosmetic"),
                ],
                db_default="",
                default="",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="issue",
            name="snippet",
            field=models.TextField(blank=True, db_default="", default="", help_text="What to paste, a few lines."),
        ),
        migrations.AddField(
            model_name="issuetextevent",
            name="also_seen",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                db_default=[],
                default=list,
                help_text="Other faces: follow-on lines, exit codes, everyday words.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="issuetextevent",
            name="fix_line",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="What to do now, in one sentence.", max_length=200
            ),
        ),
        migrations.AddField(
            model_name="issuetextevent",
            name="snippet",
            field=models.TextField(blank=True, db_default="", default="", help_text="What to paste, a few lines."),
        ),
        migrations.AlterField(
            model_name="issue",
            name="label_terms",
            field=models.TextField(
                blank=True,
                editable=False,
                help_text="Names and aliases of the trusted house labels, and what else is seen, for search.",
            ),
        ),
        migrations.AlterField(
            model_name="issuetextevent",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="heading_summary_fix_line_snippet_recognise_also_seen_resolution_workaround_affected_versions_fixed_version_read_on_events",
                to="kb.issue",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="issue",
            trigger=pgtrigger.compiler.Trigger(
                name="insert_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_issuetextevent" ("affected_versions", "also_seen", "fix_line", "fixed_version", "heading", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "read_on", "recognise", "resolution", "snippet", "summary", "workaround") SELECT new_values."affected_versions", new_values."also_seen", new_values."fix_line", new_values."fixed_version", new_values."heading", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."read_on", new_values."recognise", new_values."resolution", new_values."snippet", new_values."summary", new_values."workaround" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;',
                    hash="b90a0699594ee4ac9ada73cf9364c5f6100a8ab4",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_insert_insert_cbe11",
                    referencing="REFERENCING NEW TABLE AS new_values ",
                    table="kb_issue",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="issue",
            trigger=pgtrigger.compiler.Trigger(
                name="update_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_issuetextevent" ("affected_versions", "also_seen", "fix_line", "fixed_version", "heading", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "read_on", "recognise", "resolution", "snippet", "summary", "workaround") SELECT new_values."affected_versions", new_values."also_seen", new_values."fix_line", new_values."fixed_version", new_values."heading", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."read_on", new_values."recognise", new_values."resolution", new_values."snippet", new_values."summary", new_values."workaround" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values."affected_versions" IS DISTINCT FROM (new_values."affected_versions") OR old_values."also_seen" IS DISTINCT FROM (new_values."also_seen") OR old_values."fix_line" IS DISTINCT FROM (new_values."fix_line") OR old_values."fixed_version" IS DISTINCT FROM (new_values."fixed_version") OR old_values."heading" IS DISTINCT FROM (new_values."heading") OR old_values."read_on" IS DISTINCT FROM (new_values."read_on") OR old_values."recognise" IS DISTINCT FROM (new_values."recognise") OR old_values."resolution" IS DISTINCT FROM (new_values."resolution") OR old_values."snippet" IS DISTINCT FROM (new_values."snippet") OR old_values."summary" IS DISTINCT FROM (new_values."summary") OR old_values."workaround" IS DISTINCT FROM (new_values."workaround")) ) AS new_values, _pgh_attached_context; RETURN NULL;',
                    hash="e5c869a44622f159251dcba9fa8aa9a2e8b73d49",
                    level="STATEMENT",
                    operation="UPDATE",
                    pgid="pgtrigger_update_update_03662",
                    referencing="REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ",
                    table="kb_issue",
                    when="AFTER",
                ),
            ),
        ),
        migrations.RunSQL(REPORTS, NO_REPORTS),
        migrations.RunSQL(WATCH_RECORDS, WATCH_ISSUES),
    ]
