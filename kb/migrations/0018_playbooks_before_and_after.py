"""A playbook's example is two sides of code in a language, and no Markdown any more. The codebook's files bring it.

Fix patterns are counted from an index of their own.
"""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

LANGUAGES = [('python', 'Python'), ('cpp', 'C++'), ('bash', 'Shell'), ('yaml', 'YAML'), ('json', 'JSON'), ('toml', 'TOML'), ('ini', 'INI'), ('dockerfile', 'Dockerfile'), ('markdown', 'Markdown'), ('text', 'Text')]


def fields() -> dict[str, models.Field]:
    return {
        "before": models.TextField(blank=True, help_text="Code or settings with the fault, at most 14 lines."),
        "after": models.TextField(blank=True, help_text="The same after the pattern."),
        "example_note": models.TextField(blank=True, help_text="What the example shows: one or two sentences."),
        "example_language": models.CharField(blank=True, choices=LANGUAGES, max_length=12),
    }


class Migration(migrations.Migration):
    dependencies = [("kb", "0016_cause_links_follow")]
    operations = [
        migrations.AddIndex(
            model_name="issuefacts",
            index=models.Index(
                condition=models.Q(("holder", 0), ("is_pull", False)),
                fields=["fix"],
                include=("issue_id", "framework_id", "symptom", "cause"),
                name="facts_patterns",
            ),
        ),
        pgtrigger.migrations.RemoveTrigger(model_name="playbook", name="insert_insert"),
        pgtrigger.migrations.RemoveTrigger(model_name="playbook", name="update_update"),
        *[migrations.RemoveField(model_name=table, name="example") for table in ("playbook", "playbookevent")],
        *[
            migrations.AddField(model_name=table, name=name, field=field)
            for table in ("playbook", "playbookevent")
            for name, field in fields().items()
        ],
        pgtrigger.migrations.AddTrigger(
            model_name='playbook',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_playbookevent" ("after", "applies_when", "before", "caveats", "example_language", "example_note", "id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "steps") SELECT new_values."after", new_values."applies_when", new_values."before", new_values."caveats", new_values."example_language", new_values."example_note", new_values."id", new_values."node_id", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."steps" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='44f0a42e77cdc59ac6e372a75cb526b647de89c8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_816d9', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_playbook', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='playbook',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_playbookevent" ("after", "applies_when", "before", "caveats", "example_language", "example_note", "id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "steps") SELECT new_values."after", new_values."applies_when", new_values."before", new_values."caveats", new_values."example_language", new_values."example_note", new_values."id", new_values."node_id", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."steps" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='ccee810295569749f3160ca9354030218c27344a', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_6dea1', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_playbook', when='AFTER')),
        ),
        migrations.AddConstraint(
            model_name='playbook',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('after', ''), ('before', ''), ('example_language', ''), ('example_note', '')), models.Q(models.Q(('before', ''), _negated=True), models.Q(('after', ''), _negated=True), models.Q(('example_note', ''), _negated=True), models.Q(('example_language', ''), _negated=True)), _connector='OR'), name='playbook_example_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='playbook',
            constraint=models.CheckConstraint(condition=models.Q(('before', ''), models.Q(('before', models.F('after')), _negated=True), _connector='OR'), name='playbook_example_shows_a_change'),
        ),
    ]
