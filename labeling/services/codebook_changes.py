"""What an accepted proposal does: the next codebook, and the round in which the issues it touches are labelled again.

Labels keep pointing at the versions that were meant; nothing that was voted moves.
"""

from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from labeling.models import (
    Codebook,
    CodebookNode,
    Member,
    NodeVersion,
    Project,
    ProjectAxis,
    ProjectNode,
    Proposal,
    Role,
    Round,
    Vote,
)
from labeling.refusals import RefusedError
from labeling.selectors.impact import touched_items
from labeling.services.people import require
from labeling.services.rounds import fill_round, prepare_round
from labeling.wordings import Wording, wording_of

GOES = (Proposal.Kind.MERGE, Proposal.Kind.SPLIT, Proposal.Kind.RETIRE)


@transaction.atomic
def apply_proposal(*, proposal: Proposal) -> Codebook:
    """Make the codebook that follows from an accepted proposal.

    Raises RefusedError where a node is gone, or a code taken, meanwhile.
    """
    # Of two proposals that are decided at once, the second builds on the codebook of the first.
    Project.objects.select_for_update().get(pk=proposal.project_id)
    last = Codebook.objects.filter(project=proposal.project_id).order_by("-number")[0]
    kept = {entry.node_id: entry.version for entry in last.entries.select_related("version__node")}
    concerned = [node.pk for node in proposal.nodes.all()] + ([proposal.into_id] if proposal.into_id else [])
    if any(pk not in kept for pk in concerned):
        raise RefusedError("One of its categories left the codebook meanwhile. Withdraw it, and propose it anew.")
    wording = [wording_of(values) for values in proposal.wording]
    if proposal.kind in GOES:
        for node in proposal.nodes.all():
            del kept[node.pk]
    if proposal.kind == Proposal.Kind.RETIRE and not any(one.axis_id == proposal.axis_id for one in kept.values()):
        raise RefusedError(f"Nothing would be left on the axis “{proposal.axis.name}”.")
    if proposal.kind in (Proposal.Kind.RENAME, Proposal.Kind.REDEFINE):
        node = proposal.nodes.get()
        kept[node.pk] = _version(node, wording[0], kept[node.pk])
    if proposal.kind in (Proposal.Kind.ADD, Proposal.Kind.SPLIT):
        require_new_codes(proposal.axis, [one.code for one in wording])
        for one in wording:
            added = _version(ProjectNode.objects.create(axis=proposal.axis, code=one.code), one, None)
            kept[added.node_id] = added
    change = f"{proposal.get_kind_display()}: {proposal.reason}"
    made = Codebook.objects.create(project_id=proposal.project_id, number=last.number + 1, change=change)
    CodebookNode.objects.bulk_create(CodebookNode(codebook=made, node_id=pk, version=kept[pk]) for pk in kept)
    return made


def require_new_codes(axis: ProjectAxis, codes: Sequence[str]) -> None:
    """Raises RefusedError where one of these codes is in use, or was."""
    taken = set(ProjectNode.objects.filter(axis=axis, code__in=codes).values_list("code", flat=True))
    if taken or len(set(codes)) < len(codes):
        raise RefusedError(f"The code “{next(iter(taken or codes))}” is taken. Codes are never used again.")


def _version(node: ProjectNode, wording: Wording, before: NodeVersion | None) -> NodeVersion:
    """The node's next version; it stays where it stood, and a new node comes last."""
    numbers = NodeVersion.objects.filter(node=node).aggregate(last=Max("number"))
    places = NodeVersion.objects.filter(axis=node.axis_id).aggregate(last=Max("position"))
    return NodeVersion.objects.create(
        node=node,
        axis_id=node.axis_id,
        number=(numbers["last"] or 0) + 1,
        parent_id=before.parent_id if before else None,
        name=wording.name,
        definition=wording.definition,
        include=list(wording.include),
        exclude=list(wording.exclude),
        examples=list(wording.examples),
        aliases=list(wording.aliases),
        position=before.position if before else (places["last"] or 0) + 1,
    )


@transaction.atomic
def prepare_recheck(*, lead: Member, proposal: Proposal) -> Round:
    """A round by the new codebook over the issues that the change could touch, for the people who labelled them.

    It is prepared, not opened. Raises RefusedError when nothing is touched, or when there is one already.
    """
    require(lead, Role.LEAD)
    found = Proposal.objects.select_for_update(of=("self",)).get(pk=proposal.pk, project=lead.project_id)
    if found.codebook is None:
        raise RefusedError("Only an accepted proposal has issues to label again.")
    if found.recheck_id:
        raise RefusedError("The round for this change is there already.")
    items = list(touched_items(proposal=found).select_related("issue"))
    if not items:
        raise RefusedError("No issue that was labelled so far is touched by this change.")
    name = f"After codebook {found.codebook.number}"
    # Where an issue is in several rounds, those of its newest round are asked.
    newest = {item.issue_id: item for item in sorted(items, key=lambda item: item.round_id)}
    wanted = max(Counter(Vote.objects.filter(item__in=newest.values()).values_list("item", flat=True)).values())
    made = prepare_round(lead=lead, kind=Round.Kind.RECHECK, name=name, votes_wanted=wanted)
    sample = {"kind": "recheck", "proposal": found.pk, "items": sorted(item.pk for item in newest.values())}
    fill_round(lead=lead, round_=made, urls=[item.issue.url for item in newest.values()], sample=sample)
    found.recheck = made
    found.save(update_fields=["recheck"])
    return made
