"""How a source came to its answers, and which nodes a labeling project voted in."""

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kb', '0006_search_plans'),
    ]

    operations = [
        migrations.CreateModel(
            name='Provenance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.CharField(max_length=120)),
                ('round', models.CharField(max_length=80)),
                ('rule', models.CharField(help_text='By what rule votes were to become an outcome.', max_length=60)),
                ('codebook', models.PositiveSmallIntegerField(help_text="The version of the project's codebook.")),
                ('votes', models.PositiveSmallIntegerField(help_text='How many voted, each without seeing the others.')),
                ('support', models.PositiveSmallIntegerField(help_text='How many of them gave exactly the outcome.')),
                ('answers', models.JSONField(default=list, help_text='Each answer with its number of votes: [[text, votes], ...].')),
                ('agreement', models.FloatField(blank=True, help_text='The share of pairs of votes that are equal.', null=True)),
                ('posts', models.PositiveIntegerField(default=0, help_text='How much was said in the discussion.')),
                ('revised', models.PositiveSmallIntegerField(default=0, help_text='How many changed their answer after it.')),
                ('how', models.CharField(choices=[('unanimous', 'All votes were the same'), ('majority', 'The majority of the votes'), ('discussion', 'The majority after a discussion'), ('adjudication', 'An adjudicator')], max_length=12)),
                ('is_undecidable', models.BooleanField(default=False, help_text='The outcome is that the report does not tell.')),
                ('cause', models.CharField(blank=True, help_text="Why the votes differed, in the adjudicator's eyes.", max_length=60)),
                ('reason', models.TextField(blank=True, help_text="The adjudicator's.")),
                ('decided_on', models.DateField()),
                ('release', models.CharField(blank=True, help_text='The newest frozen release that holds it.', max_length=160)),
                ('people', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=160), blank=True, default=list, help_text='Who allow to be named.', size=None)),
            ],
            options={
                'verbose_name_plural': 'provenance',
                'ordering': ('issue', 'axis__position', 'source'),
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='node',
            name='insert_insert',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='node',
            name='update_update',
        ),
        migrations.AddField(
            model_name='node',
            name='voted_in_by',
            field=models.CharField(blank=True, help_text='The labeling project whose vote brought it in: no file knows it.', max_length=120),
        ),
        migrations.AddField(
            model_name='nodeevent',
            name='voted_in_by',
            field=models.CharField(blank=True, help_text='The labeling project whose vote brought it in: no file knows it.', max_length=120),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='node',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_nodeevent" ("aliases", "axis_id", "code", "definition", "examples", "exclude", "id", "include", "merged_into_id", "name", "no_crosswalk_reason", "note", "parent_id", "percent_of", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "position", "published_count", "published_percent", "published_trust", "specific_to_distributed", "status", "voted_in_by") SELECT new_values."aliases", new_values."axis_id", new_values."code", new_values."definition", new_values."examples", new_values."exclude", new_values."id", new_values."include", new_values."merged_into_id", new_values."name", new_values."no_crosswalk_reason", new_values."note", new_values."parent_id", new_values."percent_of", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."position", new_values."published_count", new_values."published_percent", new_values."published_trust", new_values."specific_to_distributed", new_values."status", new_values."voted_in_by" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='a8d85b559692e48709d35b6a8b879764ccdc3aa2', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_c6f7a', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_node', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='node',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_nodeevent" ("aliases", "axis_id", "code", "definition", "examples", "exclude", "id", "include", "merged_into_id", "name", "no_crosswalk_reason", "note", "parent_id", "percent_of", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "position", "published_count", "published_percent", "published_trust", "specific_to_distributed", "status", "voted_in_by") SELECT new_values."aliases", new_values."axis_id", new_values."code", new_values."definition", new_values."examples", new_values."exclude", new_values."id", new_values."include", new_values."merged_into_id", new_values."name", new_values."no_crosswalk_reason", new_values."note", new_values."parent_id", new_values."percent_of", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."position", new_values."published_count", new_values."published_percent", new_values."published_trust", new_values."specific_to_distributed", new_values."status", new_values."voted_in_by" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='ff915fcb110f811cecd4abaf39383f89f7d63c46', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_16fea', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_node', when='AFTER')),
        ),
        migrations.AddField(
            model_name='provenance',
            name='axis',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.axis'),
        ),
        migrations.AddField(
            model_name='provenance',
            name='issue',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='provenances', to='kb.issue'),
        ),
        migrations.AddField(
            model_name='provenance',
            name='source',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='provenances', to='kb.source'),
        ),
        migrations.AddConstraint(
            model_name='provenance',
            constraint=models.UniqueConstraint(fields=('issue', 'axis', 'source'), name='provenance_issue_axis_source_unique'),
        ),
        migrations.AddConstraint(
            model_name='provenance',
            constraint=models.CheckConstraint(condition=models.Q(('support__lte', models.F('votes'))), name='provenance_support_is_of_votes'),
        ),
        migrations.AddConstraint(
            model_name='provenance',
            constraint=models.CheckConstraint(condition=models.Q(('agreement', None), models.Q(('agreement__gte', 0), ('agreement__lte', 1)), _connector='OR'), name='provenance_agreement_is_share'),
        ),
        migrations.AddConstraint(
            model_name='provenance',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('how', 'adjudication'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='provenance_adjudicated_with_reason'),
        ),
    ]
