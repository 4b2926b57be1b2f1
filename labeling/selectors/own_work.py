"""A member's own work: votes with their receipts, drafts, skipped and flagged issues."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from labeling.models import Draft, Item, Member, Pass, Round, Slot, Vote
from labeling.selectors import visible

# How long a vote may be taken back, while it is blind.
UNDO = dt.timedelta(minutes=15)


@dataclass(frozen=True)
class AtWork:
    """A member's slot on an issue, draft of it, and vote on it."""

    slot: Slot | None
    draft: Draft | None
    vote: Vote | None


def at_work(*, member: Member, item: Item) -> AtWork:
    """The member's work on an issue; three statements at the most."""
    slot = Slot.objects.filter(item=item, member=member).first()
    draft = visible.drafts(member=member).filter(item=item).first()
    vote = None
    if slot is not None and slot.reserved_until is None:  # A vote ends the reservation.
        vote = visible.own_votes(member=member).filter(item=item).first()
    return AtWork(slot, draft, vote)


def votes(*, member: Member) -> QuerySet[Vote]:
    """The member's votes, the newest first, with round, project and snapshot."""
    own = visible.own_votes(member=member)
    return own.select_related("item__round__project", "item__snapshot").order_by("-submitted_at", "-pk")


def last_vote(*, member: Member, round_: Round) -> Vote | None:
    """The member's newest vote in the round that can still be taken back."""
    recent = votes(member=member).filter(item__round=round_, item__released_at=None, item__dropped_at=None)
    return recent.filter(submitted_at__gt=timezone.now() - UNDO).first()


def may_take_back(vote: Vote) -> bool:
    """Whether the vote is blind, on an issue that is not dropped, and young enough. Its `item` should be selected."""
    is_blind = vote.item.released_at is None and vote.item.dropped_at is None
    return is_blind and timezone.now() - vote.submitted_at <= UNDO


def drafts(*, member: Member) -> QuerySet[Draft]:
    """The member's drafts on issues that can still be voted on, the newest first."""
    own = visible.drafts(member=member).filter(item__round__project=member.project_id)
    own = own.filter(item__round__state=Round.State.OPEN, item__released_at=None, item__dropped_at=None)
    return own.select_related("item__round__project", "item__snapshot").order_by("-updated_at", "-pk")


def passes(*, member: Member) -> QuerySet[Pass]:
    """The member's skipped and flagged issues, except those taken up again, the newest first."""
    own = visible.passes(member=member).filter(member=member, taken_back_at=None)
    return own.select_related("item__round__project", "item__snapshot").order_by("-created_at", "-pk")


def vote_on(*, member: Member, item: Item) -> Vote | None:
    """The member's vote on the item."""
    return votes(member=member).filter(item=item).first()


def pass_on(*, member: Member, item: Item) -> Pass | None:
    """That the member skipped or flagged the item, unless it was taken up again."""
    return passes(member=member).filter(item=item).first()


def draft_on(*, member: Member, item: Item) -> Draft:
    """The member's draft on the item. Raises Draft.DoesNotExist."""
    return visible.drafts(member=member).get(item=item)
