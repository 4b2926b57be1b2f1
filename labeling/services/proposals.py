"""Changing the codebook by vote: proposing, voting blind, deciding, and the codebook that follows."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple, TypedDict

from django.db import transaction
from django.utils import timezone

from kb.models import Issue
from labeling.models import (
    AuditEntry,
    Item,
    Member,
    Notice,
    ProjectAxis,
    ProjectNode,
    Proposal,
    ProposalVote,
    Role,
    Round,
)
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.codebook_changes import apply_proposal, require_new_codes
from labeling.services.notices import tell
from labeling.services.people import require
from labeling.wordings import Wording


class Needs(NamedTuple):
    """How many nodes a kind of change names, and how many wordings it has."""

    least_nodes: int
    most_nodes: float
    least_wordings: int
    most_wordings: float


NEEDS = {
    Proposal.Kind.ADD: Needs(0, math.inf, 1, 1),
    Proposal.Kind.RENAME: Needs(1, 1, 1, 1),
    Proposal.Kind.REDEFINE: Needs(1, 1, 1, 1),
    Proposal.Kind.MERGE: Needs(1, math.inf, 0, 0),
    Proposal.Kind.SPLIT: Needs(1, 1, 2, math.inf),
    Proposal.Kind.RETIRE: Needs(1, 1, 0, 0),
}


class ProposalContent(TypedDict):
    """What the author of a proposal writes, as `propose` and `rewrite` take it."""

    reason: str
    rule: Proposal.Rule
    nodes: Sequence[ProjectNode]
    into: ProjectNode | None
    wording: Sequence[Wording]
    evidence: Sequence[Issue]


@transaction.atomic
def propose(
    *, author: Member, axis: ProjectAxis, kind: Proposal.Kind, reason: str, nodes: Sequence[ProjectNode] = (),
    into: ProjectNode | None = None, wording: Sequence[Wording] = (), evidence: Sequence[Issue] = (),
    rule: Proposal.Rule = Proposal.Rule.UNANIMOUS,
) -> Proposal:  # fmt: skip
    """Create a draft proposal, which only its author sees until voting opens."""
    require(author, Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
    if not axis.has_nodes:
        raise RefusedError(f"“{axis.name}” has no categories to change: its answers are not chosen.")
    _require_complete(author, axis, kind, nodes, into, wording, reason)
    proposal = Proposal.objects.create(
        project_id=author.project_id, axis=axis, kind=kind, into=into, reason=reason.strip(), author=author, rule=rule,
        wording=[asdict(each) for each in wording],
    )  # fmt: skip
    proposal.nodes.set(nodes)
    proposal.evidence.set(evidence)
    return proposal


@transaction.atomic
def rewrite(
    *, author: Member, proposal: Proposal, reason: str, rule: Proposal.Rule, nodes: Sequence[ProjectNode] = (),
    into: ProjectNode | None = None, wording: Sequence[Wording] = (), evidence: Sequence[Issue] = (),
) -> Proposal:  # fmt: skip
    """Replace the content of a draft proposal; its kind and its axis stay.

    The old content is not kept: nobody but its author has seen it. A proposal that was put to the vote cannot change.
    """
    require(author, Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)
    proposal = _locked(author, proposal, Proposal.State.DRAFT)
    if proposal.author_id != author.pk:
        raise RefusedError("Only the author can change a proposal.")
    _require_complete(author, proposal.axis, Proposal.Kind(proposal.kind), nodes, into, wording, reason)
    proposal.reason, proposal.rule, proposal.into = reason.strip(), rule, into
    proposal.wording = [asdict(each) for each in wording]
    proposal.save(update_fields=["reason", "rule", "into", "wording"])
    proposal.nodes.set(nodes)
    proposal.evidence.set(evidence)
    return proposal


@transaction.atomic
def put_to_vote(*, member: Member, proposal: Proposal) -> Proposal:
    """Let the annotators and adjudicators vote on it. The author may, and a lead.

    Refused while an issue it names is still blind: the proposal would give away how its author sees that issue.
    """
    proposal = _locked(member, proposal, Proposal.State.DRAFT)
    if proposal.author_id != member.pk:
        require(member, Role.LEAD)
    evidence = proposal.evidence.all()
    blind = Item.objects.filter(round__project=proposal.project_id, released_at=None, issue__in=evidence)
    blind = blind.exclude(dropped_at__isnull=False, round__state=Round.State.CLOSED)
    if number := blind.count():
        raise RefusedError(f"{number} of the issues it names are still blind. Wait until they are released.")
    people = Member.objects.filter(project=proposal.project_id, left_at=None)
    entitled = people.filter(roles__overlap=[Role.ANNOTATOR, Role.ADJUDICATOR])
    if not entitled.exists():
        raise RefusedError("Nobody could vote: the project has no annotators.")
    proposal.electorate.set(entitled)
    proposal.state = Proposal.State.VOTE
    proposal.save(update_fields=["state"])
    others = entitled.exclude(pk=member.pk)
    tell(members=others, kind=Notice.Kind.BALLOT, event=str(proposal.pk), number=proposal.pk)
    audit.record(by=member, kind=AuditEntry.Kind.BALLOT, detail=f"proposal {proposal.pk}")
    return proposal


@transaction.atomic
def vote_on(*, member: Member, proposal: Proposal, agrees: bool, reason: str = "") -> Proposal:
    """Vote on a proposal, once; it is decided as soon as the missing votes cannot change the outcome.

    Returns the proposal as now stored.
    """
    proposal = _locked(member, proposal, Proposal.State.VOTE)
    if not proposal.electorate.filter(pk=member.pk, left_at=None).exists():
        raise RefusedError("Only people who were annotators or adjudicators when voting opened can vote.")
    if ProposalVote.objects.filter(proposal=proposal, member=member).exists():
        raise RefusedError("You have voted on this proposal.")
    if not agrees and not reason.strip():
        raise RefusedError("Say what speaks against it: a vote against needs a reason.")
    ProposalVote.objects.create(proposal=proposal, member=member, agrees=agrees, reason=reason.strip())
    _decide_if_clear(proposal)
    return proposal


@transaction.atomic
def withdraw(*, author: Member, proposal: Proposal) -> Proposal:
    """Withdraw a proposal before it is decided: its author may, and a lead where the author has left."""
    proposal = _locked(author, proposal, Proposal.State.DRAFT, Proposal.State.VOTE)
    is_orphan = proposal.state == Proposal.State.VOTE and not proposal.author.is_active
    if proposal.author_id != author.pk and not (is_orphan and author.has(Role.LEAD)):
        raise RefusedError("Only the author can withdraw a proposal.")
    proposal.state = Proposal.State.WITHDRAWN
    proposal.save(update_fields=["state"])
    return proposal


def _decide_if_clear(proposal: Proposal) -> None:
    """Members who left without voting are not waited for."""
    votes = dict(proposal.votes.values_list("member", "agrees"))
    missing = proposal.electorate.filter(left_at=None).exclude(pk__in=votes).count()
    needed = len(votes) + missing
    if proposal.rule != Proposal.Rule.UNANIMOUS:
        needed = needed // 2 + 1
    ayes = sum(votes.values())
    if ayes >= needed:
        proposal.codebook = apply_proposal(proposal=proposal)
        proposal.state = Proposal.State.ACCEPTED
    elif ayes + missing < needed:
        proposal.state = Proposal.State.REJECTED
    else:
        return
    proposal.decided_at = timezone.now()
    proposal.save(update_fields=["state", "decided_at", "codebook"])


def _locked(member: Member, proposal: Proposal, *states: Proposal.State) -> Proposal:
    """The proposal, locked. Raises RefusedError where it is not of the member's project, or in none of the states."""
    proposals = Proposal.objects.select_for_update(of=("self",))
    locked = proposals.filter(pk=proposal.pk, project=member.project_id).first()
    if locked is None or not member.is_active:
        raise RefusedError("This proposal belongs to another project.")
    if locked.state not in states:
        raise RefusedError(f"This proposal is {locked.get_state_display().lower()}.")
    return locked


