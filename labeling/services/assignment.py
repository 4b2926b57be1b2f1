"""Assigns issues to annotators: each to exactly as many different people as votes are wanted, under concurrency.

Every vote that is wanted has a slot. Taking one locks the member, so that two tabs get the same issue, and then a slot
that nobody else has locked. An expired reservation may be taken over by others; until then it is still good.
"""

import datetime as dt

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from labeling.models import Item, Member, Pass, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.selectors.places import free_slots, had_before, held_slots, labels
from labeling.selectors.turns import in_turn
from labeling.services.notices import tell_of_flag
from labeling.services.people import require
from labeling.services.suggestions import show_suggestion

DROPPED = "A lead dropped this issue from the round: nobody votes on it. What you wrote is kept."


@transaction.atomic
def next_slot(*, member: Member, round_: Round) -> Slot | None:
    """The slot that the member is working on in this round, else the next one; None when there is none now."""
    member, round_ = _ready(member, round_)
    held = held_slots(member=member, round_=round_).select_for_update(of=("self",))
    slot = held.first() or _free_slot(member, round_)
    return _reserve(slot, member, round_) if slot else None


@transaction.atomic
def take_item(*, member: Member, item: Item) -> Slot:
    """A slot on an item that the member had before: whose reservation expired, or which they passed on.

    Raises RefusedError for any other: nobody picks what they label.
    """
    member, round_ = _ready(member, item.round)
    if item.released_at:
        raise RefusedError("This issue is released: its votes are settled.")
    if item.dropped_at:
        raise RefusedError(DROPPED)
    if not had_before(member=member, item=item):
        raise RefusedError("Issues are handed out in turn. You can take only one that you have had before.")
    if not Slot.objects.filter(item=item, member=member).exists():
        require_room(member, round_)
    Pass.objects.filter(item=item, member=member, taken_back_at=None).update(taken_back_at=Now())
    slot = locked_slot(item=item, member=member) or _free_slot(member, round_, item)
    if slot and Vote.objects.filter(slot=slot).exists():
        raise RefusedError("You have voted on this issue.")
    if slot is None:
        raise RefusedError("Others have taken all votes on this issue. Your text is kept as a draft.")
    return _reserve(slot, member, round_)


@transaction.atomic
def pass_item(*, member: Member, item: Item, kind: Pass.Kind, reason: str) -> Pass:
    """Skip an item, or flag it for the lead; its slot is free for somebody else."""
    member, round_ = _ready(member, item.round)
    if not reason.strip():
        raise RefusedError("Say briefly why, so that the lead can help.")
    slot = locked_slot(item=item, member=member)
    if slot is None or Vote.objects.filter(slot=slot).exists():
        raise RefusedError("This issue is not reserved for you, so there is nothing to skip.")
    # A slot kept for this member would otherwise wait for ever.
    Slot.objects.filter(pk=slot.pk).update(member=None, reserved_until=None, only_for=None)
    passed = Pass.objects.create(item=item, member=member, kind=kind, reason=reason.strip())
    if kind == Pass.Kind.FLAG:
        tell_of_flag(flag=passed, round_=round_)
    return passed


def require_room(member: Member, round_: Round) -> None:
    """Raises RefusedError where the member, who must be locked, holds as many issues as one person may."""
    held = held_slots(member=member, round_=round_).count()
    if held >= round_.places_held:
        raise RefusedError(f"You hold {held} issues already. Submit or skip one of them first.")


def _ready(member: Member, round_: Round) -> tuple[Member, Round]:
    """Both read anew, the member locked. Raises RefusedError when the member may not vote in the round."""
    member = Member.objects.select_for_update().get(pk=member.pk)
    require(member, Role.ANNOTATOR)
    round_ = Round.objects.get(pk=round_.pk)
    if round_.project_id != member.project_id:
        raise RefusedError("This round belongs to another project.")
    if round_.state != Round.State.OPEN:
        raise RefusedError(f"The round “{round_.name}” is {round_.get_state_display().lower()}.")
    if not labels(member=member, round_=round_):
        raise RefusedError("This round is labelled by other members.")
    return member, round_


def _free_slot(member: Member, round_: Round, item: Item | None = None) -> Slot | None:
    """The best slot that the member may take, locked; slots that somebody else is taking are skipped."""
    for slots in free_slots(member=member, round_=round_):
        parts = [slots.filter(item=item)] if item else in_turn(slots, member=member, round_=round_)
        for part in parts:
            slot = part.select_for_update(of=("self",), skip_locked=True).first()
            if slot is not None:
                return slot
    return None


def locked_slot(*, item: Item, member: Member) -> Slot | None:
    """The member's slot on an item, locked, with a vote or not.

    Ordered by its own key: the default order, by item, joins the item's round and project, and would lock them too, so
    that everybody at work in the project waited for everybody else.
    """
    return Slot.objects.select_for_update(of=("self",)).filter(item=item, member=member).order_by("pk").first()


def kept_until(round_: Round) -> dt.datetime:
    """When a reservation that begins, or is renewed, now expires."""
    return timezone.now() + dt.timedelta(minutes=round_.hold_minutes)


def _reserve(slot: Slot, member: Member, round_: Round) -> Slot:
    slot.member = member
    slot.reserved_until = kept_until(round_)
    slot.save(update_fields=["member", "reserved_until"])
    if slot.is_assisted:
        show_suggestion(slot=slot, member=member)
    return slot
