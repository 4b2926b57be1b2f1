"""The codebook of a release: its words, the versions that came before, and the votes that changed it."""

from typing import Any

from django.db.models import Count, Q

from labeling.models import Codebook, CodebookNode, Proposal
from labeling.releases.state import State
from labeling.releases.tables import json_bytes
from labeling.selectors.codebooks import axes_of


def files(state: State) -> dict[str, bytes]:
    """Name -> content."""
    return {"codebook.json": json_bytes(_codebook(state))}


def _codebook(state: State) -> dict[str, Any]:
    return {
        "version": state.codebook.number,
        "axes": [
            {
                "code": one.axis.code,
                "name": one.axis.name,
                "question": one.axis.question,
                "several_answers": one.axis.several,
                "nodes": [_node(version) for version in one.versions],
            }
            for one in axes_of(codebook=state.codebook)
        ],
        "earlier": _earlier(state),
        "decided_changes": changes(state.project.pk),
    }


def _node(version: Any) -> dict[str, Any]:
    return {
        "code": version.node.code,
        "version": version.number,
        "parent": version.parent.code if version.parent_id else None,
        "name": version.name,
        "definition": version.definition,
        "include": version.include,
        "exclude": version.exclude,
        "examples": version.examples,
        "aliases": version.aliases,
    }


def _earlier(state: State) -> list[dict[str, Any]]:
    """What earlier versions said of the same codes, so that a vote by them can be read."""
    earlier = Codebook.objects.filter(project=state.project, number__lt=state.codebook.number).order_by("number")
    entries = CodebookNode.objects.filter(codebook__in=earlier).select_related("version__node", "version__axis")
    by_codebook: dict[int, list[dict[str, Any]]] = {}
    for entry in entries.order_by("codebook", "version__axis__position", "version__position", "pk"):
        row = {"axis": entry.version.axis.code, "code": entry.version.node.code, "version": entry.version.number,
               "name": entry.version.name, "definition": entry.version.definition}  # fmt: skip
        by_codebook.setdefault(entry.codebook_id, []).append(row)
    return [{"version": one.number, "change": one.change, "nodes": by_codebook.get(one.pk, [])} for one in earlier]


def changes(project_id: int) -> list[dict[str, Any]]:
    """The proposals that were decided: what, by which rule, with how many votes, when."""
    counted = Proposal.objects.filter(project=project_id, decided_at__isnull=False).annotate(
        ayes=Count("votes", filter=Q(votes__agrees=True)), noes=Count("votes", filter=Q(votes__agrees=False))
    )
    rows = counted.select_related("axis", "codebook", "into").prefetch_related("nodes").order_by("decided_at", "pk")
    return [
        {
            "kind": one.kind,
            "axis": one.axis.code,
            "nodes": sorted(node.code for node in one.nodes.all()),
            "into": one.into.code if one.into else None,
            "wording": one.wording,
            "reason": one.reason,
            "rule": one.rule,
            "state": one.state,
            "for": one.ayes,
            "against": one.noes,
            "decided_on": one.decided_at.date().isoformat() if one.decided_at else None,
            "codebook": one.codebook.number if one.codebook else None,
        }
        for one in rows
    ]