def _require_complete(
    author: Member, axis: ProjectAxis, kind: Proposal.Kind, nodes: Sequence[ProjectNode], into: ProjectNode | None,
    wording: Sequence[Wording], reason: str,
) -> None:  # fmt: skip
    needs = NEEDS[kind]
    axes = {axis.pk, *(node.axis_id for node in nodes)}
    if into is not None:
        axes.add(into.axis_id)
    if axis.project_id != author.project_id or len(axes) > 1:
        raise RefusedError("All categories of a proposal must be on one axis of this project.")
    if not needs.least_nodes <= len(nodes) <= needs.most_nodes:
        categories = "one category" if needs.most_nodes == 1 else "the categories"
        raise RefusedError(f"{kind.label}: name {categories}.")
    if not needs.least_wordings <= len(wording) <= needs.most_wordings:
        category = "each new category" if needs.least_wordings > 1 else "it"
        raise RefusedError(f"{kind.label}: say how {category} is worded.")
    if (kind == Proposal.Kind.MERGE) != (into is not None) or into in nodes:
        raise RefusedError("A merge must name the category that stays, which cannot be one of those that go.")
    for each in wording:
        if not each.name.strip() or not each.definition.strip() or not each.code.strip():
            raise RefusedError("Every category needs a code, a name and a definition.")
    if kind in (Proposal.Kind.ADD, Proposal.Kind.SPLIT):
        require_new_codes(axis, [each.code for each in wording])
    if not reason.strip():
        raise RefusedError("Say why the codebook should change.")
