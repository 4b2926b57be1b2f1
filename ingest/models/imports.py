"""What imports leave behind: runs, rejections, the rows of data sets as they were counted, and annotators' votes.

Issues and labels themselves live in `kb`. A row's labels follow from its answers; the rows stay, because a
study's totals count rows, not issues.
"""

from django.db import models
from django.db.models import Q

from ingest.rejections import Effect, Reason
from kb.models import Issue, Node, Source


class ImportRun(models.Model):
    """One call of an importer."""

    class Kind(models.TextChoices):
        """Which importer ran."""

        STUDY = "study", "Labelled data set"
        ISSUES = "issues", "Issue dump"

    class Status(models.TextChoices):
        """How far it came."""

        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Nothing or not everything imported"
        INTERRUPTED = "interrupted", "Interrupted"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True, related_name="import_runs")
    mapping = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    files = models.JSONField(default=list, blank=True, help_text="Counts and times of each file.")

    class Meta:
        ordering = ("-started_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=(Q(kind="study") & Q(source__isnull=False)) | (Q(kind="issues") & Q(source__isnull=True)),
                name="importrun_source_goes_with_study",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.source or ''} {self.started_at:%Y-%m-%d %H:%M}".replace("  ", " ")


class ImportRejection(models.Model):
    """Something of a file that a run did not take as it stands."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="rejections")
    file = models.CharField(max_length=255)
    line = models.PositiveBigIntegerField(help_text="Physical line of the file; 0 for the file as a whole.")
    reason = models.CharField(max_length=20, choices=[(reason.value, reason.label) for reason in Reason])
    effect = models.CharField(max_length=16, choices=[(effect.value, effect.label) for effect in Effect])
    message = models.TextField()
    value = models.TextField(blank=True, help_text="The raw value, cut.")

    class Meta:
        ordering = ("run", "file", "line", "pk")

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ImportedFile(models.Model):
    """A file of a data set, known by its name within the source."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="imported_files")
    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, help_text="Of the content that was imported last.")
    run = models.ForeignKey(
        ImportRun, on_delete=models.SET_NULL, null=True, related_name="imported_files", help_text="The last import."
    )

    class Meta:
        ordering = ("source", "name")
        constraints = (models.UniqueConstraint(fields=("source", "name"), name="importedfile_source_name_unique"),)

    def __str__(self) -> str:
        return self.name


class ImportedRow(models.Model):
    """One row of a data set. Rows about the same issue differ in `occurrence`; every one counts in the totals."""

    file = models.ForeignKey(ImportedFile, on_delete=models.CASCADE, related_name="rows", db_index=False)
    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="imported_rows")
    occurrence = models.PositiveSmallIntegerField(help_text="1 for the first row about this issue in the file.")
    line = models.PositiveBigIntegerField()
    gives_labels = models.BooleanField(help_text="Do the row's answers become labels of the issue?")
    answers = models.ManyToManyField(Node, through="ImportedAnswer", related_name="+")

    class Meta:
        ordering = ("file", "line")
        constraints = (
            models.UniqueConstraint(fields=("file", "issue", "occurrence"), name="importedrow_occurrence_unique"),
        )

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class ImportedAnswer(models.Model):
    """A row's final answer, as published."""

    row = models.ForeignKey(ImportedRow, on_delete=models.CASCADE, related_name="+", db_index=False)
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        ordering = ("row", "node")
        constraints = (models.UniqueConstraint(fields=("row", "node"), name="importedanswer_row_node_unique"),)

    def __str__(self) -> str:
        return f"{self.row}: {self.node}"


class AnnotatorVote(models.Model):
    """What one annotator answered on one row; issue and source are the row's, the axis is the node's.

    Hangs on the row, not on the issue, so that both votes stay where a data set holds an issue twice.
    """

    row = models.ForeignKey(ImportedRow, on_delete=models.CASCADE, related_name="votes", db_index=False)
    annotator = models.PositiveSmallIntegerField(help_text="Number of the annotator's column, from 1.")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="+", db_index=False)

    class Meta:
        ordering = ("row", "annotator", "node")
        constraints = (
            models.UniqueConstraint(fields=("row", "annotator", "node"), name="annotatorvote_once"),
            models.CheckConstraint(condition=Q(annotator__gte=1), name="annotatorvote_annotator_from_1"),
        )

    def __str__(self) -> str:
        return f"{self.row}: annotator {self.annotator}: {self.node}"


class SuggestionMark(models.Model):
    """That an issue's text was read for suggestions, and as what: a text that is another now is read again."""

    issue = models.OneToOneField(Issue, on_delete=models.CASCADE, primary_key=True, related_name="+")
    made_of = models.CharField(
        max_length=32, help_text="Stands for the text, the host's labels, the codebook's words and the rules."
    )

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.made_of}"
