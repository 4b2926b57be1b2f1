"""The shapes of our own measures."""

from rest_framework import serializers

from kb.api.serializers.base import Shape, Stated
from kb.core.quality.figures import SUBJECTS, Figure
from kb.core.quality.wording import wording


class MeasuredFigureSerializer(Shape):
    """A measured figure."""

    name = serializers.CharField(help_text="Code of the measure, such as `f1` or `node_top_1`.")
    means = serializers.SerializerMethodField(help_text="What it measures.")
    among = serializers.CharField(help_text="Code of the cases that it was measured on.")
    among_title = serializers.SerializerMethodField(help_text="The cases in words.")
    by = serializers.CharField(help_text="Code of the method: `faultbook`, or what it was measured beside.")
    by_title = serializers.SerializerMethodField(help_text="The method in words.")
    value = serializers.FloatField(help_text="A share or mean from 0 to 1; coefficients of agreement from -1.")
    n = serializers.IntegerField(help_text="How many cases it rests on.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the 95 % interval.")

    def get_means(self, figure: Figure) -> str:
        """What its name stands for."""
        return wording().measures[figure.name].means

    def get_among_title(self, figure: Figure) -> str:
        """Its cases."""
        return wording().sets[figure.among]

    def get_by_title(self, figure: Figure) -> str:
        """Its method."""
        return wording().methods[figure.by]


class MeasuredSubjectSerializer(Shape):
    """What was measured of one part of Faultbook."""

    of = serializers.ChoiceField(choices=SUBJECTS, help_text="Code of the part.")
    title = serializers.CharField(help_text="The part in words.")
    how = serializers.CharField(help_text="How it was measured, and what the figures cannot say.")
    command = Stated(help_text="The command that measures it again; null where none can.")
    measured_on = serializers.DateField(help_text="The day.")
    version = Stated(help_text="What it was measured with; null where that has no version.")
    figures = MeasuredFigureSerializer(many=True, help_text="The figures.")


class PublishedMethodSerializer(Shape):
    """What a method of a study reached."""

    by = serializers.CharField(help_text="The method, as the study calls it.")
    about = serializers.CharField(help_text="`lines`, `nodes` or `levels`.")
    figures = serializers.DictField(child=serializers.FloatField(), help_text="Its figures, by our measures' codes.")


class PublishedFiguresSerializer(Shape):
    """What others published of their own measurements."""

    study = serializers.CharField(help_text="Slug of the study.")
    place = serializers.CharField(help_text="Where it stands.")
    data = serializers.CharField(help_text="The data that it was measured on.")  # type: ignore[assignment]
    n = serializers.DictField(child=serializers.IntegerField(), help_text="Of how many jobs, by what rows are about.")
    rows = PublishedMethodSerializer(many=True, help_text="The methods.")


class QualitySerializer(Shape):
    """How good Faultbook is, by its own measures."""

    page = serializers.URLField(help_text="Our page with them.")
    subjects = MeasuredSubjectSerializer(many=True, help_text="What was measured.")
    published = PublishedFiguresSerializer(many=True, help_text="What others published, on data of their own.")
    not_measured = serializers.ListField(child=serializers.CharField(), help_text="What was not measured.")
