"""Projects, their codebooks, and rounds."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.models import AxisKind, Codebook, Member, NodeVersion, Role, Round
from labeling.selectors.codebooks import AxisNodes, axes_of


class ProjectSerializer(serializers.Serializer[Member]):
    """A project as its member sees it."""

    slug = serializers.CharField(source="project.slug", help_text="Short name, used in addresses.")
    name = serializers.CharField(source="project.name", help_text="Name.")
    question = serializers.CharField(source="project.question", help_text="What the project wants to find out.")
    is_demo = serializers.BooleanField(source="project.is_demo", help_text="Is it a demo?")
    archived_at = serializers.DateTimeField(source="project.archived_at", help_text="When it was archived; else null.")
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), help_text="What you may do in it."
    )
    pseudonym = serializers.CharField(help_text="Your pseudonym in exports and releases.")


class NodeSerializer(serializers.Serializer[NodeVersion]):
    """A node as one codebook words it."""

    code = serializers.CharField(source="node.code", help_text="Code, used in votes.")
    name = serializers.CharField(help_text="Name.")
    definition = serializers.CharField(help_text="What it means.")
    include = serializers.ListField(child=serializers.CharField(), help_text="What it includes.")
    exclude = serializers.ListField(child=serializers.CharField(), help_text="What does not.")
    examples = serializers.ListField(child=serializers.CharField(), help_text="Examples.")
    aliases = serializers.ListField(child=serializers.CharField(), help_text="Other names of it.")
    # The stubs know the name from fields only; as a declared key it never reaches an instance.
    parent = serializers.CharField(  # type: ignore[assignment]
        source="parent.code", default=None, help_text="Code of the node above; else null."
    )


class CodebookAxisSerializer(serializers.Serializer[AxisNodes]):
    """An axis with its nodes."""

    code = serializers.CharField(source="axis.code", help_text="Code, used in votes.")
    name = serializers.CharField(source="axis.name", help_text="Name.")
    question = serializers.CharField(source="axis.question", help_text="The question that a vote answers.")
    kind = serializers.ChoiceField(
        source="axis.kind", choices=AxisKind.choices, help_text="What an answer is; a scale's nodes are its steps."
    )
    several = serializers.BooleanField(source="axis.several", help_text="May an answer name several nodes?")
    nodes = NodeSerializer(source="versions", many=True, help_text="Its answers, in order.")


class CodebookSerializer(serializers.Serializer[Codebook]):
    """A numbered codebook of a project; it never changes."""

    number = serializers.IntegerField(help_text="Number in the project.")
    change = serializers.CharField(help_text="What changed in this version, and why.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    axes = serializers.SerializerMethodField(help_text="Its axes with their nodes.")

    @extend_schema_field(CodebookAxisSerializer(many=True))
    def get_axes(self, codebook: Codebook) -> list[dict[str, Any]]:
        """The axes in order."""
        return [dict(CodebookAxisSerializer(nodes).data) for nodes in axes_of(codebook=codebook)]


class RoundSerializer(serializers.Serializer[Round]):
    """A round: a sample of issues, labelled by one codebook under one rule."""

    number = serializers.IntegerField(help_text="Number in the project.")
    kind = serializers.ChoiceField(choices=Round.Kind.choices, help_text="What it is for.")
    is_from_file = serializers.BooleanField(help_text="Were its votes cast elsewhere and imported from a file?")
    name = serializers.CharField(help_text="Name.")
    state = serializers.ChoiceField(choices=Round.State.choices, help_text="Where it is.")
    codebook = serializers.IntegerField(source="codebook.number", help_text="Number of its codebook.")
    guideline = serializers.IntegerField(
        source="guideline.number", default=None, help_text="Number of its guidelines; null where there are none."
    )
    shows_comments = serializers.BooleanField(help_text="Are comments shown with the issue?")
    votes_wanted = serializers.IntegerField(help_text="Votes of different people that every issue gets.")
    rule = serializers.ChoiceField(choices=Round.Rule.choices, help_text="How votes become an outcome.")
    release = serializers.ChoiceField(choices=Round.Release.choices, help_text="When annotators see others' votes.")
    hold_minutes = serializers.IntegerField(help_text="How long an issue stays reserved.")
    deadline = serializers.DateField(help_text="When the votes should be in; null where there is no deadline.")
    opened_at = serializers.DateTimeField(help_text="When it was opened; else null.")
    closed_at = serializers.DateTimeField(help_text="When it was closed; else null.")


class RoundDetailSerializer(RoundSerializer):
    """A round with the guidelines it is labelled by."""

    issues = serializers.SerializerMethodField(help_text="How many issues it has.")
    guideline_text = serializers.CharField(
        source="guideline.text", default="", help_text="The guidelines as Markdown; empty where there are none."
    )

    def get_issues(self, round_: Round) -> int:
        """The size of the sample."""
        return round_.items.count()
