"""Proposals to change the codebook as members may see them: lists, ballots, the electorate, evidence.

Ballots are secret until the decision (`visible`); a lead learns who has not voted, never how anybody did.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.models import Issue, Kind
from kb.selectors.issues import get_issue
from labeling.models import Codebook, CodebookNode, Member, NodeVersion, Proposal, ProposalVote, Role, Round
from labeling.selectors import visible
from labeling.selectors.names import name_of


@dataclass(frozen=True)
class Electorate:
    """The names of those who may vote. `missing`: those who have not, for leads while the vote is on, else None."""

    asked: tuple[str, ...]
    missing: tuple[str, ...] | None


@dataclass(frozen=True)
class ProposalPermissions:
    """What a member may do about a proposal."""

    edit: bool
    put: bool
    vote: bool
    withdraw: bool
    recheck: bool


def permissions(*, member: Member, proposal: Proposal) -> ProposalPermissions:
    """The member's permissions, by the proposal's state and author."""
    state, is_lead, is_own = proposal.state, member.has(Role.LEAD), proposal.author_id == member.pk
    is_draft, is_on = state == Proposal.State.DRAFT, state == Proposal.State.VOTE
    return ProposalPermissions(
        edit=is_draft and is_own and member.has(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR),
        put=is_draft and (is_own or is_lead),
        vote=is_on and waiting_ballots(member=member).filter(pk=proposal.pk).exists(),
        withdraw=((is_draft or is_on) and is_own) or (is_on and is_lead and not proposal.author.is_active),
        recheck=state == Proposal.State.ACCEPTED and is_lead and proposal.recheck is None,
    )


def listed(*, member: Member) -> QuerySet[Proposal]:
    """The proposals that the member may see, the newest first, with axis, author, codebook and nodes."""
    proposals = visible.proposals(member=member).select_related("axis", "author__user", "codebook", "into")
    return proposals.prefetch_related("nodes")


def waiting_ballots(*, member: Member) -> QuerySet[Proposal]:
    """Proposals on which the member may vote and has not."""
    on = visible.proposals(member=member).filter(state=Proposal.State.VOTE, electorate=member)
    if not member.is_active:
        return on.none()
    return on.exclude(pk__in=ProposalVote.objects.filter(member=member).values("proposal"))


def own_ballot(*, member: Member, proposal: Proposal) -> ProposalVote | None:
    """The member's ballot, or None."""
    return visible.proposal_votes(member=member).filter(proposal=proposal, member=member).first()


def ballots(*, member: Member, proposal: Proposal) -> list[tuple[str, ProposalVote]]:
    """Everybody's ballots with their names, once the proposal is decided; empty before."""
    if proposal.decided_at is None:
        return []
    votes = visible.proposal_votes(member=member).filter(proposal=proposal).select_related("member__user")
    return [(name_of(reader=member, other=vote.member), vote) for vote in votes]


def electorate(*, member: Member, proposal: Proposal) -> Electorate:
    """Who may vote, and, for leads who are not blind themselves, who has not voted yet."""
    people = list(proposal.electorate.select_related("user").order_by("pk"))
    asked = tuple(name_of(reader=member, other=person) for person in people)
    if not member.has(Role.LEAD) or visible.is_blind(member) or proposal.state != Proposal.State.VOTE:
        return Electorate(asked, None)
    cast = set(ProposalVote.objects.filter(proposal=proposal).values_list("member", flat=True))
    missing = [person for person in people if person.pk not in cast and person.is_active]
    return Electorate(asked, tuple(name_of(reader=member, other=person) for person in missing))


def concerned(*, proposal: Proposal) -> list[NodeVersion]:
    """The nodes that the proposal is about, as worded when it was decided, else in the newest codebook."""
    codebooks = Codebook.objects.filter(project=proposal.project_id)
    if proposal.codebook:
        codebooks = codebooks.filter(number__lt=proposal.codebook.number)
    codebook = codebooks.order_by("-number").first()
    nodes = [node.pk for node in proposal.nodes.all()]
    if proposal.into_id:
        nodes.append(proposal.into_id)
    entries = CodebookNode.objects.filter(codebook=codebook, node__in=nodes).select_related("version__node")
    return [entry.version for entry in entries.order_by("version__position")]


def open_rounds(*, proposal: Proposal) -> int:
    """How many open rounds use a codebook from before the change: their issues are not in its recheck."""
    if proposal.codebook is None:
        return 0
    rounds = Round.objects.filter(project=proposal.project_id, state=Round.State.OPEN)
    return rounds.filter(codebook__number__lt=proposal.codebook.number).count()


def proposal_of(*, member: Member, pk: int) -> Proposal:
    """A proposal that the member may see. Raises Proposal.DoesNotExist."""
    return listed(member=member).select_related("recheck").get(pk=pk)


def may_see(*, member: Member, proposal: Proposal) -> bool:
    """Whether the member may still see the proposal."""
    return visible.proposals(member=member).filter(pk=proposal.pk).exists()


def on_vote(*, member: Member) -> QuerySet[Proposal]:
    """The proposals that are voted on now, the newest first."""
    return listed(member=member).filter(state=Proposal.State.VOTE)


def decided(*, member: Member) -> QuerySet[Proposal]:
    """The decided proposals, the latest decision first."""
    return listed(member=member).filter(decided_at__isnull=False).order_by("-decided_at")


def own_unsubmitted(*, member: Member) -> QuerySet[Proposal]:
    """The member's own drafts and withdrawn proposals."""
    return listed(member=member).filter(author=member, state__in=(Proposal.State.DRAFT, Proposal.State.WITHDRAWN))


def evidence_of(*, proposal: Proposal) -> QuerySet[Issue]:
    """The issues that the proposal names, by address."""
    return proposal.evidence.select_related("repository").order_by("url")


def proposal_records(*, member: Member) -> QuerySet[Proposal]:
    """The proposals that the member may see, with the issues that they name, the newest first."""
    return listed(member=member).prefetch_related("evidence").order_by("-created_at", "-pk")


def proposal_record(*, member: Member, pk: int) -> Proposal:
    """One of these. Raises Proposal.DoesNotExist."""
    return proposal_records(member=member).get(pk=pk)


def known_issues(*, urls: Sequence[str]) -> tuple[list[Issue], list[str]]:
    """The issues at these addresses, also by a repository's old name, and a message for each other address."""
    issues: dict[int, Issue] = {}
    faults = []
    for url in dict.fromkeys(urls):
        try:
            address = parse_issue_address(url)
            repository = address.repository
            issue = get_issue(host=repository.host, full_name=repository.full_name, ref=address.ref)
        except BadAddressError as bad:
            faults.append(f"{url[:120]}: {bad}.")
        except Issue.DoesNotExist:
            faults.append(f"{url[:120]}: this issue is not in the knowledge base.")
        else:
            if issue.kind == Kind.PULL_REQUEST:
                faults.append(f"{url[:120]}: this is a pull request, not an issue.")
            else:
                issues[issue.pk] = issue
    return list(issues.values()), faults
