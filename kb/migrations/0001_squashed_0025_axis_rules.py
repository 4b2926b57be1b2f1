"""The tables of the knowledge base.

Replaces the migrations up to 0025, which older databases have.
"""

import datetime
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import pgtrigger.compiler
import pgtrigger.migrations
import uuid
from pathlib import Path
from django.conf import settings
from django.contrib.postgres.operations import BtreeGinExtension, TrigramExtension, UnaccentExtension
from django.db import migrations, models

from kb.migrations._secrets import WITHOUT_SECRETS
from kb.migrations._sql import drop_all, run_file
from kb.migrations._together import Together

SQL = Path(__file__).with_name("sql")


class Migration(Together):

    replaces = [('kb', '0001_extensions_and_functions'), ('kb', '0002_tables'), ('kb', '0003_answers_belong_to_their_axis'), ('kb', '0004_digests'), ('kb', '0005_search_index'), ('kb', '0006_search_plans'), ('kb', '0007_how_it_became_known'), ('kb', '0008_mirrored'), ('kb', '0009_quicker_folding'), ('kb', '0010_searched_part'), ('kb', '0011_suggestions_apart'), ('kb', '0012_forgotten'), ('kb', '0013_searched_texts'), ('kb', '0014_quicker_comments'), ('kb', '0015_facts'), ('kb', '0016_cause_links_follow'), ('kb', '0018_playbooks_before_and_after'), ('kb', '0019_survey'), ('kb', '0020_published_tables'), ('kb', '0021_facts_of_house'), ('kb', '0022_facts_of_fixes_and_effort'), ('kb', '0023_diagnosis_jobs'), ('kb', '0024_shared_diagnoses'), ('kb', '0025_axis_rules')]

    initial = True

    dependencies = [
        ('pghistory', '0007_auto_20250421_0444'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        TrigramExtension(),
        UnaccentExtension(),
        BtreeGinExtension(),
        migrations.RunSQL(WITHOUT_SECRETS, drop_all(WITHOUT_SECRETS)),
        run_file(SQL / "functions.sql"),
        *[
            migrations.CreateModel(
                name='Study',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('code', models.CharField(max_length=12, unique=True)),
                    ('title', models.TextField()),
                    ('authors', models.TextField(blank=True)),
                    ('year', models.PositiveSmallIntegerField()),
                    ('venue', models.TextField(blank=True)),
                    ('url', models.URLField()),
                    ('doi', models.CharField(blank=True, max_length=80)),
                    ('data_url', models.URLField(blank=True)),
                    ('licence', models.TextField()),
                    ('sample_total', models.PositiveIntegerField(blank=True, null=True)),
                    ('sample', models.JSONField(blank=True, default=dict, help_text='Sample size by framework.')),
                    ('period', models.TextField(blank=True)),
                    ('method', models.TextField()),
                    ('completeness', models.TextField()),
                    ('trust_note', models.TextField()),
                    ('not_found', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('facts', models.JSONField(blank=True, default=list, help_text='Published numbers with their trust marks.')),
                    ('overlaps', models.ManyToManyField(blank=True, help_text='Studies whose samples may share issues.', to='kb.study')),
                ],
                options={
                    'verbose_name_plural': 'studies',
                    'ordering': ('code',),
                },
            ),
            migrations.CreateModel(
                name='Scheme',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=160)),
                    ('version', models.CharField(max_length=20)),
                    ('study', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scheme', to='kb.study')),
                ],
                options={
                    'ordering': ('slug',),
                },
            ),
            migrations.CreateModel(
                name='Axis',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.SlugField(max_length=30)),
                    ('name', models.CharField(max_length=60)),
                    ('question', models.TextField(blank=True)),
                    ('several', models.BooleanField(default=True, help_text='May an issue carry several nodes of this axis?')),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('rules', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='How to choose, on the whole axis.', size=None)),
                    ('scheme', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='axes', to='kb.scheme')),
                ],
                options={
                    'verbose_name_plural': 'axes',
                    'ordering': ('scheme', 'position'),
                    'constraints': [models.UniqueConstraint(fields=('scheme', 'code'), name='axis_scheme_code_unique')],
                },
            ),
            migrations.CreateModel(
                name='Node',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.CharField(max_length=64)),
                    ('name', models.CharField(max_length=160)),
                    ('definition', models.TextField()),
                    ('include', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('exclude', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('examples', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='Search synonyms.', size=None)),
                    ('specific_to_distributed', models.BooleanField(blank=True, null=True)),
                    ('status', models.CharField(choices=[('active', 'Active'), ('retired', 'Retired'), ('merged', 'Merged into another')], default='active', max_length=8)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('published_count', models.PositiveIntegerField(blank=True, null=True)),
                    ('published_percent', models.FloatField(blank=True, null=True)),
                    ('percent_of', models.TextField(blank=True)),
                    ('published_trust', models.CharField(blank=True, choices=[('primary', 'Seen in the paper or its data'), ('secondary', "Seen in somebody else's notes"), ('derived', 'Computed from seen numbers'), ('inferred', 'Inferred, not seen')], max_length=10)),
                    ('note', models.TextField(blank=True)),
                    ('no_crosswalk_reason', models.TextField(blank=True)),
                    ('voted_in_by', models.CharField(blank=True, help_text='The labeling project whose vote brought it in: no file knows it.', max_length=120)),
                    ('axis', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='nodes', to='kb.axis')),
                    ('merged_into', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='absorbed', to='kb.node')),
                    ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='kb.node')),
                ],
                options={
                    'ordering': ('axis', 'position'),
                    'constraints': [models.UniqueConstraint(fields=('axis', 'code'), name='node_axis_code_unique'), models.UniqueConstraint(fields=('id', 'axis'), name='node_id_axis_unique'), models.CheckConstraint(condition=models.Q(models.Q(('merged_into__isnull', False), ('status', 'merged')), models.Q(models.Q(('status', 'merged'), _negated=True), ('merged_into__isnull', True)), _connector='OR'), name='node_merged_has_target'), models.CheckConstraint(condition=models.Q(('merged_into', models.F('id')), _negated=True), name='node_not_merged_into_itself'), models.CheckConstraint(condition=models.Q(models.Q(('published_count__isnull', True), ('published_percent__isnull', True)), models.Q(('published_trust', ''), _negated=True), _connector='OR'), name='node_number_has_trust')],
                },
            ),
            migrations.CreateModel(
                name='Source',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=160)),
                    ('kind', models.CharField(choices=[('curated', 'Curated'), ('consensus', 'Consensus of a labeling round'), ('study', 'Imported from a study'), ('rule', 'Suggested by a rule')], max_length=10)),
                    ('confidence', models.CharField(choices=[('high', 'High'), ('medium', 'Medium'), ('low', 'Low')], max_length=6)),
                    ('url', models.URLField(blank=True)),
                    ('licence', models.TextField(blank=True)),
                    ('trust_note', models.TextField(blank=True)),
                    ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='kb.study')),
                ],
                options={
                    'ordering': ('kind', 'slug'),
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('kind', 'study'), ('study__isnull', False)), models.Q(models.Q(('kind', 'study'), _negated=True), ('study__isnull', True)), _connector='OR'), name='source_study_kind_has_study'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'rule'), ('slug', 'rule')), models.Q(models.Q(('kind', 'rule'), _negated=True), models.Q(('slug', 'rule'), _negated=True)), _connector='OR'), name='source_rule_is_one')],
                },
            ),
            migrations.CreateModel(
                name='CauseLink',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('issues', models.PositiveIntegerField()),
                    ('symptom_issues', models.PositiveIntegerField()),
                    ('cause_issues', models.PositiveIntegerField()),
                    ('all_issues', models.PositiveIntegerField()),
                    ('probability_low', models.FloatField()),
                    ('probability_high', models.FloatField()),
                    ('probability', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('issues'), '*', models.Value(1.0)), '/', models.F('symptom_issues')), output_field=models.FloatField())),
                    ('lift', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('issues'), '*', models.Value(1.0)), '*', models.F('all_issues')), '/', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('symptom_issues'), '*', models.Value(1.0)), '*', models.F('cause_issues'))), output_field=models.FloatField())),
                    ('note', models.TextField(blank=True)),
                    ('cause', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links_to_symptoms', to='kb.node')),
                    ('symptom', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links_to_causes', to='kb.node')),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cause_links', to='kb.source')),
                ],
                options={
                    'ordering': ('source', '-issues', 'symptom', 'cause'),
                    'constraints': [models.UniqueConstraint(fields=('source', 'symptom', 'cause'), name='causelink_unique'), models.CheckConstraint(condition=models.Q(('cause_issues__gte', models.F('issues')), ('issues__gte', 1), ('symptom_issues__gte', models.F('issues'))), name='causelink_counts_nest')],
                },
            ),
            migrations.CreateModel(
                name='CauseLinkChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source_id', models.BigIntegerField()),
                    ('issue_id', models.BigIntegerField(null=True)),
                    ('changed_at', models.DateTimeField(db_default=django.contrib.postgres.functions.TransactionNow())),
                ],
            ),
            migrations.CreateModel(
                name='Crosswalk',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('relation', models.CharField(choices=[('exact', 'same meaning as'), ('close', 'close to'), ('broad', 'narrower than'), ('narrow', 'broader than')], max_length=6)),
                    ('note', models.TextField(blank=True)),
                    ('from_node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crosswalks_out', to='kb.node')),
                    ('to_node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crosswalks_in', to='kb.node')),
                ],
                options={
                    'ordering': ('from_node', 'to_node'),
                    'constraints': [models.UniqueConstraint(fields=('from_node', 'to_node'), name='crosswalk_pair_unique'), models.CheckConstraint(condition=models.Q(('from_node', models.F('to_node')), _negated=True), name='crosswalk_not_to_itself')],
                },
            ),
            migrations.CreateModel(
                name='Framework',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=80, unique=True)),
                    ('homepage', models.URLField(blank=True)),
                    ('description', models.TextField(blank=True)),
                ],
                options={
                    'ordering': ('name',),
                },
            ),
            migrations.CreateModel(
                name='Fix',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('url', models.URLField(max_length=300, unique=True)),
                    ('kind', models.CharField(choices=[('pull_request', 'Pull request'), ('commit', 'Commit')], max_length=12)),
                    ('description', models.TextField(blank=True, help_text='What it changes, in our own words.')),
                    ('merged_on', models.DateField(blank=True, null=True)),
                    ('additions', models.PositiveIntegerField(blank=True, null=True)),
                    ('deletions', models.PositiveIntegerField(blank=True, null=True)),
                    ('files_changed', models.PositiveIntegerField(blank=True, null=True)),
                    ('lines_changed', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.F('additions'), '+', models.F('deletions')), output_field=models.IntegerField())),
                    ('is_small', models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(models.Q(('additions__lte', django.db.models.expressions.CombinedExpression(models.Value(10), '-', models.F('deletions')))), output_field=models.BooleanField(null=True)), help_text='At most 10 changed lines (study P1).', output_field=models.BooleanField(null=True))),
                ],
                options={
                    'verbose_name_plural': 'fixes',
                    'ordering': (models.OrderBy(models.F('merged_on'), descending=True, nulls_last=True), 'url'),
                    'indexes': [models.Index(models.OrderBy(models.F('merged_on'), descending=True, nulls_last=True), name='fix_newest')],
                },
            ),
            migrations.CreateModel(
                name='Repository',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('host', models.CharField(choices=[('github.com', 'GitHub'), ('gitee.com', 'Gitee')], max_length=40)),
                    ('full_name', models.CharField(max_length=200)),
                    ('framework', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='repositories', to='kb.framework')),
                ],
                options={
                    'verbose_name_plural': 'repositories',
                    'ordering': ('host', 'full_name'),
                    'constraints': [models.UniqueConstraint(models.F('host'), django.db.models.functions.text.Lower('full_name'), name='repository_host_name_unique'), models.CheckConstraint(condition=models.Q(('full_name__regex', '^[^/\\s]+/[^/\\s]+$')), name='repository_name_form')],
                },
            ),
            migrations.CreateModel(
                name='Issue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('ref', models.CharField(help_text="The host's number or code, such as 5030 or I71V26.", max_length=20)),
                    ('url', models.URLField(max_length=300, unique=True)),
                    ('kind', models.CharField(choices=[('issue', 'Issue'), ('pull_request', 'Pull request'), ('unknown', 'Not yet known')], default='unknown', max_length=12)),
                    ('title', models.TextField(blank=True, help_text='As mirrored from the host.')),
                    ('body', models.TextField(blank=True, help_text='As mirrored from the host.')),
                    ('state', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed'), ('unknown', 'Unknown')], default='unknown', max_length=8)),
                    ('opened_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('host_updated_at', models.DateTimeField(blank=True, null=True)),
                    ('comment_count', models.PositiveIntegerField(blank=True, null=True)),
                    ('reaction_count', models.PositiveIntegerField(blank=True, null=True)),
                    ('host_labels', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('author_association', models.CharField(blank=True, max_length=24)),
                    ('heading', models.CharField(blank=True, help_text='Our own title.', max_length=160)),
                    ('summary', models.TextField(blank=True, help_text='What goes wrong and how it shows, in our own words.')),
                    ('recognise', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='Short error signatures.', size=None)),
                    ('resolution', models.TextField(blank=True, help_text='What fixed it; empty when not stated.')),
                    ('workaround', models.TextField(blank=True, help_text='What to do until then; empty when not stated.')),
                    ('affected_versions', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('fixed_version', models.CharField(blank=True, max_length=80)),
                    ('evidence', models.JSONField(blank=True, default=list, help_text='Links our claims rest on: url, supports, by.')),
                    ('related_urls', django.contrib.postgres.fields.ArrayField(base_field=models.URLField(max_length=300), blank=True, default=list, size=None)),
                    ('read_on', models.DateField(blank=True, null=True)),
                    ('read_extent', models.TextField(blank=True)),
                    ('label_terms', models.TextField(blank=True, editable=False, help_text='Names and aliases of the trusted house labels, for search.')),
                    ('open_duration', models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(django.db.models.expressions.CombinedExpression(models.F('closed_at'), '-', models.F('opened_at')), output_field=models.DurationField()), output_field=models.DurationField(null=True))),
                    ('is_hard', models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(models.Q(django.db.models.lookups.GreaterThan(models.ExpressionWrapper(django.db.models.expressions.CombinedExpression(models.F('closed_at'), '-', models.F('opened_at')), output_field=models.DurationField()), datetime.timedelta(days=30)), ('comment_count__gte', 10)), output_field=models.BooleanField(null=True)), help_text='Open for more than 30 days and at least 10 comments (study P1).', output_field=models.BooleanField(null=True))),
                    ('is_curated', models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(models.Q(('summary', ''), _negated=True), output_field=models.BooleanField()), help_text='We described it.', output_field=models.BooleanField())),
                    ('search_vector', models.GeneratedField(db_persist=True, expression=models.Func(models.F('title'), models.F('heading'), models.F('recognise'), models.F('label_terms'), models.F('summary'), models.F('resolution'), models.F('workaround'), models.Func(models.F('kind'), models.F('body'), function='kb_searched_body'), models.F('ref'), function='kb_issue_vector'), output_field=django.contrib.postgres.search.SearchVectorField(null=True))),
                    ('author', models.CharField(blank=True, db_default='', default='', help_text='Empty when not mirrored or the account is gone.', max_length=80)),
                    ('deleted_at', models.DateTimeField(blank=True, help_text='When we found that the host deleted it.', null=True)),
                    ('moved_to', models.URLField(blank=True, db_default='', default='', help_text='Where it is now, when we keep it apart from there.', max_length=300)),
                    ('node_id', models.CharField(blank=True, db_default='', default='', help_text="The host's id, which survives renames.", max_length=80)),
                    ('state_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it is closed, as the host puts it.', max_length=20)),
                    ('fixes', models.ManyToManyField(blank=True, related_name='issues', to='kb.fix')),
                    ('related', models.ManyToManyField(blank=True, help_text='Duplicates and relatives.', to='kb.issue')),
                    ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='issues', to='kb.repository')),
                ],
                options={
                    'ordering': (models.OrderBy(models.F('opened_at'), descending=True, nulls_last=True), '-pk'),
                    'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['search_vector'], name='issue_search'), models.Index(models.OrderBy(models.F('opened_at'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='issue_newest'), models.Index(models.OrderBy(models.F('is_curated'), descending=True), models.OrderBy(models.F('opened_at'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='issue_curated_first'), models.Index(models.OrderBy(models.F('comment_count'), descending=True, nulls_last=True), models.OrderBy(models.F('opened_at'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='issue_discussed'), models.Index(models.OrderBy(models.F('open_duration'), nulls_last=True), models.OrderBy(models.F('opened_at'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='issue_quickest'), models.Index(fields=['closed_at'], name='issue_closed'), models.Index(fields=['reaction_count'], name='issue_reactions'), models.Index(fields=['kind'], name='issue_kind'), models.Index(condition=models.Q(('is_hard', True)), fields=['id'], name='issue_hard'), models.Index(condition=models.Q(('resolution', ''), _negated=True), fields=['id'], name='issue_resolved'), models.Index(django.db.models.functions.text.Upper('ref'), models.F('repository'), name='issue_short_name')],
                    'constraints': [models.UniqueConstraint(fields=('repository', 'ref'), name='issue_repository_ref_unique'), models.CheckConstraint(condition=models.Q(('closed_at__isnull', True), ('opened_at__isnull', True), ('closed_at__gte', models.F('opened_at')), _connector='OR'), name='issue_closed_not_before_opened'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', True), _connector='OR'), name='issue_open_has_no_closing_date'), models.UniqueConstraint(condition=models.Q(('node_id', ''), _negated=True), fields=('node_id',), name='issue_node_unique')],
                },
            ),
            migrations.CreateModel(
                name='PublishedTable',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('title', models.TextField()),
                    ('place', models.TextField(help_text='Where the study prints it.')),
                    ('unit', models.CharField(choices=[('reports', 'reports'), ('records', 'records of the data'), ('instances', 'instances'), ('phrases', 'phrases')], max_length=10)),
                    ('part_of', models.TextField(blank=True, help_text='What it is a table of, unless of the whole sample.')),
                    ('trust', models.CharField(choices=[('primary', 'Seen in the paper or its data'), ('secondary', "Seen in somebody else's notes"), ('derived', 'Computed from seen numbers'), ('inferred', 'Inferred, not seen')], max_length=10)),
                    ('rows_by', models.CharField(help_text='Code of an axis of the study, or `framework`.', max_length=30)),
                    ('columns_by', models.CharField(blank=True, help_text='Empty: the table has one column.', max_length=30)),
                    ('row_keys', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), size=None)),
                    ('column_keys', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                    ('total', models.PositiveIntegerField(blank=True, null=True)),
                    ('total_is_doubtful', models.BooleanField(default=False)),
                    ('percent_digits', models.PositiveSmallIntegerField(default=0, help_text='Printed after the point.')),
                    ('is_recounted', models.BooleanField(default=False, help_text="Can it be counted again from the study's data?")),
                    ('not_recounted_reason', models.TextField(blank=True)),
                    ('misprints', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('note', models.TextField(blank=True)),
                    ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='kb.study')),
                ],
                options={
                    'ordering': ('study', 'position'),
                    'constraints': [models.UniqueConstraint(fields=('study', 'slug'), name='publishedtable_study_slug_unique'), models.CheckConstraint(condition=models.Q(models.Q(('is_recounted', True), ('not_recounted_reason', '')), models.Q(('is_recounted', False), models.Q(('not_recounted_reason', ''), _negated=True)), _connector='OR'), name='publishedtable_recounted_or_reason')],
                },
            ),
            migrations.CreateModel(
                name='SearchChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('issue_id', models.BigIntegerField()),
                    ('changed_at', models.DateTimeField(db_default=django.contrib.postgres.functions.TransactionNow())),
                    ('fed', models.BooleanField(db_default=False, help_text='The index in use has it; kept for the one that is being built.')),
                ],
            ),
            migrations.CreateModel(
                name='CauseLinkNoteEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('note', models.TextField(blank=True)),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='note_events', to='kb.causelink')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='DiagnosisFeedback',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('about', models.CharField(choices=[('line', 'The line that failed first'), ('cause', 'A likely cause'), ('issue', 'A known issue')], max_length=5)),
                    ('subject', models.CharField(max_length=500)),
                    ('is_right', models.BooleanField()),
                    ('really_at', models.CharField(blank=True, help_text='FILE:LINE of what failed first.', max_length=500)),
                    ('issue_url', models.CharField(blank=True, help_text='The issue that it was.', max_length=500)),
                    ('note', models.CharField(blank=True, max_length=2000)),
                    ('signature_version', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('signature_key', models.CharField(blank=True, max_length=128)),
                    ('signature_text', models.CharField(blank=True, max_length=2000)),
                    ('excerpt_text', models.TextField(help_text='As much of the diagnosis as a reviewer needs, redacted, as JSON.')),
                    ('state', models.CharField(choices=[('new', 'New'), ('accepted', 'Accepted'), ('declined', 'Declined')], default='new', max_length=8)),
                    ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('sender', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('-pk',),
                    'permissions': (('review_diagnosisfeedback', 'Can review what people say of diagnoses'),),
                    'indexes': [models.Index(fields=['state', '-id'], name='diagnosisfeedback_queue')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('about__in', ('line', 'cause', 'issue'))), name='diagnosisfeedback_about_known'), models.CheckConstraint(condition=models.Q(('state__in', ('new', 'accepted', 'declined'))), name='diagnosisfeedback_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('signature_key', ''), ('signature_version__isnull', True)), models.Q(('signature_version__isnull', False), models.Q(('signature_key', ''), _negated=True)), _connector='OR'), name='diagnosisfeedback_signature_is_whole'), models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('excerpt_text'), 32768), name='diagnosisfeedback_size')],
                },
            ),
            migrations.CreateModel(
                name='DiagnosisJob',
                fields=[
                    ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                    ('state', models.CharField(choices=[('waiting', 'Waiting'), ('working', 'Working'), ('done', 'Done'), ('refused', 'Refused'), ('failed', 'Failed')], default='waiting', max_length=7)),
                    ('files', models.JSONField(default=list)),
                    ('bytes_given', models.BigIntegerField()),
                    ('bytes_taken', models.BigIntegerField(default=0)),
                    ('bytes_read', models.BigIntegerField(default=0)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('result_text', models.TextField(blank=True, help_text='The diagnosis as JSON, in the order of its keys.')),
                    ('error', models.TextField(blank=True, help_text='Why there is no result, and what to do.')),
                    ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('sent_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When a worker was last told of it.')),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('expires_at', models.DateTimeField(help_text='When it is deleted with everything that is left of it.')),
                    ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['expires_at'], name='diagnosisjob_expires')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ('waiting', 'working', 'done', 'refused', 'failed'))), name='diagnosisjob_state_known'), models.CheckConstraint(condition=models.Q(('bytes_given__gte', 0), ('bytes_read__gte', 0), ('bytes_taken__gte', 0), ('bytes_taken__lte', models.F('bytes_given'))), name='diagnosisjob_bytes_add_up'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ('waiting', 'working'))), models.Q(('finished_at__isnull', False), ('state__in', ('done', 'refused', 'failed'))), _connector='OR'), name='diagnosisjob_finished_when_ended'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), models.Q(('result_text', ''), _negated=True)), models.Q(models.Q(('state', 'done'), _negated=True), ('result_text', '')), _connector='OR'), name='diagnosisjob_result_when_done'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ('refused', 'failed')), models.Q(('error', ''), _negated=True)), models.Q(models.Q(('state__in', ('refused', 'failed')), _negated=True), ('error', '')), _connector='OR'), name='diagnosisjob_reason_when_not_done')],
                },
            ),
            migrations.CreateModel(
                name='DiagnosisUpload',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('file', models.PositiveIntegerField()),
                    ('number', models.PositiveIntegerField()),
                    ('content', models.BinaryField()),
                    ('job', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='kb.diagnosisjob')),
                ],
                options={
                    'ordering': ('job', 'file', 'number'),
                    'constraints': [models.UniqueConstraint(fields=('job', 'file', 'number'), name='diagnosisupload_once'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length('content'), 0), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('content'), 1048576)), name='diagnosisupload_is_a_piece')],
                },
            ),
            migrations.CreateModel(
                name='FeedbackDecision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('state', models.CharField(choices=[('new', 'New'), ('accepted', 'Accepted'), ('declined', 'Declined')], max_length=8)),
                    ('reason', models.CharField(blank=True, max_length=2000)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('feedback', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='kb.diagnosisfeedback')),
                ],
                options={
                    'ordering': ('pk',),
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ('new', 'accepted', 'declined'))), name='feedbackdecision_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'declined'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='feedbackdecision_declined_with_reason')],
                },
            ),
            migrations.CreateModel(
                name='ForgottenAuthor',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('host', models.CharField(choices=[('github.com', 'GitHub'), ('gitee.com', 'Gitee')], max_length=40)),
                    ('login', models.CharField(max_length=80)),
                    ('asked_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'ordering': ('host', 'login'),
                    'constraints': [models.UniqueConstraint(models.F('host'), django.db.models.functions.text.Lower('login'), name='forgottenauthor_once')],
                },
            ),
            migrations.CreateModel(
                name='IssueDigest',
                fields=[
                    ('issue', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='digest', serialize=False, to='kb.issue')),
                    ('node_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                    ('source_kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=10), size=None)),
                    ('has_fix', models.BooleanField()),
                    ('small_fix', models.BooleanField(null=True)),
                ],
                options={
                    'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['node_ids'], name='digest_nodes')],
                },
            ),
            migrations.CreateModel(
                name='TwoReadings',
                fields=[
                    ('issue', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='two_readings', serialize=False, to='kb.issue')),
                    ('read_on', models.DateField(help_text='Day of the second reading.')),
                    ('read_extent', models.TextField(help_text='How much of the thread the second reader saw.')),
                    ('is_pilot', models.BooleanField(default=False, help_text="Was it before the codebook's rules were corrected?")),
                    ('answers', models.JSONField(help_text='Of each axis, codes of the `first` and the `second`, and `why` of what was kept.')),
                ],
                options={
                    'verbose_name_plural': 'two readings',
                },
            ),
            migrations.CreateModel(
                name='Comment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('node_id', models.CharField(help_text="The host's id, which survives renames.", max_length=80, unique=True)),
                    ('ref', models.CharField(blank=True, help_text="The number in the comment's address.", max_length=20)),
                    ('author', models.CharField(blank=True, help_text='Empty when the account is gone.', max_length=80)),
                    ('author_association', models.CharField(blank=True, max_length=24)),
                    ('body', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                    ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='kb.issue')),
                ],
                options={
                    'ordering': ('created_at', 'pk'),
                    'indexes': [models.Index(fields=['issue', 'created_at', 'id'], name='comment_thread')],
                },
            ),
            migrations.CreateModel(
                name='ClosingReference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('url', models.URLField(max_length=300)),
                    ('kind', models.CharField(choices=[('pull_request', 'Pull request'), ('commit', 'Commit')], max_length=12)),
                    ('state', models.CharField(choices=[('merged', 'Merged'), ('open', 'Under way'), ('closed', 'Given up')], max_length=6)),
                    ('additions', models.PositiveIntegerField(blank=True, null=True)),
                    ('deletions', models.PositiveIntegerField(blank=True, null=True)),
                    ('files_changed', models.PositiveIntegerField(blank=True, null=True)),
                    ('merged_at', models.DateTimeField(blank=True, null=True)),
                    ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='closing_references', to='kb.issue')),
                ],
                options={
                    'ordering': ('issue', 'url'),
                    'constraints': [models.UniqueConstraint(fields=('issue', 'url'), name='closingreference_once'), models.CheckConstraint(condition=models.Q(('state', 'merged'), ('merged_at__isnull', True), _connector='OR'), name='closingreference_merged_when_merged')],
                },
            ),
            migrations.CreateModel(
                name='IssueFacts',
                fields=[
                    ('pk', models.CompositePrimaryKey('holder', 'issue_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('issue_id', models.BigIntegerField()),
                    ('holder', models.BigIntegerField()),
                    ('framework_id', models.BigIntegerField()),
                    ('is_pull', models.BooleanField()),
                    ('is_open', models.BooleanField(null=True)),
                    ('opened_on', models.DateField(null=True)),
                    ('hours_open', models.IntegerField(null=True)),
                    ('comments', models.IntegerField(null=True)),
                    ('lines', models.IntegerField(null=True)),
                    ('files', models.IntegerField(null=True)),
                    ('small_fix', models.BooleanField(null=True)),
                    ('type', models.TextField(db_collation='C')),
                    ('symptom', models.TextField(db_collation='C')),
                    ('cause', models.TextField(db_collation='C')),
                    ('fix', models.TextField(db_collation='C')),
                    ('stage', models.TextField(db_collation='C')),
                    ('component', models.TextField(db_collation='C')),
                    ('theme', models.TextField(db_collation='C')),
                    ('hard', models.BooleanField(null=True)),
                    ('has_fix', models.BooleanField()),
                ],
                options={
                    'verbose_name_plural': 'facts of issues',
                    'indexes': [models.Index(fields=['issue_id'], name='facts_issue'), models.Index(condition=models.Q(('holder', 0), ('is_pull', False)), fields=['fix'], include=('issue_id', 'framework_id', 'symptom', 'cause'), name='facts_patterns'), models.Index(condition=models.Q(('holder', 0), ('is_pull', False)), fields=['opened_on'], include=('issue_id', 'framework_id', 'is_open', 'hours_open', 'comments', 'hard', 'lines', 'files', 'small_fix', 'has_fix', 'type', 'symptom', 'cause', 'fix', 'stage', 'component', 'theme'), name='facts_of_house')],
                },
            ),
            migrations.CreateModel(
                name='IssueTextEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('heading', models.CharField(blank=True, help_text='Our own title.', max_length=160)),
                    ('summary', models.TextField(blank=True, help_text='What goes wrong and how it shows, in our own words.')),
                    ('recognise', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='Short error signatures.', size=None)),
                    ('resolution', models.TextField(blank=True, help_text='What fixed it; empty when not stated.')),
                    ('workaround', models.TextField(blank=True, help_text='What to do until then; empty when not stated.')),
                    ('affected_versions', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('fixed_version', models.CharField(blank=True, max_length=80)),
                    ('read_on', models.DateField(blank=True, null=True)),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='heading_summary_recognise_resolution_workaround_affected_versions_fixed_version_read_on_events', to='kb.issue')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='Label',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.axis')),
                    ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='labels', to='kb.issue')),
                    ('node', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='kb.node')),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='kb.source')),
                ],
                options={
                    'ordering': ('issue', 'axis', 'node', 'source'),
                    'indexes': [models.Index(fields=['node', 'issue'], name='label_node_issue')],
                    'constraints': [models.UniqueConstraint(fields=('issue', 'node', 'source'), name='label_issue_node_source_unique')],
                },
            ),
            migrations.CreateModel(
                name='KnownSignature',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveSmallIntegerField()),
                    ('key', models.CharField(max_length=128)),
                    ('text', models.CharField(max_length=2000)),
                    ('confirmed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('feedback', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='known_signature', to='kb.diagnosisfeedback')),
                    ('issue', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='kb.issue')),
                    ('cause', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                ],
                options={
                    'ordering': ('-pk',),
                    'indexes': [models.Index(fields=['key', 'version'], name='knownsignature_key')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('issue__isnull', False), ('cause__isnull', False), _connector='OR'), name='knownsignature_says_something'), models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='knownsignature_key_given')],
                },
            ),
            migrations.CreateModel(
                name='CrosswalkEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('id', models.BigIntegerField()),
                    ('relation', models.CharField(choices=[('exact', 'same meaning as'), ('close', 'close to'), ('broad', 'narrower than'), ('narrow', 'broader than')], max_length=6)),
                    ('note', models.TextField(blank=True)),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='kb.crosswalk')),
                    ('from_node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                    ('to_node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='NodeEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('id', models.BigIntegerField()),
                    ('code', models.CharField(max_length=64)),
                    ('name', models.CharField(max_length=160)),
                    ('definition', models.TextField()),
                    ('include', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('exclude', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('examples', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='Search synonyms.', size=None)),
                    ('specific_to_distributed', models.BooleanField(blank=True, null=True)),
                    ('status', models.CharField(choices=[('active', 'Active'), ('retired', 'Retired'), ('merged', 'Merged into another')], default='active', max_length=8)),
                    ('position', models.PositiveSmallIntegerField(default=0)),
                    ('published_count', models.PositiveIntegerField(blank=True, null=True)),
                    ('published_percent', models.FloatField(blank=True, null=True)),
                    ('percent_of', models.TextField(blank=True)),
                    ('published_trust', models.CharField(blank=True, choices=[('primary', 'Seen in the paper or its data'), ('secondary', "Seen in somebody else's notes"), ('derived', 'Computed from seen numbers'), ('inferred', 'Inferred, not seen')], max_length=10)),
                    ('note', models.TextField(blank=True)),
                    ('no_crosswalk_reason', models.TextField(blank=True)),
                    ('voted_in_by', models.CharField(blank=True, help_text='The labeling project whose vote brought it in: no file knows it.', max_length=120)),
                    ('axis', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.axis')),
                    ('merged_into', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                    ('parent', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='kb.node')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='Playbook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('applies_when', models.TextField()),
                    ('steps', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                    ('caveats', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('before', models.TextField(blank=True, help_text='Code or settings with the fault, at most 14 lines.')),
                    ('after', models.TextField(blank=True, help_text='The same after the pattern.')),
                    ('example_note', models.TextField(blank=True, help_text='What the example shows: one or two sentences.')),
                    ('example_language', models.CharField(blank=True, choices=[('python', 'Python'), ('cpp', 'C++'), ('bash', 'Shell'), ('yaml', 'YAML'), ('json', 'JSON'), ('toml', 'TOML'), ('ini', 'INI'), ('dockerfile', 'Dockerfile'), ('markdown', 'Markdown'), ('text', 'Text')], max_length=12)),
                    ('node', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='playbook', to='kb.node')),
                ],
                options={
                    'ordering': ('node',),
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('after', ''), ('before', ''), ('example_language', ''), ('example_note', '')), models.Q(models.Q(('before', ''), _negated=True), models.Q(('after', ''), _negated=True), models.Q(('example_note', ''), _negated=True), models.Q(('example_language', ''), _negated=True)), _connector='OR'), name='playbook_example_is_whole'), models.CheckConstraint(condition=models.Q(('before', ''), models.Q(('before', models.F('after')), _negated=True), _connector='OR'), name='playbook_example_shows_a_change')],
                },
            ),
            migrations.CreateModel(
                name='PlaybookEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('id', models.BigIntegerField()),
                    ('applies_when', models.TextField()),
                    ('steps', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                    ('caveats', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                    ('before', models.TextField(blank=True, help_text='Code or settings with the fault, at most 14 lines.')),
                    ('after', models.TextField(blank=True, help_text='The same after the pattern.')),
                    ('example_note', models.TextField(blank=True, help_text='What the example shows: one or two sentences.')),
                    ('example_language', models.CharField(blank=True, choices=[('python', 'Python'), ('cpp', 'C++'), ('bash', 'Shell'), ('yaml', 'YAML'), ('json', 'JSON'), ('toml', 'TOML'), ('ini', 'INI'), ('dockerfile', 'Dockerfile'), ('markdown', 'Markdown'), ('text', 'Text')], max_length=12)),
                    ('node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='kb.playbook')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='PublishedCell',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('row', models.CharField(blank=True, max_length=64)),
                    ('column', models.CharField(blank=True, max_length=64)),
                    ('count', models.PositiveIntegerField(blank=True, null=True)),
                    ('percent', models.FloatField(blank=True, help_text="Of the table's total, as printed.", null=True)),
                    ('is_doubtful', models.BooleanField(default=False)),
                    ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='cells', to='kb.publishedtable')),
                ],
                options={
                    'ordering': ('table', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('table', 'row', 'column'), name='publishedcell_unique'), models.CheckConstraint(condition=models.Q(('count__isnull', False), ('percent__isnull', False), _connector='OR'), name='publishedcell_says_something')],
                },
            ),
            migrations.CreateModel(
                name='FormerAddress',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('ref', models.CharField(max_length=20)),
                    ('url', models.URLField(max_length=300, unique=True)),
                    ('found_at', models.DateTimeField(auto_now_add=True)),
                    ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_addresses', to='kb.issue')),
                    ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.repository')),
                ],
                options={
                    'verbose_name_plural': 'former addresses',
                    'ordering': ('repository', 'ref'),
                    'constraints': [models.UniqueConstraint(fields=('repository', 'ref'), name='formeraddress_unique')],
                },
            ),
            migrations.CreateModel(
                name='RepositoryAlias',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('host', models.CharField(choices=[('github.com', 'GitHub'), ('gitee.com', 'Gitee')], max_length=40)),
                    ('full_name', models.CharField(max_length=200)),
                    ('repository', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='kb.repository')),
                ],
                options={
                    'verbose_name_plural': 'repository aliases',
                    'ordering': ('host', 'full_name'),
                    'constraints': [models.UniqueConstraint(models.F('host'), django.db.models.functions.text.Lower('full_name'), name='alias_host_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='SearchBuild',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(max_length=120)),
                    ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('last_id', models.BigIntegerField(db_default=0, help_text='Issues up to this one are in the index being built.')),
                    ('done', models.BigIntegerField(db_default=0)),
                    ('total', models.BigIntegerField(db_default=0)),
                    ('made_of', models.CharField(blank=True, help_text='Stands for the program and the database it was built from.', max_length=64)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('finished_at__isnull', True)), fields=('finished_at',), name='searchbuild_one_at_a_time', nulls_distinct=False)],
                },
            ),
            migrations.CreateModel(
                name='SearchIndexer',
                fields=[
                    ('only', models.BooleanField(default=True, primary_key=True, serialize=False)),
                    ('seen_at', models.DateTimeField()),
                    ('problem', models.TextField(blank=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('only', True)), name='searchindexer_one_row')],
                },
            ),
            migrations.CreateModel(
                name='SharedDiagnosis',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token', models.CharField(max_length=43, unique=True)),
                    ('delete_digest', models.CharField(max_length=64)),
                    ('title', models.CharField(blank=True, max_length=120)),
                    ('data_text', models.TextField(help_text='The redacted diagnosis as JSON, in the order of its keys.')),
                    ('hidden', models.JSONField(default=dict)),
                    ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('expires_at', models.DateTimeField()),
                    ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('-pk',),
                    'indexes': [models.Index(fields=['expires_at'], name='shareddiagnosis_expires')],
                    'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length('token'), 21), django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length('delete_digest'), 63)), name='shareddiagnosis_hard_to_guess'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.GreaterThan(django.db.models.functions.text.Length('data_text'), 1), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('data_text'), 524288)), name='shareddiagnosis_size'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='shareddiagnosis_ends')],
                },
            ),
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
                    ('axis', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.axis')),
                    ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='provenances', to='kb.issue')),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='provenances', to='kb.source')),
                ],
                options={
                    'verbose_name_plural': 'provenance',
                    'ordering': ('issue', 'axis__position', 'source'),
                    'constraints': [models.UniqueConstraint(fields=('issue', 'axis', 'source'), name='provenance_issue_axis_source_unique'), models.CheckConstraint(condition=models.Q(('support__lte', models.F('votes'))), name='provenance_support_is_of_votes'), models.CheckConstraint(condition=models.Q(('agreement', None), models.Q(('agreement__gte', 0), ('agreement__lte', 1)), _connector='OR'), name='provenance_agreement_is_share'), models.CheckConstraint(condition=models.Q(models.Q(('how', 'adjudication'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='provenance_adjudicated_with_reason')],
                },
            ),
            migrations.CreateModel(
                name='LabelEvent',
                fields=[
                    ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                    ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_label', models.TextField(help_text='The event label.')),
                    ('id', models.BigIntegerField()),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now())),
                    ('axis', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.axis')),
                    ('issue', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.issue')),
                    ('pgh_context', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='kb.label')),
                    ('node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.node')),
                    ('source', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='kb.source')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='GoneCauseLink',
                fields=[
                    ('link_id', models.BigIntegerField(primary_key=True, serialize=False)),
                    ('note', models.TextField(blank=True)),
                    ('gone_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('cause', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                    ('symptom', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='kb.node')),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='kb.source')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('source', 'symptom', 'cause'), name='gonecauselink_unique')],
                },
            ),
            migrations.CreateModel(
                name='CauseLinkEvidence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('symptoms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                    ('causes', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                    ('issue', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='kb.issue')),
                    ('source', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='kb.source')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('source', 'issue'), name='causelinkevidence_unique')],
                },
            ),
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
                    'constraints': [models.UniqueConstraint(condition=models.Q(('token_digest', ''), _negated=True), fields=('token_digest',), name='surveyanswer_token'), models.CheckConstraint(condition=models.Q(('user__isnull', False), models.Q(('token_digest', ''), _negated=True), _connector='OR'), name='surveyanswer_is_somebodys'), models.CheckConstraint(condition=models.Q(('role__in', ('user', 'developer', 'both'))), name='surveyanswer_role_known'), models.CheckConstraint(condition=models.Q(('experience__in', ('under_1', 'from_1_to_3', 'over_3'))), name='surveyanswer_experience_known'), models.CheckConstraint(condition=models.Q(models.Q(('excluded_at__isnull', True), ('excluded_because', '')), models.Q(('excluded_at__isnull', False), models.Q(('excluded_because', ''), _negated=True)), _connector='OR'), name='surveyanswer_excluded_with_reason')],
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
                    'constraints': [models.UniqueConstraint(fields=('answer', 'group', 'rank'), name='surveyplace_rank_once'), models.UniqueConstraint(fields=('answer', 'node'), name='surveyplace_theme_once'), models.CheckConstraint(condition=models.Q(('rank__gte', 1), ('rank__lte', 5)), name='surveyplace_rank_1_to_5'), models.CheckConstraint(condition=models.Q(('group__in', ('A', 'B', 'C'))), name='surveyplace_group_known')],
                },
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='node',
                trigger=pgtrigger.compiler.Trigger(name='no_cycle', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NEW."parent_id" IS NOT NULL)', declare='DECLARE depth integer;', func="\n                    WITH RECURSIVE up(id, parent_id, level) AS (\n                        SELECT n.id, n.parent_id, 1 FROM kb_node n WHERE n.id = NEW.id\n                        UNION ALL\n                        SELECT n.id, n.parent_id, up.level + 1 FROM kb_node n JOIN up ON n.id = up.parent_id\n                        WHERE up.level <= 3\n                    ) SELECT max(level) INTO depth FROM up;\n                    IF depth > 3 THEN\n                        RAISE EXCEPTION 'node % would be in a cycle or deeper than 3 levels', NEW.code\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NULL;\n                ", hash='abe655b391f80b5301e7908710c8e8c4647211eb', operation='INSERT OR UPDATE OF "parent_id"', pgid='pgtrigger_no_cycle_37e1b', table='kb_node', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='node',
                trigger=pgtrigger.compiler.Trigger(name='no_labels_left_when_retired', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (NEW."status" IN (\'retired\', \'merged\'))', func="\n                    IF EXISTS (SELECT 1 FROM kb_label l WHERE l.node_id = NEW.id) THEN\n                        RAISE EXCEPTION 'node % still carries labels: move them first', NEW.code\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='ebb4ebcc0b9fe3099fa44cd28bc36c76edc2ae78', operation='UPDATE OF "status"', pgid='pgtrigger_no_labels_left_when_retired_8dabb', table='kb_node', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='node',
                trigger=pgtrigger.compiler.Trigger(name='never_deleted', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;", hash='1f8dd916e207f161bb7d6b4ea1145aa63cbb3127', operation='DELETE', pgid='pgtrigger_never_deleted_14759', table='kb_node', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='node',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_nodeevent" ("aliases", "axis_id", "code", "definition", "examples", "exclude", "id", "include", "merged_into_id", "name", "no_crosswalk_reason", "note", "parent_id", "percent_of", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "position", "published_count", "published_percent", "published_trust", "specific_to_distributed", "status", "voted_in_by") SELECT new_values."aliases", new_values."axis_id", new_values."code", new_values."definition", new_values."examples", new_values."exclude", new_values."id", new_values."include", new_values."merged_into_id", new_values."name", new_values."no_crosswalk_reason", new_values."note", new_values."parent_id", new_values."percent_of", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."position", new_values."published_count", new_values."published_percent", new_values."published_trust", new_values."specific_to_distributed", new_values."status", new_values."voted_in_by" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='a8d85b559692e48709d35b6a8b879764ccdc3aa2', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_c6f7a', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_node', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='node',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_nodeevent" ("aliases", "axis_id", "code", "definition", "examples", "exclude", "id", "include", "merged_into_id", "name", "no_crosswalk_reason", "note", "parent_id", "percent_of", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "position", "published_count", "published_percent", "published_trust", "specific_to_distributed", "status", "voted_in_by") SELECT new_values."aliases", new_values."axis_id", new_values."code", new_values."definition", new_values."examples", new_values."exclude", new_values."id", new_values."include", new_values."merged_into_id", new_values."name", new_values."no_crosswalk_reason", new_values."note", new_values."parent_id", new_values."percent_of", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."position", new_values."published_count", new_values."published_percent", new_values."published_trust", new_values."specific_to_distributed", new_values."status", new_values."voted_in_by" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='ff915fcb110f811cecd4abaf39383f89f7d63c46', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_16fea', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_node', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='crosswalk',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_crosswalkevent" ("from_node_id", "id", "note", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "relation", "to_node_id") SELECT new_values."from_node_id", new_values."id", new_values."note", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."relation", new_values."to_node_id" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='bd94de6bb8576d42ad20947e2c8a31a1ce3e1f86', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_a84dc', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_crosswalk', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='crosswalk',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_crosswalkevent" ("from_node_id", "id", "note", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "relation", "to_node_id") SELECT new_values."from_node_id", new_values."id", new_values."note", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."relation", new_values."to_node_id" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='2173add6abec00e87c445294b1bd3cd8ed0f5318', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_61ae4', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_crosswalk', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='crosswalk',
                trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_crosswalkevent" ("from_node_id", "id", "note", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "relation", "to_node_id") SELECT old_values."from_node_id", old_values."id", old_values."note", _pgh_attached_context.value, NOW(), \'delete\', old_values."id", old_values."relation", old_values."to_node_id" FROM ( SELECT old_values.* FROM old_values  ) AS old_values, _pgh_attached_context; RETURN NULL;', hash='775b2eb0c3bd5ae936a479995e938fd76acd9049', level='STATEMENT', operation='DELETE', pgid='pgtrigger_delete_delete_73629', referencing='REFERENCING OLD TABLE AS old_values ', table='kb_crosswalk', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='playbook',
                trigger=pgtrigger.compiler.Trigger(name='on_fix_patterns_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF NOT EXISTS (SELECT 1 FROM kb_node n JOIN kb_axis a ON a.id = n.axis_id\n                                   WHERE n.id = NEW.node_id AND a.code = 'fix_pattern') THEN\n                        RAISE EXCEPTION 'a playbook belongs to a fix pattern' USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='7681411091129a5528c12e67a201eb0de9f8a2ef', operation='INSERT OR UPDATE OF "node_id"', pgid='pgtrigger_on_fix_patterns_only_4db8a', table='kb_playbook', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='playbook',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_playbookevent" ("after", "applies_when", "before", "caveats", "example_language", "example_note", "id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "steps") SELECT new_values."after", new_values."applies_when", new_values."before", new_values."caveats", new_values."example_language", new_values."example_note", new_values."id", new_values."node_id", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."steps" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='44f0a42e77cdc59ac6e372a75cb526b647de89c8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_816d9', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_playbook', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='playbook',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_playbookevent" ("after", "applies_when", "before", "caveats", "example_language", "example_note", "id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "steps") SELECT new_values."after", new_values."applies_when", new_values."before", new_values."caveats", new_values."example_language", new_values."example_note", new_values."id", new_values."node_id", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."steps" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='ccee810295569749f3160ca9354030218c27344a', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_6dea1', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_playbook', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='repository',
                trigger=pgtrigger.compiler.Trigger(name='name_is_no_alias', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF EXISTS (SELECT 1 FROM kb_repositoryalias a WHERE a.host = NEW.host\n                               AND lower(a.full_name) = lower(NEW.full_name) AND a.repository_id <> NEW.id) THEN\n                        RAISE EXCEPTION 'repository % is an old name of another repository', NEW.full_name\n                            USING ERRCODE = 'unique_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='60193cb5a97f1e53b13c73685ab184edc4c626b9', operation='INSERT OR UPDATE OF "host", "full_name"', pgid='pgtrigger_name_is_no_alias_6cce7', table='kb_repository', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='issue',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_issuetextevent" ("affected_versions", "fixed_version", "heading", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "read_on", "recognise", "resolution", "summary", "workaround") SELECT new_values."affected_versions", new_values."fixed_version", new_values."heading", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."read_on", new_values."recognise", new_values."resolution", new_values."summary", new_values."workaround" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='308b586b1b2d07c40483ccbf671b207ddb8df8ff', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_cbe11', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_issue', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='issue',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_issuetextevent" ("affected_versions", "fixed_version", "heading", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "read_on", "recognise", "resolution", "summary", "workaround") SELECT new_values."affected_versions", new_values."fixed_version", new_values."heading", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."read_on", new_values."recognise", new_values."resolution", new_values."summary", new_values."workaround" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values."affected_versions" IS DISTINCT FROM (new_values."affected_versions") OR old_values."fixed_version" IS DISTINCT FROM (new_values."fixed_version") OR old_values."heading" IS DISTINCT FROM (new_values."heading") OR old_values."read_on" IS DISTINCT FROM (new_values."read_on") OR old_values."recognise" IS DISTINCT FROM (new_values."recognise") OR old_values."resolution" IS DISTINCT FROM (new_values."resolution") OR old_values."summary" IS DISTINCT FROM (new_values."summary") OR old_values."workaround" IS DISTINCT FROM (new_values."workaround")) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='c3a6e4e7046e41f7568a4623a81bab0789de30f9', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_03662', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_issue', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='repositoryalias',
                trigger=pgtrigger.compiler.Trigger(name='alias_is_no_current_name', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF EXISTS (SELECT 1 FROM kb_repository r WHERE r.host = NEW.host\n                               AND lower(r.full_name) = lower(NEW.full_name)) THEN\n                        RAISE EXCEPTION 'alias % is the current name of a repository', NEW.full_name\n                            USING ERRCODE = 'unique_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='f15d8e5f787751b8613db44269bf108f7bfdccfb', operation='INSERT OR UPDATE OF "host", "full_name"', pgid='pgtrigger_alias_is_no_current_name_1af51', table='kb_repositoryalias', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='label',
                trigger=pgtrigger.compiler.Trigger(name='on_active_nodes_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF EXISTS (\n                        SELECT 1 FROM new_labels l JOIN kb_node n ON n.id = l.node_id WHERE n.status <> 'active'\n                    ) THEN\n                        RAISE EXCEPTION 'a label may not be put on a retired or merged node'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NULL;\n                ", hash='8f231a0434b8b5a3ec95cfe887b15759cd2a0cdc', level='STATEMENT', operation='INSERT', pgid='pgtrigger_on_active_nodes_only_f2a57', referencing='REFERENCING NEW TABLE AS new_labels ', table='kb_label', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='label',
                trigger=pgtrigger.compiler.Trigger(name='moves_to_active_nodes_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    IF EXISTS (SELECT 1 FROM kb_node n WHERE n.id = NEW.node_id AND n.status <> 'active') THEN\n                        RAISE EXCEPTION 'a label may not be put on a retired or merged node'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ", hash='f7257dc06f9686195bf65ea40b9f90cc91230cd8', operation='UPDATE OF "node_id"', pgid='pgtrigger_moves_to_active_nodes_only_2560a', table='kb_label', when='BEFORE')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='label',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_labelevent" ("axis_id", "created_at", "id", "issue_id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "reason", "source_id") SELECT new_values."axis_id", new_values."created_at", new_values."id", new_values."issue_id", new_values."node_id", _pgh_attached_context.value, NOW(), \'insert\', new_values."id", new_values."reason", new_values."source_id" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='bc72530b1995fb03f66d4db21488b4a5883e74d1', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_e817a', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_label', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='label',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_labelevent" ("axis_id", "created_at", "id", "issue_id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "reason", "source_id") SELECT new_values."axis_id", new_values."created_at", new_values."id", new_values."issue_id", new_values."node_id", _pgh_attached_context.value, NOW(), \'update\', new_values."id", new_values."reason", new_values."source_id" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values.* IS DISTINCT FROM new_values.*) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='7b34e735755d838938b29e278768ddb052258467', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_d6a02', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_label', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='label',
                trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_labelevent" ("axis_id", "created_at", "id", "issue_id", "node_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "reason", "source_id") SELECT old_values."axis_id", old_values."created_at", old_values."id", old_values."issue_id", old_values."node_id", _pgh_attached_context.value, NOW(), \'delete\', old_values."id", old_values."reason", old_values."source_id" FROM ( SELECT old_values.* FROM old_values  ) AS old_values, _pgh_attached_context; RETURN NULL;', hash='96d427dcfff7d2d9cda3cce03428dbacc33764dd', level='STATEMENT', operation='DELETE', pgid='pgtrigger_delete_delete_1995d', referencing='REFERENCING OLD TABLE AS old_values ', table='kb_label', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='causelink',
                trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_causelinknoteevent" ("note", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") SELECT new_values."note", _pgh_attached_context.value, NOW(), \'insert\', new_values."id" FROM ( SELECT new_values.* FROM new_values  ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='fbe30a8cdcf651749667f119625d75bd64b97eb1', level='STATEMENT', operation='INSERT', pgid='pgtrigger_insert_insert_1d662', referencing='REFERENCING NEW TABLE AS new_values ', table='kb_causelink', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='causelink',
                trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(func='WITH _pgh_attached_context AS ( SELECT _pgh_attach_context() AS value ) INSERT INTO "kb_causelinknoteevent" ("note", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") SELECT new_values."note", _pgh_attached_context.value, NOW(), \'update\', new_values."id" FROM ( SELECT new_values.* FROM old_values JOIN new_values ON (old_values."id") = (new_values."id") WHERE (old_values."note" IS DISTINCT FROM (new_values."note")) ) AS new_values, _pgh_attached_context; RETURN NULL;', hash='5c001151f7e48374f07bc13e3b8403ec15ea9767', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_update_update_2549f', referencing='REFERENCING OLD TABLE AS old_values  NEW TABLE AS new_values ', table='kb_causelink', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='surveyplace',
                trigger=pgtrigger.compiler.Trigger(name='themes_without_gaps', sql=pgtrigger.compiler.UpsertTriggerSql(func='\n                    IF EXISTS (\n                        SELECT 1 FROM new_places p JOIN kb_node n ON n.id = p.node_id\n                        JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id\n                        WHERE n.status <> \'active\' OR n.parent_id IS NOT NULL OR a.code <> \'theme\'\n                            OR s.study_id IS NOT NULL OR split_part(n.code, \'.\', 1) <> p."group"\n                    ) THEN\n                        RAISE EXCEPTION \'only active themes of the house codebook can be ranked, each in its own group\'\n                            USING ERRCODE = \'check_violation\';\n                    END IF;\n                    IF EXISTS (\n                        SELECT 1 FROM kb_surveyplace p\n                        WHERE p.answer_id IN (SELECT answer_id FROM new_places)\n                        GROUP BY p.answer_id, p."group" HAVING max(p.rank) <> count(*)\n                    ) THEN\n                        RAISE EXCEPTION \'a ranking leaves no place empty\' USING ERRCODE = \'check_violation\';\n                    END IF;\n                    RETURN NULL;\n                ', hash='db7184c9ab906a25d9c13f71c075c6bf17fa8096', level='STATEMENT', operation='INSERT', pgid='pgtrigger_themes_without_gaps_90d83', referencing='REFERENCING NEW TABLE AS new_places ', table='kb_surveyplace', when='AFTER')),
            ),
            pgtrigger.migrations.AddTrigger(
                model_name='surveyplace',
                trigger=pgtrigger.compiler.Trigger(name='never_changed', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;", hash='faa500420c6a23d1df02200985c3f7508c5146bb', operation='UPDATE', pgid='pgtrigger_never_changed_45bcb', table='kb_surveyplace', when='BEFORE')),
            ),
        ],
    ]
