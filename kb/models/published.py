"""The tables that studies published, cell by cell, as their files give them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse

from kb.models.codebook import Study, Trust

FRAMEWORK = "framework"
# The key of the row for all that has none of its own.
REST = "rest"


class PublishedTable(models.Model):
    """A table of a study. Its keys are codes of the study's categories, or frameworks' slugs."""

    class Unit(models.TextChoices):
        """The unit that a study counted."""

        REPORTS = "reports", "reports"
        RECORDS = "records", "records of the data"
        INSTANCES = "instances", "instances"
        PHRASES = "phrases", "phrases"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="tables", db_index=False)
    slug = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)
    title = models.TextField()
    place = models.TextField(help_text="Where the study prints it.")
    unit = models.CharField(max_length=10, choices=Unit.choices)
    part_of = models.TextField(blank=True, help_text="What it is a table of, unless of the whole sample.")
    trust = models.CharField(max_length=10, choices=Trust.choices)
    rows_by = models.CharField(max_length=30, help_text="Code of an axis of the study, or `framework`.")
    columns_by = models.CharField(max_length=30, blank=True, help_text="Empty: the table has one column.")
    row_keys = ArrayField(models.CharField(max_length=64))
    column_keys = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    total = models.PositiveIntegerField(null=True, blank=True)
    total_is_doubtful = models.BooleanField(default=False)
    percent_digits = models.PositiveSmallIntegerField(default=0, help_text="Printed after the point.")
    is_recounted = models.BooleanField(default=False, help_text="Can it be counted again from the study's data?")
    not_recounted_reason = models.TextField(blank=True)
    misprints = ArrayField(models.TextField(), default=list, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("study", "position")
        constraints = (
            models.UniqueConstraint(fields=("study", "slug"), name="publishedtable_study_slug_unique"),
            models.CheckConstraint(
                condition=Q(is_recounted=True, not_recounted_reason="")
                | Q(is_recounted=False) & ~Q(not_recounted_reason=""),
                name="publishedtable_recounted_or_reason",
            ),
        )

    def __str__(self) -> str:
        return f"{self.study.code}: {self.title}"

    def get_absolute_url(self) -> str:
        """The table's anchor on its study's page."""
        return f"{reverse('study', args=(self.study.slug,))}#table-{self.slug}"


class PublishedCell(models.Model):
    """A number of a table. An empty key stands for the sum over all rows or columns."""

    table = models.ForeignKey(PublishedTable, on_delete=models.CASCADE, related_name="cells", db_index=False)
    row = models.CharField(max_length=64, blank=True)
    column = models.CharField(max_length=64, blank=True)
    count = models.PositiveIntegerField(null=True, blank=True)
    percent = models.FloatField(null=True, blank=True, help_text="Of the table's total, as printed.")
    is_doubtful = models.BooleanField(default=False)

    class Meta:
        ordering = ("table", "pk")
        constraints = (
            models.UniqueConstraint(fields=("table", "row", "column"), name="publishedcell_unique"),
            models.CheckConstraint(
                condition=Q(count__isnull=False) | Q(percent__isnull=False), name="publishedcell_says_something"
            ),
        )

    def __str__(self) -> str:
        return f"{self.table_id}: {self.row or 'sum'} × {self.column or 'sum'}"
