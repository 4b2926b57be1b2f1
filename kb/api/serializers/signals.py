"""Signals: the kinds of log lines that a diagnosis knows."""

from typing import get_args

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kb.api.serializers.base import Shape, Stated
from kb.core.diagnosis.signals.commands import filled
from kb.core.diagnosis.signals.format import Role, Scope, Signal
from kb.core.diagnosis.signals.search import STACKS, families
from kb.http.site import absolute


class SignalSerializer(Shape):
    """A kind of log line that is known: what it means, what to check, what it may come from."""

    code = serializers.CharField(help_text="Code, unique among signals; a diagnosis names it with each line.")
    family = serializers.CharField(help_text="Family, such as `nccl`.")
    family_title = serializers.SerializerMethodField(help_text="The family in words.")
    stack = serializers.SerializerMethodField(help_text=f"Part of the stack: {', '.join(STACKS)}.")
    means = serializers.CharField(help_text="What the line means; the first sentence is its headline.")
    role = serializers.ChoiceField(choices=get_args(Role), help_text="The line's part in a failure.")
    scope = serializers.ChoiceField(choices=get_args(Scope), help_text="What it points at.")
    strength = serializers.CharField(help_text="How surely such a line shows its first cause, in words.")
    symptom = Stated(help_text="Code of the symptom in the house codebook; null where it shows none.")
    causes = serializers.ListField(
        child=serializers.CharField(), help_text="Codes of root causes in the house codebook, the likeliest first."
    )
    check = serializers.SerializerMethodField(help_text="What to do; commands stand between backticks.")
    check_in = serializers.SerializerMethodField(
        help_text="By stage of a run: what to do instead where it fails in that stage."
    )
    examples = serializers.ListField(child=serializers.CharField(), help_text="Lines of our own in the real format.")
    misses = serializers.ListField(child=serializers.CharField(), help_text="Similar lines that are something else.")
    source = serializers.URLField(help_text="Where the line is documented or written.")  # type: ignore[assignment]
    page = serializers.SerializerMethodField(help_text="Our page about it.")

    def get_family_title(self, signal: Signal) -> str:
        """The title of its family."""
        return families()[signal.family].title

    def get_stack(self, signal: Signal) -> str:
        """The stack of its family."""
        return families()[signal.family].stack

    def get_check(self, signal: Signal) -> list[str]:
        """The checks with plain words where a diagnosis has names."""
        return [filled(check) for check in signal.check]

    def get_check_in(self, signal: Signal) -> dict[str, list[str]]:
        """The checks of each stage that has its own."""
        return {stage: [filled(check) for check in checks] for stage, checks in signal.check_in.items()}

    @extend_schema_field(OpenApiTypes.URI)
    def get_page(self, signal: Signal) -> str:
        """The absolute address of its place on the page of signals."""
        return absolute(self.context["request"], f"{reverse('signals')}?family={signal.family}#{signal.code}")
