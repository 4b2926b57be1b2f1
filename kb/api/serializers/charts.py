"""The shapes of charts."""

from django.urls import reverse
from rest_framework import serializers

from kb.api.serializers.base import Shape
from kb.charts.chart import Chart


class ChoiceSerializer(Shape):
    """A value of an option."""

    value = serializers.CharField(help_text="Value in the address.")
    name = serializers.CharField(source="label", help_text="Display text.")
    explained = serializers.CharField(help_text="What it means; empty where the name says it.")


class OptionSerializer(Shape):
    """A way to look at a chart."""

    parameter = serializers.CharField(source="name", help_text="Name of the parameter.")
    name = serializers.CharField(source="label", help_text="Display text.")
    choices = ChoiceSerializer(many=True, help_text="Its values; the first is the default.")


class ChartPage(serializers.URLField):
    """The absolute address of a chart's page."""

    def to_representation(self, value: Chart) -> str:  # type: ignore[override]
        """As the visitor reached this site."""
        address: str = self.context["request"].build_absolute_uri(reverse("chart", args=(value.slug,)))
        return address


class ChartSerializer(Shape):
    """A chart."""

    slug = serializers.CharField(help_text="Name used in addresses.")
    title = serializers.CharField(help_text="Display name.")
    lead = serializers.CharField(help_text="The question it answers.")
    method = serializers.CharField(help_text="How it is computed.")
    options = OptionSerializer(many=True, help_text="The ways to look at it.")
    page = ChartPage(source="*", help_text="Our page with it.")


class ChartsSerializer(Shape):
    """Every chart there is."""

    charts = ChartSerializer(many=True, help_text="All charts, in the order of their pages.")


class CountedSerializer(Shape):
    """How many issues are in a chart."""

    issues = serializers.IntegerField(help_text="Issues in the figure, each counted once.")
    all_issues = serializers.IntegerField(help_text="Issues of the population that match the filters.")
    condition = serializers.CharField(help_text="Which issues are in the figure.")
    population = serializers.CharField(help_text="Which issues `all_issues` are: labelled ones, or any.")


class ChartSourceSerializer(Shape):
    """Source of the counted answers."""

    name = serializers.CharField(help_text="Name of the source.")
    issues = serializers.IntegerField(help_text="Its labelled issues that match the filters.")


class ChartDetailSerializer(ChartSerializer):
    """A chart with its numbers."""

    chosen = serializers.DictField(child=serializers.CharField(), help_text="The value of each option.")
    counted = CountedSerializer(help_text="How many issues are in it.")
    sources = ChartSourceSerializer(many=True, help_text="Source of the counted answers.")
    notes = serializers.ListField(child=serializers.CharField(), help_text="What a reader must know.")
    records = serializers.ListField(
        child=serializers.DictField(),
        help_text="The numbers one by one; keys depend on the chart. `issues_url` shows the issues behind a number.",
    )
