"""Playbooks: of fix patterns, and of common faults."""

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.api.examples import JsonObject
from kb.api.serializers.base import NodeRefSerializer, PageAddress, Shape, Stated
from kb.core.fault_playbooks import FaultPlaybook
from kb.http.site import absolute
from kb.models import Playbook


class PlaybookExampleSerializer(Shape):
    """An example of our own."""

    before = serializers.CharField(help_text="Code or settings with the fault.")
    after = serializers.CharField(help_text="The same after the pattern.")
    note = serializers.CharField(source="example_note", help_text="What it shows.")
    language = serializers.CharField(source="example_language", help_text="Its language, such as `python`.")

    def to_representation(self, instance: Playbook) -> JsonObject | None:  # type: ignore[override]
        """Null where the playbook has none."""
        if not instance.before:
            return None
        shown: JsonObject = super().to_representation(instance)
        return shown


class PlaybookSerializer(Shape):
    """How a fix pattern is applied."""

    code = serializers.CharField(source="node.code", help_text="Code of the fix pattern in the house codebook.")
    pattern = NodeRefSerializer(source="node", help_text="The fix pattern.")
    applies_when = serializers.CharField(help_text="When it applies.")
    steps = serializers.ListField(child=serializers.CharField(), help_text="What to do, in order.")
    caveats = serializers.ListField(child=serializers.CharField(), help_text="What to mind.")
    example = PlaybookExampleSerializer(source="*", allow_null=True, help_text="An example; null without one.")
    issues = serializers.SerializerMethodField(help_text="Issues with the pattern or one below it.")
    fixes = serializers.SerializerMethodField(help_text="Their known fixes.")
    page = PageAddress()

    def get_issues(self, playbook: Playbook) -> int:
        """Without pull requests."""
        counted = self.context["counts"].get(playbook.node_id)
        return counted.issues if counted else 0

    def get_fixes(self, playbook: Playbook) -> int:
        """Each once."""
        counted = self.context["counts"].get(playbook.node_id)
        return len(counted.fixes) if counted else 0


class OutcomeSerializer(Shape):
    """What a check may show, and what follows: `next` or `do`."""

    see = serializers.CharField(help_text="What is seen.")
    means = Stated(help_text="What it means.")
    next = Stated(help_text="Id of the step that follows.")
    do = Stated(help_text="What to do.")
    commands = Stated(help_text="Commands for it.")
    records = serializers.ListField(child=serializers.URLField(), help_text="Issues that taught it.")


class StepSerializer(Shape):
    """One check."""

    id = serializers.CharField(help_text="Id within the playbook.")
    check = serializers.CharField(help_text="What to look at.")
    why = Stated(help_text="Why.")
    commands = Stated(help_text="Commands for it.")
    outcomes = OutcomeSerializer(many=True, help_text="What it may show.")


class FaultPlaybookSerializer(Shape):
    """What to check about a common fault: a tree whose first step comes first."""

    slug = serializers.CharField(help_text="Name in addresses.")
    name = serializers.CharField(help_text="What the fault is called.")
    asked = serializers.ListField(child=serializers.CharField(), help_text="What people type, in any language.")
    lines = serializers.ListField(child=serializers.CharField(), help_text="Lines that tools print then.")
    symptom = Stated(help_text="Code of the symptom in the house codebook.")
    summary = serializers.CharField(help_text="The fault in short.")
    steps = StepSerializer(many=True, help_text="The checks.")
    page = serializers.SerializerMethodField(help_text="Our page about it.")

    @extend_schema_field(OpenApiTypes.URI)
    def get_page(self, playbook: FaultPlaybook) -> str:
        """The absolute address of its page."""
        return absolute(self.context["request"], reverse("fault-playbook", args=(playbook.slug,)))
