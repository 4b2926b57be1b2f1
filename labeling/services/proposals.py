"""Changing the codebook by vote: proposing, voting blind, deciding, and the codebook that follows."""

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from kb.models import Issue
from labeling.models import Item, Member, ProjectAxis, ProjectNode, Proposal, ProposalVote, Role
from labeling.refusals import RefusedError
from labeling.services.codebook_changes import apply_proposal, require_new_codes
from labeling.services.people import require
from labeling.wordings import Wording

NEEDS = {
    Proposal.Kind.ADD: (0, None, 1, 1),
    Proposal.Kind.RENAME: (1, 1, 1, 1),
    Proposal.Kind.REDEFINE: (1, 1, 1, 1),
    Proposal.Kind.MERGE: (1, None, 0, 0),
    Proposal.Kind.SPLIT: (1, 1, 2, None),
    Proposal.Kind.RETIRE: (1, 1, 0, 0),
}


@transaction.atomic
def propose(
    *, author: Member, axis: ProjectAxis, kind: Proposal.Kind, reason: str, nodes: Sequence[ProjectNode] = (),
    into: ProjectNode | None = None, wording: Sequence[Wording] = (), evidence: Sequence[Issue] = (),
    rule: Proposal.Rule = Proposal.Rule.UNANIMOUS,
) -> Proposal:  # fmt: skip
    """Write a proposal down; nobody else sees it until it is put to the vote."""
    require(author, Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
    _require_whole(author, axis, kind, nodes, into, wording)
    if not reason.strip():
        raise RefusedError("Say why the codebook should change.")
    made = Proposal.objects.create(
        project_id=author.project_id, axis=axis, kind=kind, into=into, reason=reason.strip(), author=author, rule=rule,
        wording=[asdict(one) for one in wording],
    )  # fmt: skip
    made.nodes.set(nodes)
    made.evidence.set(evidence)
    return made


@transaction.atomic
def rewrite(
    *, author: Member, proposal: Proposal, reason: str, rule: Proposal.Rule, nodes: Sequence[ProjectNode] = (),
    into: ProjectNode | None = None, wording: Sequence[Wording] = (), evidence: Sequence[Issue] = (),
) -> Proposal:  # fmt: skip
    """Write an unfinished proposal anew; what kind of change it is, and on which axis, stays.

    What stood there before is kept nowhere: nobody but its author has seen it. Once it is put to the vote, it stands.
    """
    require(author, Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
    found = _locked(author, proposal, Proposal.State.DRAFT)
    if found.author_id != author.pk:
        raise RefusedError("Only its author changes a proposal.")
    _require_whole(author, found.axis, Proposal.Kind(found.kind), nodes, into, wording)
    if not reason.strip():
        raise RefusedError("Say why the codebook should change.")
    found.reason, found.rule, found.into, found.wording = reason.strip(), rule, into, [asdict(one) for one in wording]
    found.save(update_fields=["reason", "rule", "into", "wording"])
    found.nodes.set(nodes)
    found.evidence.set(evidence)
    return found


@transaction.atomic
def put_to_vote(*, member: Member, proposal: Proposal) -> Proposal:
    """Let the annotators and adjudicators vote on it. The author may, and a lead.

    Refused while an issue it names is still blind: the proposal would give away how its author sees that issue.
    """
    found = _locked(member, proposal, Proposal.State.DRAFT)
    if found.author_id != member.pk:
        require(member, Role.LEAD)
    blind = Item.objects.filter(round__project=found.project_id, released_at=None, issue__in=found.evidence.all())
    if number := blind.count():
        raise RefusedError(f"{number} of the issues it names are still blind. Wait until they are released.")
    people = Member.objects.filter(project=found.project_id, left_at=None)
    entitled = people.filter(roles__overlap=[Role.ANNOTATOR, Role.ADJUDICATOR])
    if not entitled.exists():
        raise RefusedError("Nobody could vote: the project has no annotators.")
    found.electorate.set(entitled)
    found.state = Proposal.State.VOTE
    found.save(update_fields=["state"])
    return found


@transaction.atomic
def vote_on(*, member: Member, proposal: Proposal, agrees: bool, reason: str = "") -> Proposal:
    """Vote on a proposal, once; the last vote that matters decides it. Returns it as it is now."""
    found = _locked(member, proposal, Proposal.State.VOTE)
    if not found.electorate.filter(pk=member.pk, left_at=None).exists():
        raise RefusedError("Who was an annotator or adjudicator when the vote began is entitled to vote.")
    if ProposalVote.objects.filter(proposal=found, member=member).exists():
        raise RefusedError("You have voted on this proposal.")
    if not agrees and not reason.strip():
        raise RefusedError("Say what speaks against it: a change fails by reasons, not by silence.")
    ProposalVote.objects.create(proposal=found, member=member, agrees=agrees, reason=reason.strip())
    return _decide_if_clear(found)


@transaction.atomic
def withdraw(*, author: Member, proposal: Proposal) -> Proposal:
    """Take one's proposal back before it is decided. A lead may where the author has left."""
    found = _locked(author, proposal, Proposal.State.DRAFT, Proposal.State.VOTE)
    is_orphan = found.state == Proposal.State.VOTE and not found.author.is_active
    if found.author_id != author.pk and not (is_orphan and author.has(Role.LEAD)):
        raise RefusedError("Only its author withdraws a proposal.")
    found.state = Proposal.State.WITHDRAWN
    found.save(update_fields=["state"])
    return found


def _decide_if_clear(proposal: Proposal) -> Proposal:
    """Decide as soon as the votes that are missing cannot change the outcome; who has left is not waited for."""
    cast = dict(proposal.votes.values_list("member", "agrees"))
    waited_for = proposal.electorate.filter(left_at=None).exclude(pk__in=cast).count()
    entitled = len(cast) + waited_for
    ayes = sum(cast.values())
    needed = entitled if proposal.rule == Proposal.Rule.UNANIMOUS else entitled // 2 + 1
    if ayes >= needed:
        proposal.codebook = apply_proposal(proposal=proposal)
        return _close(proposal, Proposal.State.ACCEPTED)
    if ayes + waited_for < needed:
        return _close(proposal, Proposal.State.REJECTED)
    return proposal


def _close(proposal: Proposal, state: Proposal.State) -> Proposal:
    proposal.state, proposal.decided_at = state, timezone.now()
    proposal.save(update_fields=["state", "decided_at", "codebook"])
    return proposal


def _locked(member: Member, proposal: Proposal, *states: Proposal.State) -> Proposal:
    found = Proposal.objects.select_for_update(of=("self",)).filter(pk=proposal.pk, project=member.project_id).first()
    if found is None or not member.is_active:
        raise RefusedError("This proposal belongs to another project.")
    if found.state not in states:
        raise RefusedError(f"This proposal is {found.get_state_display().lower()}.")
    return found


def _require_whole(
    author: Member, axis: ProjectAxis, kind: Proposal.Kind, nodes: Sequence[ProjectNode], into: ProjectNode | None,
    wording: Sequence[Wording],
) -> None:  # fmt: skip
    least_nodes, most_nodes, least_words, most_words = NEEDS[kind]
    if axis.project_id != author.project_id or any(node.axis_id != axis.pk for node in [*nodes, *filter(None, [into])]):
        raise RefusedError("All categories of a proposal stand on one axis of this project.")
    if not least_nodes <= len(nodes) <= (len(nodes) if most_nodes is None else most_nodes):
        raise RefusedError(f"{kind.label}: name {'one category' if most_nodes == 1 else 'the categories'}.")
    if not least_words <= len(wording) <= (len(wording) if most_words is None else most_words):
        raise RefusedError(f"{kind.label}: say how {'each new category' if least_words > 1 else 'it'} is worded.")
    if (kind == Proposal.Kind.MERGE) != (into is not None) or into in nodes:
        raise RefusedError("A merge names the category that stays, which is none of those that go.")
    if any(not one.name.strip() or not one.definition.strip() or not one.code.strip() for one in wording):
        raise RefusedError("Every category needs a code, a name and a definition.")
    if kind in (Proposal.Kind.ADD, Proposal.Kind.SPLIT):
        require_new_codes(axis, [one.code for one in wording])
