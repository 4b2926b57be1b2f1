"""Hands out issues: to exactly as many different people as votes are wanted, however many ask at once.

Every vote that is wanted has a slot. Taking one locks the person, so that two tabs get the same issue, and then a slot
that nobody else has locked. A reservation that ran out is free for others; until somebody takes it, it is still good.
"""

import datetime as dt

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from labeling.models import Item, Member, Pass, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.selectors.places import free_slots, held_slots, labels
from labeling.services.people import require


@transaction.atomic
def next_slot(*, member: Member, round_: Round) -> Slot | None:
    """The place that the member is working at in this round, else the next one; None when there is none now."""
    member, round_ = _ready(member, round_)
    held = held_slots(member=member, round_=round_).select_for_update(of=("self",))
    slot = held.first() or _free_slot(member, round_)
    return _reserve(slot, member, round_) if slot else None


@transaction.atomic
def take_item(*, member: Member, item: Item) -> Slot:
    """A place on this very item: to come back to a draft whose reservation ran out, or to a skipped item."""
    member, round_ = _ready(member, item.round)
    if item.released_at:
        raise RefusedError("This issue is released: its votes are settled.")
    Pass.objects.filter(item=item, member=member, taken_back_at=None).update(taken_back_at=Now())
    slot = locked_slot(item=item, member=member) or _free_slot(member, round_, item)
    if slot and Vote.objects.filter(slot=slot).exists():
        raise RefusedError("You have voted on this issue.")
    if slot is None:
        raise RefusedError("All votes on this issue are taken by others now. What you wrote is kept as a draft.")
    return _reserve(slot, member, round_)


@transaction.atomic
def pass_item(*, member: Member, item: Item, kind: Pass.Kind, reason: str) -> Pass:
    """Skip an item, or flag it for the lead; its place is free for somebody else."""
    member, _ = _ready(member, item.round)
    if not reason.strip():
        raise RefusedError("Say in a few words why, so that the lead can help.")
    slot = locked_slot(item=item, member=member)
    if slot is None or Vote.objects.filter(slot=slot).exists():
        raise RefusedError("This issue is not with you, so there is nothing to pass on.")
    # It may have been kept for this person: then it would wait for ever.
    Slot.objects.filter(pk=slot.pk).update(member=None, reserved_until=None, only_for=None)
    return Pass.objects.create(item=item, member=member, kind=kind, reason=reason.strip())


def _ready(member: Member, round_: Round) -> tuple[Member, Round]:
    """Both as they are now, the member locked. Raises RefusedError when the member may not vote in the round."""
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
    """The best place that the member may take, locked; those that somebody else is taking are left out."""
    for places in free_slots(member=member, round_=round_):
        wanted = places.filter(item=item) if item else places
        if slot := wanted.select_for_update(of=("self",), skip_locked=True).first():
            return slot
    return None


def locked_slot(*, item: Item, member: Member) -> Slot | None:
    """The member's place on an item, locked, with a vote or not.

    In the order of its own key: in the usual one, by item, it comes with its round and its project, and they would be
    locked with it. Everybody at work in the project would wait for everybody else.
    """
    return Slot.objects.select_for_update(of=("self",)).filter(item=item, member=member).order_by("pk").first()


def kept_until(round_: Round) -> dt.datetime:
    """Until when an issue is kept for who takes it, or goes on working at it, now."""
    return timezone.now() + dt.timedelta(minutes=round_.hold_minutes)


def _reserve(slot: Slot, member: Member, round_: Round) -> Slot:
    slot.member = member
    slot.reserved_until = kept_until(round_)
    slot.save(update_fields=["member", "reserved_until"])
    return slot
