"""Who may see whose work: the one place that keeps votes blind.

Until an item is released, a vote is seen by its author, and by leads and observers who neither vote nor adjudicate. An
adjudicator who did not vote on an item sees its votes and discussion only after giving a first opinion on all that is
not decided. Everything that shows or counts votes, notes, evidence, passes, drafts or posts starts from a query here.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet

from labeling.models import (
    Decision,
    Draft,
    Evidence,
    Item,
    Member,
    Opinion,
    Pass,
    Post,
    ProjectAxis,
    Proposal,
    ProposalVote,
    Revision,
    Role,
    Round,
    Vote,
)  # fmt: skip


def is_blind(member: Member) -> bool:
    """May the member's own opinion be swayed by what others said? Then others' votes are kept from them."""
    return not member.has(Role.LEAD, Role.OBSERVER) or member.has(Role.ANNOTATOR, Role.ADJUDICATOR)


def sees_whole(*, member: Member, round_: Round) -> bool:
    """Are the counts of everybody's votes in the round no secret for the member?

    Before the close they are for who is blind; after it for adjudicators, who may still have opinions to give.
    """
    if not is_blind(member):
        return True
    return member.is_active and round_.state == Round.State.CLOSED and not member.has(Role.ADJUDICATOR)


def votes(*, member: Member) -> QuerySet[Vote]:
    """The votes of the member's project that they may see now."""
    return Vote.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def evidence(*, member: Member) -> QuerySet[Evidence]:
    """The passages of those votes."""
    seen = _seen_by(member, "vote__item", own="vote__member")
    return Evidence.objects.filter(seen, vote__item__round__project=member.project_id)


def passes(*, member: Member) -> QuerySet[Pass]:
    """What was skipped or flagged, with the reasons: one's own, and others' as votes are seen."""
    return Pass.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def drafts(*, member: Member) -> QuerySet[Draft]:
    """Nobody sees another person's draft, ever."""
    return Draft.objects.filter(member=member)


def posts(*, member: Member) -> QuerySet[Post]:
    """What was said about released items."""
    return Post.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def revisions(*, member: Member) -> QuerySet[Revision]:
    """Votes as they were revised after discussion."""
    return Revision.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def opinions(*, member: Member) -> QuerySet[Opinion]:
    """First opinions: one's own, and others' once their axis is decided."""
    decided = Decision.objects.filter(item=OuterRef("item"), axis=OuterRef("axis"), reopened_at=None)
    others = Q(Exists(decided)) if member.is_active else Q(pk__in=())
    return Opinion.objects.filter(Q(member=member) | others, item__round__project=member.project_id)


def decisions(*, member: Member) -> QuerySet[Decision]:
    """What was decided, reopened ones too: they tell how many votes gave which answer. One's own always."""
    return Decision.objects.filter(_seen_by(member, "item", own="adjudicator"), item__round__project=member.project_id)


def proposals(*, member: Member) -> QuerySet[Proposal]:
    """Proposals that were put to the vote, and one's own."""
    own = Q(author=member)
    shown = ~Q(state=Proposal.State.DRAFT) & ~Q(state=Proposal.State.WITHDRAWN) if member.is_active else Q(pk__in=())
    return Proposal.objects.filter(own | shown, project=member.project_id)


def proposal_votes(*, member: Member) -> QuerySet[ProposalVote]:
    """Ballots on proposals: one's own, and everybody's once the proposal is decided."""
    decided = Q(proposal__decided_at__isnull=False) if member.is_active else Q(pk__in=())
    return ProposalVote.objects.filter(Q(member=member) | decided, proposal__project=member.project_id)


def released_items(*, member: Member) -> QuerySet[Item]:
    """The items of the project whose votes are no secret any more for this member."""
    items = Item.objects.filter(round__project=member.project_id)
    if not member.is_active:
        return items.none()
    return items if not is_blind(member) else items.filter(_open_to(member, ""))


def _seen_by(member: Member, item: str, *, own: str) -> Q:
    """`item` and `own` lead from the model to the item and to whose work it is."""
    mine = Q(**{own: member})
    if not member.is_active:
        return mine
    return mine | _open_to(member, item) if is_blind(member) else Q()


def _open_to(member: Member, item: str) -> Q:
    is_released = Q(**{f"{item}__released_at__isnull" if item else "released_at__isnull": False})
    if not member.has(Role.ADJUDICATOR):
        return is_released
    # Two queries further out, seen from within.
    outer = OuterRef(OuterRef(item or "pk"))
    opinion = Opinion.objects.filter(item=outer, axis=OuterRef("pk"), member=member)
    decision = Decision.objects.filter(item=outer, axis=OuterRef("pk"), reopened_at=None)
    waiting = ProjectAxis.objects.filter(~Exists(opinion), ~Exists(decision), project=member.project_id)
    voted = Vote.objects.filter(item=OuterRef(item or "pk"), member=member)
    return is_released & (Q(Exists(voted)) | ~Q(Exists(waiting)))


def sees_votes_on(*, member: Member, item: Item) -> bool:
    """Whether the item's votes are no secret for the member any more."""
    return released_items(member=member).filter(pk=item.pk).exists()
