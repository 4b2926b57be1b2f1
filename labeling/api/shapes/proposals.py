"""Proposals to change the codebook, as they are shown and as their authors send them."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from labeling.models import ProjectNode, Proposal
from labeling.selectors import codebook_history
from labeling.selectors.codebooks import axes_of
from labeling.selectors.proposals import known_issues
from labeling.services.proposals import ProposalContent
from labeling.wordings import wording_of

MOST_TEXT = 5_000
MOST_LINES = 100
MOST_PARTS = 6
MOST_EVIDENCE = 30


class LinesField(serializers.ListField):
    """Lines of text; none where the key is left out."""

    child = serializers.CharField(max_length=MOST_TEXT)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(default=list, max_length=MOST_LINES, **kwargs)


class WordingSerializer(serializers.Serializer[Any]):
    """How a category is to be called and defined."""

    code = serializers.CharField(max_length=64, help_text="Its code; for a new category one that was never used.")
    name = serializers.CharField(max_length=160, help_text="Its name.")
    definition = serializers.CharField(max_length=MOST_TEXT, help_text="What it means.")
    include = LinesField(help_text="What belongs there.")
    exclude = LinesField(help_text="What it excludes, and where that belongs.")
    examples = LinesField(help_text="Examples.")
    aliases = LinesField(help_text="Other names.")


class ProposalSentSerializer(serializers.Serializer[Any]):
    """What is to be changed of a proposal that is not put to the vote yet; keys that are left out stay as they are."""

    reason = serializers.CharField(max_length=MOST_TEXT, required=False, help_text="Why the codebook should change.")
    rule = serializers.ChoiceField(choices=Proposal.Rule.choices, required=False, help_text="Whose agreement it needs.")
    nodes = serializers.ListField(
        child=serializers.CharField(max_length=64), required=False, max_length=MOST_LINES,
        help_text="Codes of the nodes concerned.",
    )  # fmt: skip
    into = serializers.CharField(
        max_length=64, required=False, allow_null=True, help_text="Code of the node that stays, in a merge."
    )
    wording = serializers.ListField(
        child=WordingSerializer(), required=False, max_length=MOST_PARTS, help_text="The new wordings."
    )
    evidence = serializers.ListField(
        child=serializers.CharField(max_length=500), required=False, max_length=MOST_EVIDENCE,
        help_text="Addresses of issues that show the need for it.",
    )  # fmt: skip


class ProposalSerializer(serializers.Serializer[Proposal]):
    """A proposal to change the codebook; its ballots are counted once it is decided."""

    id = serializers.IntegerField(help_text="Number of the proposal here.")
    kind = serializers.ChoiceField(choices=Proposal.Kind.choices, help_text="What is to change.")
    axis = serializers.CharField(source="axis.code", help_text="Code of the axis.")
    nodes = serializers.SerializerMethodField(help_text="Codes of the nodes concerned.")
    into = serializers.CharField(source="into.code", default=None, help_text="Code of the node that stays, in a merge.")
    wording = serializers.JSONField(help_text="The new wordings.")
    reason = serializers.CharField(help_text="Why the codebook should change.")
    evidence = serializers.SerializerMethodField(help_text="Addresses of issues that show the need for it.")
    author = serializers.CharField(source="author.pseudonym", help_text="Its author's pseudonym.")
    rule = serializers.ChoiceField(choices=Proposal.Rule.choices, help_text="Whose agreement it needs.")
    state = serializers.ChoiceField(choices=Proposal.State.choices, help_text="Where it is.")
    created_at = serializers.DateTimeField(help_text="When it was written.")
    decided_at = serializers.DateTimeField(help_text="When it was decided; else null.")
    codebook = serializers.IntegerField(
        source="codebook.number", default=None, help_text="Number of the codebook it led to; else null."
    )

    def get_nodes(self, proposal: Proposal) -> list[str]:
        """The codes."""
        return [node.code for node in proposal.nodes.all()]

    def get_evidence(self, proposal: Proposal) -> list[str]:
        """The addresses."""
        return [issue.url for issue in proposal.evidence.all()]


def rewritten(proposal: Proposal, sent: dict[str, Any]) -> ProposalContent:
    """The whole proposal with the keys of a validated body changed. Raises ValidationError for codes and URLs."""
    into_code = sent.get("into", proposal.into.code if proposal.into else None)
    into = _nodes(proposal, [into_code], "into")[0] if into_code else None
    nodes = _nodes(proposal, sent["nodes"], "nodes") if "nodes" in sent else list(proposal.nodes.all())
    evidence = list(proposal.evidence.all())
    if "evidence" in sent:
        evidence, faults = known_issues(urls=sent["evidence"])
        if faults:
            raise serializers.ValidationError({"evidence": faults})
    return ProposalContent(
        reason=sent.get("reason", proposal.reason),
        rule=Proposal.Rule(sent.get("rule", proposal.rule)),
        nodes=nodes,
        into=into,
        wording=[wording_of(dict(values)) for values in sent.get("wording", proposal.wording)],
        evidence=evidence,
    )


def _nodes(proposal: Proposal, codes: Iterable[str], place: str) -> list[ProjectNode]:
    """The nodes with these codes on the proposal's axis. Raises ValidationError."""
    newest = codebook_history.find(project_id=proposal.project_id)
    by_code = {}
    for nodes in axes_of(codebook=newest) if newest else []:
        if nodes.axis.pk == proposal.axis_id:
            by_code = {version.node.code: version.node for version in nodes.versions}
    for code in codes:
        if code not in by_code:
            raise serializers.ValidationError({place: [f"“{code}” is not in the newest codebook on this axis."]})
    return [by_code[code] for code in codes]
