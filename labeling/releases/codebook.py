"""A release's `codebook.json`: the codebook, its earlier versions, and the votes that changed it."""

from typing import TypedDict

from django.db.models import Count, Q

from labeling.models import Codebook, CodebookNode, NodeVersion, Proposal
from labeling.releases.state import State
from labeling.releases.tables import JsonObject, json_bytes
from labeling.selectors.codebooks import axes_of

# A keyword among the keys allows no class.
Change = TypedDict(
    "Change",
    {
        "kind": str, "axis": str, "nodes": list[str], "into": str | None, "wording": list[dict[str, str]],
        "reason": str, "rule": str, "state": str, "for": int, "against": int, "decided_on": str | None,
        "codebook": int | None,
    },
)  # fmt: skip


def files(state: State) -> dict[str, bytes]:
    """File name -> content."""
    axes = []
    for each in axes_of(codebook=state.codebook):
        axes.append(
            {
                "code": each.axis.code,
                "name": each.axis.name,
                "question": each.axis.question,
                "kind": each.axis.kind,
                "several_answers": each.axis.several,
                "house_axis": each.axis.code if each.axis.axis_id else None,
                "asked_since": each.axis.since,
                "nodes": [_node(version) for version in each.versions],
            }
        )
    codebook = {
        "version": state.codebook.number,
        "axes": axes,
        "earlier": _earlier(state),
        "decided_changes": changes(state.project.pk),
    }
    return {"codebook.json": json_bytes(codebook)}


def _node(version: NodeVersion) -> JsonObject:
    return {
        "code": version.node.code,
        "version": version.number,
        "parent": version.parent.code if version.parent else None,
        "name": version.name,
        "definition": version.definition,
        "include": version.include,
        "exclude": version.exclude,
        "examples": version.examples,
        "aliases": version.aliases,
    }


def _earlier(state: State) -> list[JsonObject]:
    """The earlier versions of the codebook, by which votes were cast."""
    earlier = Codebook.objects.filter(project=state.project, number__lt=state.codebook.number).order_by("number")
    entries = CodebookNode.objects.filter(codebook__in=earlier).select_related("version__node", "version__axis")
    nodes: dict[int, list[JsonObject]] = {}
    for entry in entries.order_by("codebook", "version__axis__position", "version__position", "pk"):
        version = entry.version
        nodes.setdefault(entry.codebook_id, []).append(
            {
                "axis": version.axis.code, "code": version.node.code, "version": version.number, "name": version.name,
                "definition": version.definition,
            }
        )  # fmt: skip
    return [
        {"version": codebook.number, "change": codebook.change, "nodes": nodes.get(codebook.pk, [])}
        for codebook in earlier
    ]


def changes(project_id: int) -> list[Change]:
    """The decided proposals with their votes, in the order of the decisions."""
    proposals = Proposal.objects.filter(project=project_id, decided_at__isnull=False).annotate(
        ayes=Count("votes", filter=Q(votes__agrees=True)), noes=Count("votes", filter=Q(votes__agrees=False))
    )
    rows = proposals.select_related("axis", "codebook", "into").prefetch_related("nodes").order_by("decided_at", "pk")
    return [
        {
            "kind": row.kind,
            "axis": row.axis.code,
            "nodes": sorted(node.code for node in row.nodes.all()),
            "into": row.into.code if row.into else None,
            "wording": row.wording,
            "reason": row.reason,
            "rule": row.rule,
            "state": row.state,
            "for": row.ayes,
            "against": row.noes,
            "decided_on": row.decided_at.date().isoformat() if row.decided_at else None,
            "codebook": row.codebook.number if row.codebook else None,
        }
        for row in rows
    ]
