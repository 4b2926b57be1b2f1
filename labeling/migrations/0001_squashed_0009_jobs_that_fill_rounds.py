"""The tables of labeling.

Replaces the migrations up to 0009, which older databases have.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from kb.migrations._together import Together



class Migration(Together):

    replaces = [('labeling', '0001_tables'), ('labeling', '0002_answers_belong_together'), ('labeling', '0003_screening_and_names'), ('labeling', '0004_results'), ('labeling', '0005_acceptances'), ('labeling', '0006_only_demos_go'), ('labeling', '0007_proposals_stand'), ('labeling', '0008_rounds_keep_to_their_project'), ('labeling', '0009_jobs_that_fill_rounds')]

    initial = True

    dependencies = [
        ('kb', '0002_squashed_0026_two_readings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        *[
            migrations.CreateModel(
                name='Project',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=120)),
                    ('question', models.TextField(help_text='What the project wants to find out.')),
                    ('is_demo', models.BooleanField(default=False, help_text='Made to try things out; can be removed as a whole.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('archived_at', models.DateTimeField(blank=True, null=True)),
                    ('shows_comments', models.BooleanField(db_default=False, default=False, help_text='Do rounds prepared from now on show what was said below an issue?')),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('name', 'pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('slug__in', ('api', 'join', 'new')), _negated=True), name='project_slug_is_not_reserved')],
                },
            ),
            migrations.CreateModel(
                name='ProjectAxis',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.SlugField(max_length=30)),
                    ('name', models.CharField(max_length=60)),
                    ('question', models.TextField(blank=True)),
                    ('several', models.BooleanField(help_text='May an issue carry several nodes of this axis?')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.axis')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='axes', to='labeling.project')),
                ],
                options={
                    'verbose_name_plural': 'project axes',
                    'ordering': ('project', 'position'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'code'), name='projectaxis_code_unique'), models.UniqueConstraint(fields=('id', 'several'), name='projectaxis_id_several_unique'), models.UniqueConstraint(fields=('id', 'project'), name='projectaxis_id_project_unique')],
                },
            ),
            migrations.CreateModel(
                name='Codebook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('change', models.TextField(blank=True, help_text='What is new in this version, and why.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='codebooks', to='labeling.project')),
                ],
                options={
                    'ordering': ('project', '-number'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='codebook_number_unique'), models.UniqueConstraint(fields=('id', 'project'), name='codebook_id_project_unique')],
                },
            ),
            migrations.CreateModel(
                name='Member',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('lead', 'Lead'), ('annotator', 'Annotator'), ('adjudicator', 'Adjudicator'), ('observer', 'Observer')], max_length=12), size=None)),
                    ('is_senior', models.BooleanField(default=False, help_text='Counts where a round wants an experienced annotator.')),
                    ('pseudonym', models.CharField(help_text='Stands for the person in exports and releases.', max_length=30)),
                    ('shows_name', models.BooleanField(default=False, help_text='May the name be shown beside published results?')),
                    ('joined_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('left_at', models.DateTimeField(blank=True, null=True)),
                    ('is_pseudonymous', models.BooleanField(default=False, help_text='The team, too, sees the pseudonym only.')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='labeling.project')),
                ],
                options={
                    'ordering': ('project', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='member_project_user_unique'), models.UniqueConstraint(fields=('project', 'pseudonym'), name='member_project_pseudonym_unique'), models.CheckConstraint(condition=models.Q(('roles__contained_by', ['lead', 'annotator', 'adjudicator', 'observer']), ('roles__len__gt', 0)), name='member_has_known_roles'), models.CheckConstraint(condition=models.Q(('shows_name', False), ('is_pseudonymous', False), _connector='OR'), name='member_shows_name_or_hides_it')],
                },
            ),
            migrations.CreateModel(
                name='Guideline',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('text', models.TextField(help_text='Markdown.')),
                    ('change', models.TextField(blank=True, help_text='What is new in this version, and why.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.member')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='guidelines', to='labeling.project')),
                ],
                options={
                    'ordering': ('project', '-number'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='guideline_number_unique')],
                },
            ),
            migrations.CreateModel(
                name='ProjectNode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.CharField(max_length=64)),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='nodes', to='labeling.projectaxis')),
                    ('node', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                ],
                options={
                    'ordering': ('axis', 'code'),
                    'constraints': [models.UniqueConstraint(fields=('axis', 'code'), name='projectnode_code_unique'), models.UniqueConstraint(fields=('id', 'axis'), name='projectnode_id_axis_unique')],
                },
            ),
            migrations.CreateModel(
                name='Exclusion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='labeling.project')),
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectnode')),
                    ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='labeling.round')),
                ],
                options={
                    'ordering': ('round', 'node'),
                    'constraints': [models.UniqueConstraint(fields=('round', 'node'), name='exclusion_round_node_unique')],
                },
            ),
            migrations.CreateModel(
                name='Round',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('kind', models.CharField(choices=[('screening', 'Screening'), ('pilot', 'Pilot'), ('main', 'Main'), ('recheck', 'Recheck')], max_length=9)),
                    ('name', models.CharField(max_length=80)),
                    ('state', models.CharField(choices=[('draft', 'Being prepared'), ('open', 'Open for votes'), ('closed', 'Closed')], default='draft', max_length=6)),
                    ('votes_wanted', models.PositiveSmallIntegerField(default=2)),
                    ('seniors_wanted', models.PositiveSmallIntegerField(default=0, help_text='Votes of seniors that every issue needs.')),
                    ('rule', models.CharField(choices=[('majority', 'Majority'), ('unanimous', 'Unanimous'), ('third_expert', 'A third expert settles'), ('discussion', 'Discussion first, then majority')], default='majority', max_length=12)),
                    ('release', models.CharField(choices=[('round', 'When the round closes'), ('issue', 'As soon as an issue has all its votes')], default='round', max_length=5)),
                    ('hold_minutes', models.PositiveSmallIntegerField(default=60, help_text='How long an issue is kept for somebody.')),
                    ('deadline', models.DateField(blank=True, null=True)),
                    ('gate_measure', models.CharField(blank=True, choices=[('percent', 'Percent agreement'), ('cohen', "Cohen's κ, mean of the pairs"), ('fleiss', "Fleiss' κ"), ('alpha', "Krippendorff's α"), ('ac1', "Gwet's AC1")], max_length=7)),
                    ('gate_at_least', models.FloatField(blank=True, null=True)),
                    ('sample', models.JSONField(blank=True, default=dict, help_text='How the issues were drawn: kind, query, seed, size.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('opened_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('shows_comments', models.BooleanField(db_default=False, default=False, help_text='Is what was said below an issue frozen with it? As the project had it.')),
                    ('annotators', models.ManyToManyField(blank=True, help_text='Nobody: all annotators.', related_name='rounds', to='labeling.member')),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='labeling.codebook')),
                    ('excluding', models.ManyToManyField(blank=True, help_text='Screening: the answers by which a vote excludes an issue.', related_name='+', through='labeling.Exclusion', to='labeling.projectnode')),
                    ('gate_round', models.ForeignKey(blank=True, help_text='Must come before.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gated', to='labeling.round')),
                    ('guideline', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='labeling.guideline')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='labeling.project')),
                ],
                options={
                    'ordering': ('project', 'number'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='round_number_unique'), models.CheckConstraint(condition=models.Q(('votes_wanted__gte', 1), ('votes_wanted__lte', 30)), name='round_wants_some_votes'), models.CheckConstraint(condition=models.Q(('seniors_wanted__lte', models.F('votes_wanted'))), name='round_seniors_are_among_votes'), models.CheckConstraint(condition=models.Q(('hold_minutes__gte', 1)), name='round_holds_for_a_while'), models.CheckConstraint(condition=models.Q(models.Q(('gate_at_least', None), ('gate_measure', ''), ('gate_round', None)), models.Q(models.Q(('gate_measure', ''), _negated=True), ('gate_at_least__isnull', False), ('gate_round__isnull', False)), _connector='OR'), name='round_gate_is_whole'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('opened_at', None), ('state', 'draft')), models.Q(('closed_at', None), ('opened_at__isnull', False), ('state', 'open')), models.Q(('closed_at__isnull', False), ('opened_at__isnull', False), ('state', 'closed')), _connector='OR'), name='round_state_has_its_dates'), models.UniqueConstraint(fields=('id', 'project'), name='round_id_project_unique')],
                },
            ),
            migrations.CreateModel(
                name='Snapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text_hash', models.CharField(max_length=64)),
                    ('content', models.JSONField(help_text='title, body, state, dates, host labels, fixes; comments.')),
                    ('taken_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='kb.issue')),
                ],
                options={
                    'ordering': ('issue', '-taken_at'),
                    'constraints': [models.UniqueConstraint(fields=('issue', 'text_hash'), name='snapshot_issue_hash_unique'), models.UniqueConstraint(fields=('id', 'issue'), name='snapshot_id_issue_unique')],
                },
            ),
            migrations.CreateModel(
                name='Item',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField(help_text='The order of the sample.')),
                    ('released_at', models.DateTimeField(blank=True, null=True)),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='kb.issue')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='labeling.round')),
                    ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.snapshot')),
                ],
                options={
                    'ordering': ('round', 'position'),
                    'constraints': [models.UniqueConstraint(fields=('round', 'issue'), name='item_round_issue_unique'), models.UniqueConstraint(fields=('round', 'position'), name='item_round_position_unique')],
                },
            ),
            migrations.CreateModel(
                name='Slot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('for_senior', models.BooleanField(default=False)),
                    ('reserved_until', models.DateTimeField(blank=True, help_text='Empty once the vote is in.', null=True)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='labeling.item')),
                    ('member', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='labeling.member')),
                    ('only_for', models.ForeignKey(blank=True, help_text='Kept for this person.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.member')),
                ],
                options={
                    'ordering': ('item', 'number'),
                    'indexes': [models.Index(fields=['reserved_until'], name='slot_reserved_until')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'number'), name='slot_item_number_unique'), models.UniqueConstraint(fields=('item', 'member'), name='slot_item_member_unique'), models.UniqueConstraint(fields=('id', 'item', 'member'), name='slot_id_item_member_unique'), models.CheckConstraint(condition=models.Q(('number__gte', 1), ('number__lte', 30)), name='slot_number_is_small'), models.CheckConstraint(condition=models.Q(('reserved_until', None), ('member__isnull', False), _connector='OR'), name='slot_reserved_for_somebody'), models.CheckConstraint(condition=models.Q(('only_for', None), ('member', None), ('member', models.F('only_for')), _connector='OR'), name='slot_kept_for_its_person')],
                },
            ),
            migrations.CreateModel(
                name='Vote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('confidence', models.PositiveSmallIntegerField(choices=[(1, 'Unsure'), (2, 'Fairly sure'), (3, 'Sure')])),
                    ('note', models.TextField(blank=True, help_text='For the adjudicator.')),
                    ('rule_reasons', models.JSONField(blank=True, default=dict, help_text='Cross rule -> why the vote goes against it.')),
                    ('active_seconds', models.PositiveIntegerField(default=0)),
                    ('receipt', models.CharField(max_length=16, unique=True)),
                    ('submitted_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='labeling.codebook')),
                    ('guideline', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='labeling.guideline')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='labeling.member')),
                    ('slot', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='vote', to='labeling.slot')),
                ],
                options={
                    'ordering': ('submitted_at', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('item', 'member'), name='vote_item_member_unique'), models.CheckConstraint(condition=models.Q(('confidence__in', [1, 2, 3])), name='vote_confidence_known')],
                },
            ),
            migrations.CreateModel(
                name='Answer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('is_undecidable', models.BooleanField(default=False, help_text='The report does not tell.')),
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                    ('vote', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='labeling.vote')),
                ],
                options={
                    'ordering': ('vote', 'axis__position'),
                    'constraints': [models.UniqueConstraint(fields=('vote', 'axis'), name='answer_vote_axis_unique'), models.UniqueConstraint(fields=('id', 'axis'), name='answer_id_axis_unique')],
                },
            ),
            migrations.CreateModel(
                name='NodeVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('name', models.CharField(max_length=160)),
                    ('definition', models.TextField()),
                    ('include', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('exclude', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('examples', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='labeling.projectnode')),
                    ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectnode')),
                ],
                options={
                    'ordering': ('axis', 'position', 'node', 'number'),
                    'constraints': [models.UniqueConstraint(fields=('node', 'number'), name='nodeversion_number_unique'), models.UniqueConstraint(fields=('id', 'axis'), name='nodeversion_id_axis_unique'), models.UniqueConstraint(fields=('id', 'node'), name='nodeversion_id_node_unique')],
                },
            ),
            migrations.CreateModel(
                name='Acceptance',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('how', models.CharField(choices=[('unanimous', 'All votes were the same'), ('majority', 'Majority of the votes'), ('discussion', 'Majority after discussion'), ('adjudication', 'Adjudicator')], max_length=12)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.member')),
                    ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='labeling.round')),
                ],
                options={
                    'ordering': ('round', '-number'),
                    'constraints': [models.UniqueConstraint(fields=('round', 'number'), name='acceptance_number_unique'), models.CheckConstraint(condition=models.Q(('how', 'adjudication'), _negated=True), name='acceptance_is_by_votes')],
                },
            ),
            migrations.CreateModel(
                name='Job',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('publish', 'Publishing'), ('withdraw', 'Withdrawing'), ('release', 'Making a release'), ('import', 'Importing votes'), ('fill', 'Giving a round its issues')], max_length=8)),
                    ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=7)),
                    ('arguments', models.JSONField(blank=True, default=dict)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('total', models.PositiveIntegerField(default=0)),
                    ('result', models.JSONField(blank=True, default=dict, help_text='What came of it: counts, and what it made.')),
                    ('message', models.TextField(blank=True, help_text='Why it failed.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('member', models.ForeignKey(help_text='Who asked for it.', on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='labeling.member')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='labeling.project')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('waiting', 'running'))), fields=('project', 'kind'), name='job_one_at_a_time'), models.CheckConstraint(condition=models.Q(('done__lte', models.F('total'))), name='job_done_is_of_total'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('done', 'failed'))), models.Q(('finished_at', None), ('state__in', ('waiting', 'running'))), _connector='OR'), name='job_finished_is_dated')],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('lead', 'Lead'), ('annotator', 'Annotator'), ('adjudicator', 'Adjudicator'), ('observer', 'Observer')], max_length=12), size=None)),
                    ('is_senior', models.BooleanField(default=False)),
                    ('token_hash', models.CharField(max_length=64, unique=True)),
                    ('note', models.CharField(blank=True, help_text="Whom it is for, in the lead's own words.", max_length=120)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('expires_at', models.DateTimeField()),
                    ('uses_left', models.PositiveSmallIntegerField(default=1)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.member')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='labeling.project')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('roles__contained_by', ['lead', 'annotator', 'adjudicator', 'observer']), ('roles__len__gt', 0)), name='invitation_has_known_roles'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='invitation_expires_later')],
                },
            ),
            migrations.CreateModel(
                name='Post',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField(help_text='Markdown.')),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='posts', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='posts', to='labeling.member')),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                ],
                options={
                    'ordering': ('created_at', 'pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='post_is_not_empty')],
                },
            ),
            migrations.CreateModel(
                name='Opinion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('is_undecidable', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('reason', models.TextField(blank=True)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='opinions', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='opinions', to='labeling.member')),
                    ('versions', models.ManyToManyField(related_name='+', to='labeling.nodeversion')),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                ],
                options={
                    'ordering': ('created_at', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('item', 'axis', 'member'), name='opinion_item_axis_member_unique')],
                },
            ),
            migrations.CreateModel(
                name='Decision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('how', models.CharField(choices=[('unanimous', 'All votes were the same'), ('majority', 'Majority of the votes'), ('discussion', 'Majority after discussion'), ('adjudication', 'Adjudicator')], max_length=12)),
                    ('is_undecidable', models.BooleanField(default=False)),
                    ('votes', models.PositiveSmallIntegerField(help_text='How many votes there were.')),
                    ('support', models.PositiveSmallIntegerField(help_text='How many of them gave exactly this answer.')),
                    ('cause', models.CharField(blank=True, choices=[('guideline', 'The guidelines have a gap'), ('report', 'The report is ambiguous'), ('slip', 'Somebody slipped'), ('node', 'A category is missing'), ('overlap', 'Categories overlap'), ('other', 'Something else')], max_length=9)),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('reopened_at', models.DateTimeField(blank=True, null=True)),
                    ('reopened_because', models.TextField(blank=True)),
                    ('acceptance', models.ForeignKey(blank=True, help_text='The acceptance in bulk that it came by.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='labeling.acceptance')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='labeling.item')),
                    ('adjudicator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='labeling.member')),
                    ('reopened_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.member')),
                    ('versions', models.ManyToManyField(related_name='+', to='labeling.nodeversion')),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                ],
                options={
                    'ordering': ('item', 'axis__position', 'created_at'),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('reopened_at', None)), fields=('item', 'axis'), name='decision_item_axis_unique'), models.CheckConstraint(condition=models.Q(models.Q(('adjudicator__isnull', False), ('how', 'adjudication'), models.Q(('reason', ''), _negated=True), models.Q(('cause', ''), _negated=True)), models.Q(models.Q(('how', 'adjudication'), _negated=True), ('adjudicator', None), ('cause', '')), _connector='OR'), name='decision_adjudicated_with_reason'), models.CheckConstraint(condition=models.Q(models.Q(('reopened_at', None), ('reopened_because', ''), ('reopened_by', None)), models.Q(('reopened_at__isnull', False), ('reopened_by__isnull', False), models.Q(('reopened_because', ''), _negated=True)), _connector='OR'), name='decision_reopened_with_reason'), models.CheckConstraint(condition=models.Q(('acceptance', None), models.Q(('how', 'adjudication'), _negated=True), _connector='OR'), name='decision_accepted_by_votes')],
                },
            ),
            migrations.CreateModel(
                name='AnswerNode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('several', models.BooleanField(help_text='As its axis says.')),
                    ('answer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='nodes', to='labeling.answer')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='labeling.nodeversion')),
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                ],
                options={
                    'ordering': ('answer', 'version__position'),
                    'constraints': [models.UniqueConstraint(fields=('answer', 'version'), name='answernode_version_unique'), models.UniqueConstraint(condition=models.Q(('several', False)), fields=('answer',), name='answernode_only_one')],
                },
            ),
            migrations.CreateModel(
                name='CrossRule',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('requires', 'needs one of'), ('excludes', 'does not go with')], max_length=8)),
                    ('reason', models.TextField(help_text='Shown to who votes against it.')),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cross_rules', to='labeling.project')),
                    ('others', models.ManyToManyField(related_name='+', to='labeling.projectnode')),
                    ('when', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectnode')),
                ],
                options={
                    'ordering': ('project', 'pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='crossrule_has_reason')],
                },
            ),
            migrations.CreateModel(
                name='CodebookNode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='labeling.codebook')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='labeling.nodeversion')),
                    ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectnode')),
                ],
                options={
                    'ordering': ('codebook', 'version__axis', 'version__position', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('codebook', 'node'), name='codebooknode_node_unique'), models.UniqueConstraint(fields=('codebook', 'version'), name='codebooknode_version_unique')],
                },
            ),
            migrations.CreateModel(
                name='Proposal',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('add', 'Add a category'), ('rename', 'Rename a category'), ('redefine', 'Redefine a category'), ('merge', 'Merge categories into one'), ('split', 'Split a category'), ('retire', 'Retire a category')], max_length=8)),
                    ('wording', models.JSONField(blank=True, default=list, help_text='New wordings: code, name, definition ...')),
                    ('reason', models.TextField()),
                    ('rule', models.CharField(choices=[('unanimous', 'Everybody entitled agrees'), ('majority', 'More than half of those entitled agree')], default='unanimous', max_length=9)),
                    ('state', models.CharField(choices=[('draft', 'Being written'), ('vote', 'Put to the vote'), ('accepted', 'Accepted'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='labeling.member')),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='labeling.projectaxis')),
                    ('codebook', models.OneToOneField(blank=True, help_text='What it led to.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposal', to='labeling.codebook')),
                    ('electorate', models.ManyToManyField(blank=True, help_text='Entitled, from the start.', related_name='+', to='labeling.member')),
                    ('evidence', models.ManyToManyField(blank=True, related_name='+', to='kb.issue')),
                    ('into', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectnode')),
                    ('nodes', models.ManyToManyField(blank=True, related_name='+', to='labeling.projectnode')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='labeling.project')),
                    ('recheck', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposal', to='labeling.round')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='proposal_has_reason'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('state__in', ('accepted', 'rejected'))), models.Q(models.Q(('state__in', ('accepted', 'rejected')), _negated=True), ('decided_at', None)), _connector='OR'), name='proposal_decision_is_dated'), models.CheckConstraint(condition=models.Q(models.Q(('codebook__isnull', False), ('state', 'accepted')), models.Q(models.Q(('state', 'accepted'), _negated=True), ('codebook', None)), _connector='OR'), name='proposal_accepted_has_codebook')],
                },
            ),
            migrations.CreateModel(
                name='ProposalVote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('agrees', models.BooleanField()),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposal_votes', to='labeling.member')),
                    ('proposal', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='labeling.proposal')),
                ],
                options={
                    'ordering': ('created_at', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('proposal', 'member'), name='proposalvote_unique'), models.CheckConstraint(condition=models.Q(('agrees', True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='proposalvote_against_has_reason')],
                },
            ),
            migrations.CreateModel(
                name='Publication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('published_at', models.DateTimeField(blank=True, help_text='When it was last brought up to date.', null=True)),
                    ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='publication', to='labeling.project')),
                    ('source', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.source')),
                ],
                options={
                    'ordering': ('project',),
                },
            ),
            migrations.CreateModel(
                name='Release',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('title', models.CharField(max_length=160)),
                    ('authors', models.TextField(help_text='One on each line, as they are to be cited.')),
                    ('licence', models.CharField(max_length=40)),
                    ('note', models.TextField(blank=True, help_text='What is new in it.')),
                    ('issues', models.PositiveIntegerField()),
                    ('votes', models.PositiveIntegerField()),
                    ('state_hash', models.CharField(help_text='SHA-256 of the results, without number, title or note.', max_length=64)),
                    ('sha256', models.CharField(help_text='Of the archive.', max_length=64)),
                    ('size', models.PositiveIntegerField(help_text='Bytes of the archive.')),
                    ('archive', models.BinaryField()),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.codebook')),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='labeling.member')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='labeling.project')),
                ],
                options={
                    'ordering': ('project', '-number'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='release_number_unique')],
                },
            ),
            migrations.CreateModel(
                name='ReleaseKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=64)),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='release_key', to='labeling.project')),
                ],
                options={
                    'ordering': ('project',),
                },
            ),
            migrations.CreateModel(
                name='Revision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('is_undecidable', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='labeling.member')),
                    ('versions', models.ManyToManyField(related_name='+', to='labeling.nodeversion')),
                ],
                options={
                    'ordering': ('created_at', 'pk'),
                },
            ),
            migrations.CreateModel(
                name='Evidence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('part', models.CharField(help_text='title or body', max_length=20)),
                    ('start', models.PositiveIntegerField()),
                    ('end', models.PositiveIntegerField()),
                    ('quote', models.TextField()),
                    ('axis', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.projectaxis')),
                    ('vote', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='labeling.vote')),
                ],
                options={
                    'verbose_name_plural': 'evidence',
                    'ordering': ('vote', 'part', 'start'),
                    'constraints': [models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='evidence_is_not_empty')],
                },
            ),
            migrations.CreateModel(
                name='VoteImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(help_text='What the round is to be called.', max_length=80)),
                    ('filename', models.CharField(max_length=200)),
                    ('format', models.CharField(choices=[('long_csv', 'CSV, a line for each answer'), ('wide_csv', 'CSV, a column for each annotator'), ('long_jsonl', 'JSON lines, a line for each answer'), ('wide_jsonl', 'JSON lines, a line for each issue'), ('doccano', 'doccano, JSON lines'), ('label_studio', 'Label Studio, JSON')], max_length=12)),
                    ('options', models.JSONField(blank=True, default=dict, help_text='Axis of the file, columns to leave out.')),
                    ('people', models.JSONField(blank=True, default=dict, help_text='Annotator in the file -> member, or nobody.')),
                    ('content', models.BinaryField()),
                    ('report', models.JSONField(blank=True, default=dict, help_text='What the dry run found.')),
                    ('sha256', models.CharField(help_text='Of the file, its format and its options.', max_length=64)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.codebook')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to='labeling.member')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to='labeling.project')),
                    ('round', models.OneToOneField(blank=True, help_text='What it led to.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='vote_import', to='labeling.round')),
                ],
                options={
                    'ordering': ('project', '-created_at', '-pk'),
                    'constraints': [models.UniqueConstraint(fields=('project', 'sha256'), name='voteimport_file_once'), models.CheckConstraint(condition=models.Q(('finished_at', None), ('round__isnull', False), _connector='OR'), name='voteimport_finished_has_round')],
                },
            ),
            migrations.CreateModel(
                name='Draft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('content', models.JSONField(default=dict)),
                    ('revision', models.PositiveIntegerField(default=0, help_text='Goes up with every save, so that tabs notice.')),
                    ('active_seconds', models.PositiveIntegerField(default=0, help_text='Time at work, idle time left out.')),
                    ('updated_at', models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now())),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='labeling.member')),
                ],
                options={
                    'ordering': ('-updated_at', '-pk'),
                    'constraints': [models.UniqueConstraint(fields=('item', 'member'), name='draft_item_member_unique')],
                },
            ),
            migrations.CreateModel(
                name='Pass',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('skip', 'Skipped'), ('flag', 'Flagged')], max_length=4)),
                    ('reason', models.TextField()),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('taken_back_at', models.DateTimeField(blank=True, null=True)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='passes', to='labeling.item')),
                    ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='passes', to='labeling.member')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('taken_back_at', None)), fields=('item', 'member'), name='pass_item_member_unique'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='pass_has_reason')],
                },
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='project',
                trigger=pgtrigger.compiler.Trigger(name='demo_for_ever_or_never', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."is_demo" IS DISTINCT FROM (NEW."is_demo"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='66e8dd214bb866492cd672b062a75b798176339a', operation='UPDATE', pgid='pgtrigger_demo_for_ever_or_never_4da97', table='labeling_project', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='project',
                trigger=pgtrigger.compiler.Trigger(name='only_a_demo_goes', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NOT OLD."is_demo")', func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;", hash='63a9550d9bc0c89ad6af839adaf92fe05732e088', operation='DELETE', pgid='pgtrigger_only_a_demo_goes_6a322', table='labeling_project', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='guideline',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='4379363ea965f5f5224ac3f1e3c28ff764875e8c', operation='UPDATE', pgid='pgtrigger_never_changed_5a09d', table='labeling_guideline', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='codebook',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='f3836c639e857a3199215d17fa1c567cf24f936d', operation='UPDATE', pgid='pgtrigger_never_changed_1e1d1', table='labeling_codebook', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='post',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='22af81af39bcae47ee9d5f78b71a0e8b047f0c36', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_ab359', table='labeling_post', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='opinion',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='3b5c11a6a114b1321dd8f0969928b5ab93f1cdd3', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_93ff3', table='labeling_opinion', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='decision',
                trigger=pgtrigger.compiler.Trigger(name='never_deleted', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;", hash='5bcb78bfb5842dbfb9491e56e1cdb05c463e5905', operation='DELETE', pgid='pgtrigger_never_deleted_88951', table='labeling_decision', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='decision',
                trigger=pgtrigger.compiler.Trigger(name='released_and_independent', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_vote v\n                        WHERE v.item_id = NEW.item_id AND v.member_id = NEW.adjudicator_id\n                    ) THEN\n                        RAISE EXCEPTION 'an annotator of the item may not adjudicate it'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF EXISTS (\n                        SELECT 1 FROM labeling_item i WHERE i.id = NEW.item_id AND i.released_at IS NULL\n                    ) THEN\n                        RAISE EXCEPTION 'an item is decided after its release' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='78f5892756783a0b38714037d301d5692f5aa5e0', operation='INSERT', pgid='pgtrigger_released_and_independent_197c4', table='labeling_decision', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='decision',
                trigger=pgtrigger.compiler.Trigger(name='only_reopened', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."item_id" IS DISTINCT FROM (NEW."item_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."how" IS DISTINCT FROM (NEW."how") OR OLD."is_undecidable" IS DISTINCT FROM (NEW."is_undecidable") OR OLD."votes" IS DISTINCT FROM (NEW."votes") OR OLD."support" IS DISTINCT FROM (NEW."support") OR OLD."acceptance_id" IS DISTINCT FROM (NEW."acceptance_id") OR OLD."adjudicator_id" IS DISTINCT FROM (NEW."adjudicator_id") OR OLD."cause" IS DISTINCT FROM (NEW."cause") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='3e4a9583c6e8a783859af74ebf81274ce94450fa', operation='UPDATE', pgid='pgtrigger_only_reopened_d54d3', table='labeling_decision', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='answernode',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='3abc2254ff9f2c3f662bcbdcc059b9ad9ac98419', operation='UPDATE', pgid='pgtrigger_never_changed_20c2f', table='labeling_answernode', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='nodeversion',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='135ea80e512f006c6a00ddd499342f47a6469f99', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_34fb9', table='labeling_nodeversion', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='codebooknode',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='5795af125c6c9baf367e202c9aaef7e08bcdfea0', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_7798d', table='labeling_codebooknode', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='proposalvote',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='07e271f84c8e00547500b4f25795634e387842c6', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_74216', table='labeling_proposalvote', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='release',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='7a9db864f8f1de6ecd45ee6356749729aa4812f7', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_3f26c', table='labeling_release', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='revision',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='4024226e797fc73764dffd2e6c85cc58afc26e03', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_fc540', table='labeling_revision', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='round',
                trigger=pgtrigger.compiler.Trigger(name='shows_all_issues_alike', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."shows_comments" IS DISTINCT FROM (NEW."shows_comments"))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='9f7d3943b01b8800f5a33fd23b5895f854d5d265', operation='UPDATE', pgid='pgtrigger_shows_all_issues_alike_890fa', table='labeling_round', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='proposal',
                trigger=pgtrigger.compiler.Trigger(name='stands_once_put_to_vote', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NOT (OLD."state" = \'draft\') AND (OLD."project_id" IS DISTINCT FROM (NEW."project_id") OR OLD."axis_id" IS DISTINCT FROM (NEW."axis_id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."into_id" IS DISTINCT FROM (NEW."into_id") OR OLD."wording" IS DISTINCT FROM (NEW."wording") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."author_id" IS DISTINCT FROM (NEW."author_id") OR OLD."rule" IS DISTINCT FROM (NEW."rule")))', func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='1fabfde260aa80f1be6dbedff8b01917aa7437d4', operation='UPDATE', pgid='pgtrigger_stands_once_put_to_vote_8fe06', table='labeling_proposal', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='acceptance',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='43800470a5622675327f73b1b7cd8b39bf6b8d3e', operation='UPDATE OR DELETE', pgid='pgtrigger_never_changed_8e029', table='labeling_acceptance', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='snapshot',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='d8e3c15435cd6bcfd73e4ad4e5cc2650d74d1fe5', operation='UPDATE', pgid='pgtrigger_never_changed_e985a', table='labeling_snapshot', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='vote',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='c2296b4c0f700be9195c9ac618171a10c2b452be', operation='UPDATE', pgid='pgtrigger_never_changed_a5f75', table='labeling_vote', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='vote',
                trigger=pgtrigger.compiler.Trigger(name='open_items_only', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE touched bigint; released timestamptz;', func="\n                    touched := CASE TG_OP WHEN 'DELETE' THEN OLD.item_id ELSE NEW.item_id END;\n                    SELECT i.released_at INTO released FROM labeling_item i WHERE i.id = touched FOR SHARE;\n                    IF released IS NOT NULL THEN\n                        RAISE EXCEPTION 'the votes of a released item are settled' USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF TG_OP = 'DELETE' THEN\n                        RETURN OLD;\n                    END IF;\n                    RETURN NEW;\n                ", hash='2012b4736bc948864ed49ab30e1e70a040266f21', operation='INSERT OR DELETE', pgid='pgtrigger_open_items_only_67345', table='labeling_vote', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='evidence',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='3dfa3319b746d8cabfe31c3119e20a5ed21edd58', operation='UPDATE', pgid='pgtrigger_never_changed_178ce', table='labeling_evidence', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='answer',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='645aadd77f946d87cc0a051a6715c3b84b15d57f', operation='UPDATE', pgid='pgtrigger_never_changed_2bb50', table='labeling_answer', when='BEFORE')),
            ),
        ],
    ]
