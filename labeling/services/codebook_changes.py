"""What an accepted proposal does: the next codebook, and the round in which the issues it touches are labelled again.

Existing votes keep pointing at the node versions that were chosen.
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
from labeling.samples import Sample
from labeling.selectors.impact import touched_items
from labeling.selectors.subjects import subject_of
from labeling.services.people import require
from labeling.services.rounds import fill_round, prepare_round
from labeling.wordings import Wording, wording_of

REMOVES_NODES = (Proposal.Kind.MERGE, Proposal.Kind.SPLIT, Proposal.Kind.RETIRE)


@transaction.atomic
def apply_proposal(*, proposal: Proposal) -> Codebook:
    """Make the codebook that follows from an accepted proposal.

    Raises RefusedError where a node is gone, or a code taken, meanwhile.
    """
    # Of two proposals that are decided at once, the second builds on the codebook of the first.
    Project.objects.select_for_update().get(pk=proposal.project_id)
    last = Codebook.objects.filter(project=proposal.project_id).order_by("-number")[0]
    versions = {entry.node_id: entry.version for entry in last.entries.select_related("version__node")}
    nodes = list(proposal.nodes.all())
    named = {node.pk for node in nodes}
    if proposal.into_id:
        named.add(proposal.into_id)
    if not named <= versions.keys():
        raise RefusedError("One of its categories has left the codebook. Withdraw the proposal and submit a new one.")
    wordings = [wording_of(values) for values in proposal.wording]
    if proposal.kind in REMOVES_NODES:
        for node in nodes:
            del versions[node.pk]
    axes_left = {version.axis_id for version in versions.values()}
    if proposal.kind == Proposal.Kind.RETIRE and proposal.axis_id not in axes_left:
        raise RefusedError(f"Nothing would be left on the axis “{proposal.axis.name}”.")
    if proposal.kind in (Proposal.Kind.RENAME, Proposal.Kind.REDEFINE):
        node = proposal.nodes.get()
        versions[node.pk] = _create_version(node, wordings[0], versions[node.pk])
    if proposal.kind in (Proposal.Kind.ADD, Proposal.Kind.SPLIT):
        require_new_codes(proposal.axis, [wording.code for wording in wordings])
        for wording in wordings:
            node = ProjectNode.objects.create(axis=proposal.axis, code=wording.code)
            versions[node.pk] = _create_version(node, wording, None)
    change = f"{proposal.get_kind_display()}: {proposal.reason}"
    codebook = Codebook.objects.create(project_id=proposal.project_id, number=last.number + 1, change=change)
    CodebookNode.objects.bulk_create(
        CodebookNode(codebook=codebook, node_id=pk, version=version) for pk, version in versions.items()
    )
    return codebook


def require_new_codes(axis: ProjectAxis, codes: Sequence[str]) -> None:
    """Raises RefusedError where one of these codes is, or ever was, in use on the axis."""
    taken = set(ProjectNode.objects.filter(axis=axis, code__in=codes).values_list("code", flat=True))
    if taken or len(set(codes)) < len(codes):
        raise RefusedError(f"The code “{next(iter(taken or codes))}” is taken. Codes are never used again.")


def _create_version(node: ProjectNode, wording: Wording, before: NodeVersion | None) -> NodeVersion:
    """The node's next version, with the parent and position of the one before; a new node comes last."""
    parent_id, position = None, 0
    if before is not None:
        parent_id, position = before.parent_id, before.position
    else:
        last = NodeVersion.objects.filter(axis=node.axis_id).aggregate(last=Max("position"))["last"]
        position = (last or 0) + 1
    number = NodeVersion.objects.filter(node=node).aggregate(last=Max("number"))["last"] or 0
    return NodeVersion.objects.create(
        node=node,
        axis_id=node.axis_id,
        number=number + 1,
        parent_id=parent_id,
        name=wording.name,
        definition=wording.definition,
        include=list(wording.include),
        exclude=list(wording.exclude),
        examples=list(wording.examples),
        aliases=list(wording.aliases),
        position=position,
    )


@transaction.atomic
def prepare_recheck(*, lead: Member, proposal: Proposal) -> Round:
    """A round by the new codebook over the issues that the change could touch, for the people who labelled them.

    It is prepared, not opened. Raises RefusedError when nothing is touched, or when there is one already.
    """
    require(lead, Role.LEAD)
    proposal = Proposal.objects.select_for_update(of=("self",)).get(pk=proposal.pk, project=lead.project_id)
    if proposal.codebook is None:
        raise RefusedError("Only an accepted proposal has issues to label again.")
    if proposal.recheck_id:
        raise RefusedError("This change already has a round.")
    touched = list(touched_items(proposal=proposal).select_related("issue", "own"))
    if not touched:
        raise RefusedError("This change affects no labelled issue.")
    is_demo = proposal.project.is_demo
    items = [item for item in touched if item.issue is None or item.issue.title or item.issue.body or is_demo]
    if not items:
        raise RefusedError(
            "The threads of the issues that it affects are not mirrored here: there is no report to read."
        )
    name = f"After codebook {proposal.codebook.number}"
    # Where an issue is in several rounds, the annotators of its newest round are asked.
    newest = {subject_of(item): item for item in sorted(items, key=lambda item: item.round_id)}
    votes = Counter(Vote.objects.filter(item__in=newest.values()).values_list("item", flat=True))
    round_ = prepare_round(lead=lead, kind=Round.Kind.RECHECK, name=name, votes_wanted=max(votes.values()))
    item_ids = sorted(item.pk for item in newest.values())
    unmirrored = len({subject_of(item) for item in touched} - newest.keys())
    sample = Sample(kind="recheck", proposal=proposal.pk, items=item_ids, unmirrored=unmirrored)
    fill_round(lead=lead, round_=round_, urls=[item.subject.url for item in newest.values()], sample=sample)
    proposal.recheck = round_
    proposal.save(update_fields=["recheck"])
    return round_
