"""The tables of imports and mirrors.

Replaces the migrations up to 0003, which older databases have.
"""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from kb.migrations._together import Together



class Migration(Together):

    replaces = [('ingest', '0001_initial'), ('ingest', '0002_mirrors'), ('ingest', '0003_suggestion_marks')]

    initial = True

    dependencies = [
        ('kb', '0002_squashed_0026_two_readings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        *[
            migrations.CreateModel(
                name='KeywordList',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=80, unique=True)),
                    ('words', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), help_text='One is enough; whatever its case.', size=None)),
                    ('note', models.TextField(blank=True)),
                ],
                options={
                    'ordering': ('name',),
                },
            ),
            migrations.CreateModel(
                name='SuggestionMark',
                fields=[
                    ('issue', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='kb.issue')),
                    ('made_of', models.CharField(help_text="Stands for the text, the host's labels, the codebook's words and the rules.", max_length=32)),
                ],
            ),
            migrations.CreateModel(
                name='Delivery',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('guid', models.CharField(max_length=80, unique=True)),
                    ('host', models.CharField(choices=[('github.com', 'GitHub'), ('gitee.com', 'Gitee')], default='github.com', max_length=40)),
                    ('event', models.CharField(max_length=40)),
                    ('action', models.CharField(blank=True, max_length=40)),
                    ('repository', models.CharField(blank=True, max_length=200)),
                    ('ref', models.CharField(blank=True, max_length=20)),
                    ('received_at', models.DateTimeField(auto_now_add=True)),
                    ('handled_at', models.DateTimeField(blank=True, null=True)),
                    ('outcome', models.CharField(blank=True, max_length=200)),
                ],
                options={
                    'verbose_name_plural': 'deliveries',
                    'ordering': ('-received_at', '-pk'),
                    'indexes': [models.Index(condition=models.Q(('handled_at__isnull', True)), fields=['received_at'], name='delivery_unhandled')],
                },
            ),
            migrations.CreateModel(
                name='ImportRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('study', 'Labelled data set'), ('issues', 'Issue dump')], max_length=8)),
                    ('mapping', models.CharField(blank=True, max_length=200)),
                    ('status', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('failed', 'Nothing or not everything imported'), ('interrupted', 'Interrupted')], default='running', max_length=12)),
                    ('started_at', models.DateTimeField(auto_now_add=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('files', models.JSONField(blank=True, default=list, help_text='Counts and times of each file.')),
                    ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='import_runs', to='kb.source')),
                ],
                options={
                    'ordering': ('-started_at', '-pk'),
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('kind', 'study'), ('source__isnull', False)), models.Q(('kind', 'issues'), ('source__isnull', True)), _connector='OR'), name='importrun_source_goes_with_study')],
                },
            ),
            migrations.CreateModel(
                name='ImportedFile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=255)),
                    ('sha256', models.CharField(help_text='Of the content that was imported last.', max_length=64)),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imported_files', to='kb.source')),
                    ('run', models.ForeignKey(help_text='The last import.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='imported_files', to='ingest.importrun')),
                ],
                options={
                    'ordering': ('source', 'name'),
                    'constraints': [models.UniqueConstraint(fields=('source', 'name'), name='importedfile_source_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='ImportedRow',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('occurrence', models.PositiveSmallIntegerField(help_text='1 for the first row about this issue in the file.')),
                    ('line', models.PositiveBigIntegerField()),
                    ('gives_labels', models.BooleanField(help_text="Do the row's answers become labels of the issue?")),
                    ('answers', models.ManyToManyField(related_name='+', through='ingest.ImportedAnswer', to='kb.node')),
                    ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='ingest.importedfile')),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported_rows', to='kb.issue')),
                ],
                options={
                    'ordering': ('file', 'line'),
                    'constraints': [models.UniqueConstraint(fields=('file', 'issue', 'occurrence'), name='importedrow_occurrence_unique')],
                },
            ),
            migrations.CreateModel(
                name='ImportedAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                    ('row', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ingest.importedrow')),
                ],
                options={
                    'ordering': ('row', 'node'),
                    'constraints': [models.UniqueConstraint(fields=('row', 'node'), name='importedanswer_row_node_unique')],
                },
            ),
            migrations.CreateModel(
                name='AnnotatorVote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('annotator', models.PositiveSmallIntegerField(help_text="Number of the annotator's column, from 1.")),
                    ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                    ('row', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='votes', to='ingest.importedrow')),
                ],
                options={
                    'ordering': ('row', 'annotator', 'node'),
                    'constraints': [models.UniqueConstraint(fields=('row', 'annotator', 'node'), name='annotatorvote_once'), models.CheckConstraint(condition=models.Q(('annotator__gte', 1)), name='annotatorvote_annotator_from_1')],
                },
            ),
            migrations.CreateModel(
                name='ImportRejection',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('file', models.CharField(max_length=255)),
                    ('line', models.PositiveBigIntegerField(help_text='Physical line of the file; 0 for the file as a whole.')),
                    ('reason', models.CharField(choices=[('bad-url', 'Bad address'), ('unknown-code', 'Unknown code'), ('unknown-repository', 'Unknown repository'), ('blank', 'Blank'), ('duplicate', 'Duplicate address'), ('encoding', 'Wrong encoding'), ('quotes', 'Broken quotes'), ('columns', 'Wrong number of columns'), ('json', 'Not valid JSON'), ('shape', 'Unexpected shape'), ('date', 'Unreadable date'), ('contradiction', 'Contradiction'), ('too-long', 'Too long'), ('file', 'Unreadable file')], max_length=20)),
                    ('effect', models.CharField(choices=[('left-out', 'The row was left out.'), ('cell-left-out', 'The row was taken without this value.'), ('counted-only', "The row counts in the study's totals but gives the issue no label."), ('merged', 'The row was taken together with an earlier one about the same issue.')], max_length=16)),
                    ('message', models.TextField()),
                    ('value', models.TextField(blank=True, help_text='The raw value, cut.')),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rejections', to='ingest.importrun')),
                ],
                options={
                    'ordering': ('run', 'file', 'line', 'pk'),
                },
            ),
            migrations.CreateModel(
                name='Mirror',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('is_on', models.BooleanField(default=True, help_text='When off, what was mirrored stays as it is.', verbose_name='on')),
                    ('interval_minutes', models.PositiveIntegerField(default=15, help_text='How often the host is asked what is new.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                    ('backfill_from', models.DateField(blank=True, help_text='Only what was changed since this day; empty for everything.', null=True)),
                    ('added_at', models.DateTimeField(auto_now_add=True)),
                    ('repository', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='mirror', to='kb.repository')),
                    ('keywords', models.ForeignKey(blank=True, help_text='Keep only issues that hold one of these words; empty to keep everything.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='mirrors', to='ingest.keywordlist')),
                ],
                options={
                    'ordering': ('repository__full_name',),
                    'constraints': [models.CheckConstraint(condition=models.Q(('interval_minutes__range', (1, 10080))), name='mirror_interval_sensible')],
                },
            ),
            migrations.CreateModel(
                name='LeftOut',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('ref', models.CharField(max_length=20)),
                    ('kind', models.CharField(max_length=12)),
                    ('title', models.TextField(blank=True)),
                    ('host_updated_at', models.DateTimeField(blank=True, null=True)),
                    ('overruled_at', models.DateTimeField(blank=True, help_text='When somebody said to keep it after all.', null=True)),
                    ('mirror', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='left_out', to='ingest.mirror')),
                    ('overruled_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name_plural': 'left out',
                    'ordering': ('mirror', models.OrderBy(models.F('host_updated_at'), descending=True, nulls_last=True)),
                    'constraints': [models.UniqueConstraint(fields=('mirror', 'ref'), name='leftout_once')],
                },
            ),
            migrations.CreateModel(
                name='Pending',
                fields=[
                    ('issue', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='pending_details', serialize=False, to='kb.issue')),
                    ('since', models.DateTimeField(auto_now_add=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('not_before', models.DateTimeField(blank=True, help_text='After a failure: when to try again.', null=True)),
                    ('mirror', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pending', to='ingest.mirror')),
                ],
                options={
                    'verbose_name_plural': 'pending details',
                    'ordering': ('issue',),
                    'indexes': [models.Index(fields=['mirror', 'attempts', 'issue'], name='pending_next')],
                },
            ),
            migrations.CreateModel(
                name='SyncRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('poll', 'What is new'), ('sweep', 'Everything looked at again'), ('one', 'One issue')], max_length=8)),
                    ('status', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('paused', 'To be continued'), ('limited', "Waiting for the host's limit"), ('failed', 'Failed'), ('interrupted', 'Interrupted')], default='running', max_length=12)),
                    ('started_at', models.DateTimeField(auto_now_add=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('pages', models.PositiveIntegerField(default=0)),
                    ('created', models.PositiveIntegerField(default=0)),
                    ('updated', models.PositiveIntegerField(default=0)),
                    ('unchanged', models.PositiveIntegerField(default=0)),
                    ('left_out', models.PositiveIntegerField(default=0)),
                    ('detailed', models.PositiveIntegerField(default=0, help_text='Issues whose comments and fixes were fetched.')),
                    ('deleted', models.PositiveIntegerField(default=0)),
                    ('moved', models.PositiveIntegerField(default=0)),
                    ('requests', models.PositiveIntegerField(default=0)),
                    ('not_modified', models.PositiveIntegerField(default=0, help_text='Requests answered with 304, which cost nothing.')),
                    ('waited_seconds', models.FloatField(default=0)),
                    ('budget_left', models.PositiveIntegerField(blank=True, null=True)),
                    ('lag_seconds', models.FloatField(blank=True, help_text='How old the mirror was when the run began.', null=True)),
                    ('problem', models.TextField(blank=True, help_text='What went wrong, in plain words.')),
                    ('advice', models.TextField(blank=True, help_text='What to do about it.')),
                    ('mirror', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='ingest.mirror')),
                ],
                options={
                    'ordering': ('-started_at', '-pk'),
                    'indexes': [models.Index(fields=['mirror', '-started_at'], name='syncrun_latest'), models.Index(fields=['started_at'], name='syncrun_started')],
                },
            ),
            migrations.CreateModel(
                name='Cursor',
                fields=[
                    ('mirror', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='cursor', serialize=False, to='ingest.mirror')),
                    ('updated_at', models.DateTimeField(blank=True, help_text="Every change up to this moment, by the host's clock, is in the mirror.", null=True)),
                    ('next_url', models.TextField(blank=True, help_text='The next page of changes that bear the very same moment.')),
                    ('is_complete', models.BooleanField(default=False, help_text='The first time through came to its end.')),
                    ('probe_since', models.DateTimeField(blank=True, help_text='From when the newest changes are asked for.', null=True)),
                    ('probe_etag', models.CharField(blank=True, help_text="What the host's answer to that was marked with.", max_length=200)),
                    ('expected', models.PositiveIntegerField(blank=True, help_text='Issues and pull requests on the host.', null=True)),
                    ('known_gap', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), blank=True, default=list, help_text='How many more issues, open issues and pull requests the host counts than it lists.', size=None)),
                    ('label_names', models.JSONField(blank=True, default=dict, help_text="The host's labels as last seen: ids, which survive renames, to names.")),
                    ('fresh_at', models.DateTimeField(blank=True, help_text='When mirror and host were last the same.', null=True)),
                    ('due_at', models.DateTimeField(blank=True, help_text='When the next run begins.', null=True)),
                    ('resume_at', models.DateTimeField(blank=True, help_text='Nothing is asked before, as the host wishes.', null=True)),
                    ('failures', models.PositiveIntegerField(default=0, help_text='Runs that failed since the last good one.')),
                    ('swept_up_to', models.PositiveBigIntegerField(default=0, help_text='The sweep has looked at rows up to this id.')),
                    ('swept_at', models.DateTimeField(blank=True, help_text='When the last sweep over everything ended.', null=True)),
                    ('sweep_asked_at', models.DateTimeField(blank=True, help_text='Since when everything should be looked at again as soon as the host allows.', null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['due_at'], name='cursor_due')],
                },
            ),
        ],
    ]
