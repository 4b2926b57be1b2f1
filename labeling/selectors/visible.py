"""Who may see whose work: the one module that keeps votes blind.

Until an item is released, a vote is seen by its author, and by leads and observers who neither vote nor adjudicate. An
adjudicator who did not vote on an item sees its votes and discussion only after giving a first opinion on every axis
that is not decided. All code that shows or counts votes, notes, evidence, passes, drafts or posts starts from a query
here.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet

from labeling.models import (
    Decision,
    DiscussionEnd,
    Draft,
    Evidence,
    GoldAnswer,
    Item,
    Member,
    Opinion,
    Pass,
    Post,
    ProjectAxis,
    Proposal,
    ProposalVote,
    Repeat,
    Revision,
    Role,
    Round,
    Vote,
)  # fmt: skip
from labeling.selectors.axes import settled_by


def is_blind(member: Member) -> bool:
    """Whether others' votes are kept from the member, because they might sway the member's own opinion."""
    return not member.has(Role.LEAD, Role.OBSERVER) or member.has(Role.ANNOTATOR, Role.ADJUDICATOR)


def sees_whole(*, member: Member, round_: Round) -> bool:
    """Whether the member may know the counts of everybody's votes in the round.

    Blind members may once it is closed, except for adjudicators, who may still have opinions to give.
    """
    if not is_blind(member):
        return True
    return member.is_active and round_.state == Round.State.CLOSED and not member.has(Role.ADJUDICATOR)


def votes(*, member: Member) -> QuerySet[Vote]:
    """The votes of the member's project that they may see now.

    While the member answers an issue again, their first vote on it is kept from them, too.
    """
    seen = Vote.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)
    return seen.filter(~Exists(open_repeats(member=member).filter(vote=OuterRef("pk"))))


def own_votes(*, member: Member) -> QuerySet[Vote]:
    """All of the member's own votes, to say that they were cast and when; not to show their answers."""
    return Vote.objects.filter(member=member)


def open_repeats(*, member: Member) -> QuerySet[Repeat]:
    """The issues that the member is to answer again now."""
    own = Repeat.objects.filter(vote__member=member, submitted_at=None, skipped_at=None)
    return own.filter(
        vote__item__round__state=Round.State.OPEN, vote__item__released_at=None, vote__item__dropped_at=None
    )


def repeats(*, member: Member) -> QuerySet[Repeat]:
    """Issues that were answered, or skipped, a second time, as everybody's votes are counted; of a closed round, leads
    and observers who label see them too, and annotators their own.
    """
    done = Repeat.objects.filter(Q(submitted_at__isnull=False) | Q(skipped_at__isnull=False))
    done = done.filter(vote__item__round__project=member.project_id, vote__item__dropped_at=None)
    if member.is_active and not is_blind(member):
        return done
    done = done.filter(vote__item__round__state=Round.State.CLOSED)
    return done if watches(member) else done.filter(vote__member=member)


def gold_answers(*, member: Member) -> QuerySet[GoldAnswer]:
    """Gold answers: those that the member gave, others' as votes are seen; to who is blind once the round is closed."""
    seen = _seen_by(member, "item", own="given_by")
    answers = GoldAnswer.objects.filter(seen, item__round__project=member.project_id)
    if member.is_active and not is_blind(member):
        return answers
    return answers.filter(Q(given_by=member) | Q(item__round__state=Round.State.CLOSED))


def watches(member: Member) -> bool:
    """Whether the member may know of each annotator's work by name, at the latest when the round is closed."""
    return member.is_active and member.has(Role.LEAD, Role.OBSERVER) and not member.has(Role.ADJUDICATOR)


def evidence(*, member: Member) -> QuerySet[Evidence]:
    """The passages of those votes."""
    seen = _seen_by(member, "vote__item", own="vote__member")
    return Evidence.objects.filter(seen, vote__item__round__project=member.project_id)


