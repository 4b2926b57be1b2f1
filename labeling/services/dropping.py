"""Dropping single issues from an open round, with a reason, and putting them back while it is open.

A dropped issue keeps its votes and places, and counts for nothing: it is never released.
"""

from django.db import transaction
from django.utils import timezone

from labeling.models import AuditEntry, Item, Member, Pass, Round, Slot
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.rounds import locked_round, release_complete


@transaction.atomic
def drop_item(*, lead: Member, item: Item, reason: str) -> Item:
    """Take an issue out of its round; returns it as now stored. Whoever holds it loses it, and keeps the draft.

    Raises RefusedError for a released issue: who knows its votes must not choose whether they count.
    """
    round_ = locked_round(lead, item.round, Round.State.OPEN)
    if not reason.strip():
        raise RefusedError("Say why: the reason is shown in the round and in the method of its releases.")
    item = _locked(item)
    if item.released_at:
        raise RefusedError("This issue is released: its votes are known, so it stays. Settle it in the discussion.")
    if item.dropped_at:
        raise RefusedError("This issue is dropped already.")
    item.dropped_at, item.dropped_by, item.drop_reason = timezone.now(), lead, reason.strip()
    item.save(update_fields=["dropped_at", "dropped_by", "drop_reason"])
    Slot.objects.filter(item=item, vote=None).update(member=None, reserved_until=None, only_for=None)
    audit.record(by=lead, kind=AuditEntry.Kind.DROPPED, round_=round_, detail=f"issue {item.position}")
    return item


@transaction.atomic
def put_back(*, lead: Member, item: Item) -> Item:
    """Undo a drop; returns the item as now stored. Flags that were answered by dropping it are taken back."""
    round_ = locked_round(lead, item.round, Round.State.OPEN)
    item = _locked(item)
    if not item.dropped_at:
        raise RefusedError("This issue is in the round.")
    item.dropped_at, item.dropped_by, item.drop_reason = None, None, ""
    item.save(update_fields=["dropped_at", "dropped_by", "drop_reason"])
    flags = Pass.objects.filter(item=item, outcome=Pass.Outcome.DROPPED, taken_back_at=None)
    flags.update(taken_back_at=timezone.now())
    release_complete(round_)
    audit.record(by=lead, kind=AuditEntry.Kind.RESTORED, round_=round_, detail=f"issue {item.position}")
    return item


def _locked(item: Item) -> Item:
    """The item, locked, so that a vote under way is waited for; `no_key`, so that rows may still refer to it."""
    return Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)
