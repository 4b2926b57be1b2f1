"""Proposals to change the codebook as members may see them: lists, one's own ballot, who is asked, what they stand on.

Ballots are nobody's but their voter's until the decision (`visible`); a lead learns who has not voted, never how.
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
    """Who may vote, by name. `missing`: who has not voted, told to leads only while the vote is on, else None."""

    asked: tuple[str, ...]
    missing: tuple[str, ...] | None


@dataclass(frozen=True)
class May:
    """What a member may do about a proposal."""

    edit: bool
    put: bool
    vote: bool
    withdraw: bool
    recheck: bool


def may(*, member: Member, proposal: Proposal) -> May:
    """By where the proposal is and whose it is."""
    state, is_lead, is_own = proposal.state, member.has(Role.LEAD), proposal.author_id == member.pk
    is_draft, is_on = state == Proposal.State.DRAFT, state == Proposal.State.VOTE
    return May(
        edit=is_draft and is_own and member.has(Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR),
        put=is_draft and (is_own or is_lead),
        vote=is_on and waiting_ballots(member=member).filter(pk=proposal.pk).exists(),
        withdraw=((is_draft or is_on) and is_own) or (is_on and is_lead and not proposal.author.is_active),
        recheck=state == Proposal.State.ACCEPTED and is_lead and proposal.recheck is None,
    )


def listed(*, member: Member) -> QuerySet[Proposal]:
    """The proposals that the member may see, the newest first, with what a list shows."""
    found = visible.proposals(member=member).select_related("axis", "author__user", "codebook", "into")
    return found.prefetch_related("nodes")


def waiting_ballots(*, member: Member) -> QuerySet[Proposal]:
    """Proposals on which the member may vote and has not."""
    cast = ProposalVote.objects.filter(member=member).values("proposal")
    on = visible.proposals(member=member).filter(state=Proposal.State.VOTE, electorate=member)
    return on.exclude(pk__in=cast) if member.is_active else on.none()


def own_ballot(*, member: Member, proposal: Proposal) -> ProposalVote | None:
    """What the member voted."""
    return visible.proposal_votes(member=member).filter(proposal=proposal, member=member).first()


def ballots(*, member: Member, proposal: Proposal) -> list[tuple[str, ProposalVote]]:
    """Everybody's ballots, by name, once it is decided; nothing before."""
    if proposal.decided_at is None:
        return []
    found = visible.proposal_votes(member=member).filter(proposal=proposal).select_related("member__user")
    return [(name_of(reader=member, other=one.member), one) for one in found]


def electorate(*, member: Member, proposal: Proposal) -> Electorate:
    """Who is asked, and for leads who are not blind themselves who has not answered yet."""
    people = list(proposal.electorate.select_related("user").order_by("pk"))
    asked = tuple(name_of(reader=member, other=one) for one in people)
    if not member.has(Role.LEAD) or visible.is_blind(member) or proposal.state != Proposal.State.VOTE:
        return Electorate(asked, None)
    cast = set(ProposalVote.objects.filter(proposal=proposal).values_list("member", flat=True))
    missing = [one for one in people if one.pk not in cast and one.is_active]
    return Electorate(asked, tuple(name_of(reader=member, other=one) for one in missing))


def concerned(*, proposal: Proposal) -> list[NodeVersion]:
    """The nodes that the proposal is about, as they were worded when it was decided, or are now."""
    books = Codebook.objects.filter(project=proposal.project_id)
    if proposal.codebook:
        books = books.filter(number__lt=proposal.codebook.number)
    book = books.order_by("-number").first()
    nodes = [node.pk for node in proposal.nodes.all()] + ([proposal.into_id] if proposal.into_id else [])
    entries = CodebookNode.objects.filter(codebook=book, node__in=nodes).select_related("version__node")
    return [entry.version for entry in entries.order_by("version__position")]


def open_rounds(*, proposal: Proposal) -> int:
    """How many rounds are still voted on by a codebook from before the change: a recheck leaves their issues out."""
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
    """The issues at these addresses, through renames, and what is wrong with the addresses that are none."""
    found: dict[int, Issue] = {}
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
                found[issue.pk] = issue
    return list(found.values()), faults
