"""Answers to the survey of priorities, and the places of themes in them."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('kb', '0018_playbooks_before_and_after'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SurveyAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(blank=True, help_text="SHA-256 of what the person's browser keeps.", max_length=64)),
                ('role', models.CharField(choices=[('user', 'I use LLM frameworks'), ('developer', 'I develop LLM frameworks'), ('both', 'Both')], max_length=9)),
                ('experience', models.CharField(choices=[('under_1', 'Less than 1 year'), ('from_1_to_3', '1 to 3 years'), ('over_3', 'More than 3 years')], max_length=11)),
                ('sent_at', models.DateTimeField(auto_now_add=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('excluded_because', models.TextField(blank=True, help_text='Why it does not count. The person is told.')),
                ('excluded_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='SurveyPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.CharField(choices=[('A', 'Questions'), ('B', 'Requirements'), ('C', 'Bugs')], max_length=1)),
                ('rank', models.PositiveSmallIntegerField()),
                ('answer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='places', to='kb.surveyanswer')),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
            ],
            options={
                'ordering': ('answer', 'group', 'rank'),
            },
        ),
        migrations.AddConstraint(
            model_name='surveyanswer',
            constraint=models.UniqueConstraint(condition=models.Q(('token_digest', ''), _negated=True), fields=('token_digest',), name='surveyanswer_token'),
        ),
        migrations.AddConstraint(
            model_name='surveyanswer',
            constraint=models.CheckConstraint(condition=models.Q(('user__isnull', False), models.Q(('token_digest', ''), _negated=True), _connector='OR'), name='surveyanswer_is_somebodys'),
        ),
        migrations.AddConstraint(
            model_name='surveyanswer',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ('user', 'developer', 'both'))), name='surveyanswer_role_known'),
        ),
        migrations.AddConstraint(
            model_name='surveyanswer',
            constraint=models.CheckConstraint(condition=models.Q(('experience__in', ('under_1', 'from_1_to_3', 'over_3'))), name='surveyanswer_experience_known'),
        ),
        migrations.AddConstraint(
            model_name='surveyanswer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('excluded_at__isnull', True), ('excluded_because', '')), models.Q(('excluded_at__isnull', False), models.Q(('excluded_because', ''), _negated=True)), _connector='OR'), name='surveyanswer_excluded_with_reason'),
        ),
        migrations.AddConstraint(
            model_name='surveyplace',
            constraint=models.UniqueConstraint(fields=('answer', 'group', 'rank'), name='surveyplace_rank_once'),
        ),
        migrations.AddConstraint(
            model_name='surveyplace',
            constraint=models.UniqueConstraint(fields=('answer', 'node'), name='surveyplace_theme_once'),
        ),
        migrations.AddConstraint(
            model_name='surveyplace',
            constraint=models.CheckConstraint(condition=models.Q(('rank__gte', 1), ('rank__lte', 5)), name='surveyplace_rank_1_to_5'),
        ),
        migrations.AddConstraint(
            model_name='surveyplace',
            constraint=models.CheckConstraint(condition=models.Q(('group__in', ('A', 'B', 'C'))), name='surveyplace_group_known'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='surveyplace',
            trigger=pgtrigger.compiler.Trigger(name='themes_without_gaps', sql=pgtrigger.compiler.UpsertTriggerSql(func='\n                    IF EXISTS (\n                        SELECT 1 FROM new_places p JOIN kb_node n ON n.id = p.node_id\n                        JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id\n                        WHERE n.status <> \'active\' OR n.parent_id IS NOT NULL OR a.code <> \'theme\'\n                            OR s.study_id IS NOT NULL OR split_part(n.code, \'.\', 1) <> p."group"\n                    ) THEN\n                        RAISE EXCEPTION \'only active themes of the house codebook can be ranked, each in its own group\'\n                            USING ERRCODE = \'check_violation\';\n                    END IF;\n                    IF EXISTS (\n                        SELECT 1 FROM kb_surveyplace p\n                        WHERE p.answer_id IN (SELECT answer_id FROM new_places)\n                        GROUP BY p.answer_id, p."group" HAVING max(p.rank) <> count(*)\n                    ) THEN\n                        RAISE EXCEPTION \'a ranking leaves no place empty\' USING ERRCODE = \'check_violation\';\n                    END IF;\n                    RETURN NULL;\n                ', hash='db7184c9ab906a25d9c13f71c075c6bf17fa8096', level='STATEMENT', operation='INSERT', pgid='pgtrigger_themes_without_gaps_90d83', referencing='REFERENCING NEW TABLE AS new_places ', table='kb_surveyplace', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='surveyplace',
            trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='faa500420c6a23d1df02200985c3f7508c5146bb', operation='UPDATE', pgid='pgtrigger_never_changed_45bcb', table='kb_surveyplace', when='BEFORE')),
        ),
    ]
