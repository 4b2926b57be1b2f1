"""Hints by root cause and by symptom."""

from typing import get_args

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.api.serializers.base import Shape
from kb.codebook.hints import HintAxis, HintRow
from kb.http.site import absolute


class ReproductionSerializer(Shape):
    """The smallest set-up that shows a fault of this kind."""

    gpus = serializers.IntegerField(help_text="Accelerators that it takes; 0 where a CPU is enough.")
    processes = serializers.IntegerField(help_text="Processes, or ranks, that it takes.")
    how = serializers.CharField(help_text="How; commands stand between backticks.")


class HintSerializer(Shape):
    """What would have told a root cause earlier, and the smallest set-up that shows it or a symptom."""

    axis = serializers.ChoiceField(choices=get_args(HintAxis), help_text="Axis of the house codebook.")
    code = serializers.CharField(help_text="Code of the category on that axis.")
    test = serializers.CharField(
        source="of_cause.test", default=None, allow_null=True, help_text="A test that catches it; null for a symptom."
    )
    log = serializers.CharField(
        source="of_cause.log", default=None, allow_null=True, help_text="What a log should say; null for a symptom."
    )
    reproduce = ReproductionSerializer(source="hints.reproduce", help_text="The smallest set-up that shows it.")
    records = serializers.ListField(
        source="hints.records", child=serializers.URLField(), help_text="Issues that teach it, among others."
    )
    fix_patterns = serializers.ListField(
        source="of_cause.patterns",
        default=list,
        child=serializers.CharField(),
        help_text="Codes of fix patterns that often settle it.",
    )
    playbooks = serializers.ListField(
        source="of_cause.faults",
        default=list,
        child=serializers.CharField(),
        help_text="Slugs of common faults that it is often behind.",
    )
    page = serializers.SerializerMethodField(help_text="Our page about it.")

    @extend_schema_field(OpenApiTypes.URI)
    def get_page(self, row: HintRow) -> str:
        """The absolute address of its place on the category's page."""
        path = reverse("node", args=("house", row.axis, row.code))
        return absolute(self.context["request"], f"{path}#hints")
