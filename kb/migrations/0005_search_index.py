"""The outbox of the search index: whatever changes a document or its card names the issue, in the same transaction.

One trigger per statement, which names each issue once, so that bulk loads hardly notice. What is compared is what
`kb.search.documents` reads: an update that changes none of it names nobody.
"""

import django.contrib.postgres.functions
import django.db.models.functions.datetime
from django.db import migrations, models

# What documents and cards hold of an issue; the longest text comes last, since it is the slowest to compare.
ISSUE = (
    "state, kind, opened_at, closed_at, comment_count, reaction_count, repository_id, ref, url, title, heading, "
    "summary, recognise, resolution, workaround, body"
)
# The issues that the rows in `changed` concern.
LABELLED_BELOW = """
    WITH RECURSIVE below(id) AS (
        SELECT id FROM changed UNION SELECT n.id FROM public.kb_node n JOIN below ON n.parent_id = below.id
    ) SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN below ON l.node_id = below.id
"""
LABELLED_ON_AXES = """
    SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_node n ON n.id = l.node_id
    JOIN public.kb_axis a ON a.id = n.axis_id WHERE a.{column} IN (SELECT id FROM changed)
"""
HELD_BY = """
    SELECT DISTINCT l.issue_id FROM public.kb_label l JOIN public.kb_source s ON s.id = l.source_id
    WHERE s.{column} IN (SELECT id FROM changed)
"""
IN_REPOSITORY = """
    SELECT i.id FROM public.kb_issue i JOIN public.kb_repository r ON r.id = i.repository_id
    WHERE r.{column} IN (SELECT id FROM changed)
"""
ITSELF = "SELECT DISTINCT {column} FROM changed"
FIXED_BY = """
    SELECT DISTINCT link.issue_id FROM public.kb_issue_fixes link JOIN changed ON changed.id = link.fix_id
"""

# Rows that come and go; the issue is one of their columns.
ROWS = {"kb_issue": "id", "kb_label": "issue_id", "kb_issue_fixes": "issue_id"}
# Rows that change: the columns that matter, and the issues they concern.
UPDATES = {
    "kb_issue": (ISSUE, ITSELF.format(column="id")),
    "kb_label": ("issue_id, node_id, source_id", ITSELF.format(column="issue_id")),
    "kb_issue_fixes": ("issue_id, fix_id", ITSELF.format(column="issue_id")),
    "kb_fix": ("url, kind, merged_on, additions, deletions", FIXED_BY),
    "kb_node": ("code, name, aliases, parent_id, status, position, axis_id", LABELLED_BELOW),
    "kb_axis": ("code, position, scheme_id", LABELLED_ON_AXES.format(column="id")),
    "kb_scheme": ("slug, study_id", LABELLED_ON_AXES.format(column="scheme_id")),
    "kb_source": ("slug, name, kind, confidence, study_id", HELD_BY.format(column="id")),
    "kb_study": ("code", HELD_BY.format(column="study_id")),
    "kb_repository": ("host, full_name, framework_id", IN_REPOSITORY.format(column="id")),
    "kb_framework": ("slug, name", IN_REPOSITORY.format(column="framework_id")),
}

# Equal notifications of one transaction are sent once.
FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    INSERT INTO public.kb_searchchange (issue_id) {issues};
    IF FOUND THEN PERFORM pg_notify('kb_search', ''); END IF;
    RETURN NULL;
END $$;
"""
BOTH_STATES = """
    WITH changed AS (
        (SELECT id, {columns} FROM new_rows EXCEPT ALL SELECT id, {columns} FROM old_rows)
        UNION ALL
        (SELECT id, {columns} FROM old_rows EXCEPT ALL SELECT id, {columns} FROM new_rows)
    )
"""
# No row moves to another id, so that its new state says enough.
NEW_STATE = """
    WITH changed AS (
        SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE ({new}) IS DISTINCT FROM ({old})
    )
"""


def _columns(columns: str, table: str) -> str:
    return ", ".join(f"{table}.{name}" for name in columns.split(", "))


def _update_function(table: str, columns: str, issues: str) -> str:
    changed = (
        BOTH_STATES.format(columns=columns)
        if "issue_id" in columns
        else NEW_STATE.format(new=_columns(columns, "n"), old=_columns(columns, "o"))
    )
    body = issues.strip()
    if body.startswith("WITH RECURSIVE"):
        changed = changed.replace("WITH changed", "WITH RECURSIVE changed", 1).rstrip() + ","
        body = body.removeprefix("WITH RECURSIVE")
    return FUNCTION.format(name=f"kb_search_{table}_update", issues=f"{changed} {body}")


def _statements() -> str:
    parts = []
    for table, column in ROWS.items():
        for event, state in (("insert", "NEW"), ("delete", "OLD")):
            name = f"kb_search_{table}_{event}"
            parts.append(FUNCTION.format(name=name, issues=ITSELF.format(column=column)))
            parts.append(
                f"CREATE TRIGGER search_{event} AFTER {event.upper()} ON {table} REFERENCING {state} TABLE AS changed "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {name}();"
            )
    for table, (columns, issues) in UPDATES.items():
        parts.append(_update_function(table, columns, issues))
        parts.append(
            f"CREATE TRIGGER search_update AFTER UPDATE ON {table} "
            "REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows "
            f"FOR EACH STATEMENT EXECUTE FUNCTION kb_search_{table}_update();"
        )
    return "\n".join(parts)


def _dropped() -> str:
    """The functions; their triggers go with them."""
    names = [f"kb_search_{table}_{event}" for table in ROWS for event in ("insert", "delete")]
    return f"DROP FUNCTION {', '.join([*names, *(f'kb_search_{table}_update' for table in UPDATES)])} CASCADE"


class Migration(migrations.Migration):
    """The tables, then the triggers that fill the outbox."""

    dependencies = [
        ("kb", "0004_digests"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issue_id", models.BigIntegerField()),
                ("changed_at", models.DateTimeField(db_default=django.contrib.postgres.functions.TransactionNow())),
                (
                    "fed",
                    models.BooleanField(
                        db_default=False, help_text="The index in use has it; kept for the one that is being built."
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SearchBuild",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=120)),
                ("asked_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "last_id",
                    models.BigIntegerField(
                        db_default=0, help_text="Issues up to this one are in the index being built."
                    ),
                ),
                ("done", models.BigIntegerField(db_default=0)),
                ("total", models.BigIntegerField(db_default=0)),
                (
                    "made_of",
                    models.CharField(
                        blank=True,
                        help_text="Stands for the program and the database it was built from.",
                        max_length=64,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("finished_at__isnull", True)),
                        fields=("finished_at",),
                        name="searchbuild_one_at_a_time",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchIndexer",
            fields=[
                ("only", models.BooleanField(default=True, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
                ("problem", models.TextField(blank=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("only", True)), name="searchindexer_one_row")
                ],
            },
        ),
        migrations.RunSQL(_statements(), _dropped()),
    ]
