"""Proposals to change the codebook, as they are shown and as their authors send them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from labeling.models import Codebook, ProjectNode, Proposal
from labeling.selectors.codebooks import axes_of, versions_by_code
from labeling.selectors.proposals import known_issues
from labeling.wordings import Wording, wording_of

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
    exclude = LinesField(help_text="What does not, and where it belongs.")
    examples = LinesField(help_text="Examples.")
    aliases = LinesField(help_text="Other names.")


class ProposalSentSerializer(serializers.Serializer[Any]):
    """What is to be changed of a proposal that is not put to the vote yet; keys that are left out stay as they are."""

    reason = serializers.CharField(max_length=MOST_TEXT, required=False, help_text="Why the codebook should change.")
    rule = serializers.ChoiceField(choices=Proposal.Rule.choices, required=False, help_text="Who has to agree.")
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
    author = serializers.CharField(source="author.pseudonym", help_text="What stands for its author.")
    rule = serializers.ChoiceField(choices=Proposal.Rule.choices, help_text="Who has to agree.")
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


def rewritten(proposal: Proposal, sent: Mapping[str, Any]) -> dict[str, Any]:
    """What the whole proposal says after a checked body. Raises ValidationError for codes and addresses not known."""
    known = _nodes_of(proposal)
    into = sent.get("into", proposal.into.code if proposal.into else None)
    wording = [Wording(**one) for one in _tuples(sent["wording"])] if "wording" in sent else None
    return {
        "reason": sent.get("reason", proposal.reason),
        "rule": Proposal.Rule(sent.get("rule", proposal.rule)),
        "nodes": [_node(known, code, "nodes") for code in sent["nodes"]] if "nodes" in sent else proposal.nodes.all(),
        "into": _node(known, into, "into") if into else None,
        "wording": [wording_of(values) for values in proposal.wording] if wording is None else wording,
        "evidence": _issues(sent["evidence"]) if "evidence" in sent else proposal.evidence.all(),
    }


def _tuples(wording: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [asdict(wording_of(dict(one))) for one in wording]


def _nodes_of(proposal: Proposal) -> dict[str, ProjectNode]:
    newest = Codebook.objects.filter(project=proposal.project_id).order_by("-number")[0]
    axes = [one for one in axes_of(codebook=newest) if one.axis.pk == proposal.axis_id]
    return {code: version.node for code, version in versions_by_code(axes).get(proposal.axis.code, {}).items()}


def _node(known: Mapping[str, ProjectNode], code: str, place: str) -> ProjectNode:
    if code not in known:
        raise serializers.ValidationError({place: [f"“{code}” is not in the newest codebook on this axis."]})
    return known[code]


def _issues(urls: Sequence[str]) -> list[Any]:
    found, faults = known_issues(urls=urls)
    if faults:
        raise serializers.ValidationError({"evidence": faults})
    return found