def passes(*, member: Member) -> QuerySet[Pass]:
    """Skipped and flagged items, with the reasons: one's own, and others' as votes are seen."""
    return Pass.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def drafts(*, member: Member) -> QuerySet[Draft]:
    """The member's own drafts; nobody ever sees another person's."""
    return Draft.objects.filter(member=member)


def posts(*, member: Member) -> QuerySet[Post]:
    """Posts on released items."""
    return Post.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def discussion_ends(*, member: Member) -> QuerySet[DiscussionEnd]:
    """Discussions that a lead ended, as posts are seen: they tell that votes differ."""
    ends = DiscussionEnd.objects.filter(item__round__project=member.project_id)
    return ends.filter(_seen_by(member, "item", own="member"))


def revisions(*, member: Member) -> QuerySet[Revision]:
    """Votes as they were revised after discussion."""
    return Revision.objects.filter(_seen_by(member, "item", own="member"), item__round__project=member.project_id)


def opinions(*, member: Member) -> QuerySet[Opinion]:
    """First opinions: one's own, and others' once their axis is decided."""
    seen = Q(member=member)
    if member.is_active:
        seen |= Q(Exists(Decision.objects.filter(item=OuterRef("item"), axis=OuterRef("axis"), reopened_at=None)))
    return Opinion.objects.filter(seen, item__round__project=member.project_id)


def decisions(*, member: Member) -> QuerySet[Decision]:
    """Decisions, reopened ones too, as votes are seen, because they tell of them; one's own always."""
    return Decision.objects.filter(_seen_by(member, "item", own="adjudicator"), item__round__project=member.project_id)


def proposals(*, member: Member) -> QuerySet[Proposal]:
    """Proposals that were put to the vote, and one's own."""
    seen = Q(author=member)
    if member.is_active:
        seen |= ~Q(state__in=(Proposal.State.DRAFT, Proposal.State.WITHDRAWN))
    return Proposal.objects.filter(seen, project=member.project_id)


def proposal_votes(*, member: Member) -> QuerySet[ProposalVote]:
    """Ballots on proposals: one's own, and everybody's once the proposal is decided."""
    seen = Q(member=member)
    if member.is_active:
        seen |= Q(proposal__decided_at__isnull=False)
    return ProposalVote.objects.filter(seen, proposal__project=member.project_id)


def released_items(*, member: Member) -> QuerySet[Item]:
    """The items of the project whose votes this member may see."""
    items = Item.objects.filter(round__project=member.project_id)
    if not member.is_active:
        return items.none()
    if not is_blind(member):
        return items
    return items.filter(_open_to(member, ""))


def _seen_by(member: Member, item: str, *, own: str) -> Q:
    """The rows that the member may see; `item` and `own` are the lookups of a row's item and its author."""
    mine = Q(**{own: member})
    if not member.is_active:
        return mine
    if not is_blind(member):
        return Q()
    return mine | _open_to(member, item)


def _open_to(member: Member, item: str) -> Q:
    """The rows on items that are open to a blind member; an empty `item` is for rows of `Item`."""
    prefix = f"{item}__" if item else ""
    is_released = Q(**{f"{prefix}released_at__isnull": False})
    if not member.has(Role.ADJUDICATOR):
        return is_released
    # The outer query is two levels up, as seen from the subqueries of `waiting`.
    outer = OuterRef(OuterRef(item or "pk"))
    opinion = Opinion.objects.filter(item=outer, axis=OuterRef("pk"), member=member)
    decision = Decision.objects.filter(item=outer, axis=OuterRef("pk"), reopened_at=None)
    settled = settled_by(OuterRef(f"{prefix}round__codebook__number"))
    waiting = ProjectAxis.objects.filter(settled, ~Exists(opinion), ~Exists(decision), project=member.project_id)
    voted = Vote.objects.filter(item=OuterRef(item or "pk"), member=member)
    return is_released & (Q(Exists(voted)) | ~Q(Exists(waiting)))


def sees_votes_on(*, member: Member, item: Item) -> bool:
    """Whether the item's votes are no secret for the member any more."""
    return released_items(member=member).filter(pk=item.pk).exists()
