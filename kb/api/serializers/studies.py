"""Studies' published tables, and the priorities that people name."""

from rest_framework import serializers

from kb.api.serializers.base import Shape, Stated
from kb.core.search.lookup import either
from kb.models import PublishedTable, Trust


class TableCellSerializer(Shape):
    """A number of a table; an empty key stands for the sum. What is not known is null."""

    row = serializers.CharField(allow_blank=True, help_text="Key of the row: a category, or a framework's slug.")
    row_name = serializers.CharField(help_text="Name of the row.")
    column = serializers.CharField(allow_blank=True, help_text="Key of the column.")
    column_name = serializers.CharField(help_text="Name of the column.")
    published = serializers.IntegerField(allow_null=True, help_text="The count as printed.")
    published_percent = serializers.FloatField(allow_null=True, help_text="The percentage as printed.")
    doubtful = serializers.BooleanField(allow_null=True, help_text="Whether the printed number is doubtful.")
    recounted = serializers.IntegerField(allow_null=True, help_text="The same counted from the imported data.")
    recounted_percent = serializers.FloatField(allow_null=True, help_text="As a percentage.")
    difference = serializers.IntegerField(allow_null=True, help_text="Counted less printed.")
    issues_on_this_site = serializers.IntegerField(
        allow_null=True, help_text="Distinct issues here, pull requests left out."
    )


class StudyTableSerializer(Shape):
    """A table as a study published it, beside the same counted again where its data is imported."""

    study = serializers.CharField(help_text="Slug of the study.")
    table = serializers.CharField(help_text="Slug of the table, unique within the study.")
    title = serializers.CharField(help_text="Title.")
    place = serializers.CharField(help_text="Where the study prints it.")
    unit = serializers.CharField(help_text=f"What was counted: {either(PublishedTable.Unit.values)}.")
    part_of = Stated(help_text="What it is a table of, unless of the whole sample.")
    trust = serializers.ChoiceField(choices=Trust.choices, help_text="How its numbers were obtained.")
    total = serializers.IntegerField(allow_null=True, help_text="Size of what was counted.")
    total_is_doubtful = serializers.BooleanField(help_text="Whether that is doubtful.")
    misprints = serializers.ListField(child=serializers.CharField(), help_text="Known slips in print or data.")
    note = Stated(help_text="A note.")
    is_imported = serializers.BooleanField(help_text="Whether the study's data is imported here.")
    not_given = serializers.ListField(
        child=serializers.CharField(), help_text="The frameworks whose data was not given to the import."
    )
    not_recounted = Stated(help_text="Why it cannot be counted again.")
    verdict = Stated(help_text="What counting again gave, in words.")
    cells = TableCellSerializer(many=True, help_text="Its numbers, row by row.")
    page = serializers.URLField(source="url", help_text="Its place on our page about the study.")


class PrioritiesSerializer(Shape):
    """Which themes people find most pressing: the survey of this site beside orders that studies published."""

    audience = serializers.DictField(help_text="Whose answers: `role` and `experience`, null for everybody's.")
    answers = serializers.IntegerField(help_text="Answers that count, of all people.")
    excluded_answers = serializers.IntegerField(help_text="Answers that staff excluded, each with a reason.")
    fewest_raters = serializers.IntegerField(help_text="Fewer people than these are too few to say anything.")
    treatment = serializers.CharField(help_text="How the numbers are computed.")
    groups = serializers.DictField(help_text="By group of themes: raters, agreement, mean ranks.")
    published = serializers.DictField(help_text="The study, its sample, and its orders with their place and trust.")
