"""A lead's answers to flags: the issue returns to the annotator, or is dropped from the round."""

from django.db import transaction
from django.utils import timezone

from labeling.models import AuditEntry, Item, Member, Pass, Round, Slot
from labeling.refusals import GoneError, RefusedError
from labeling.selectors import visible
from labeling.selectors.places import labels
from labeling.services import audit
from labeling.services.dropping import drop_item
from labeling.services.notices import tell_of_answer
from labeling.services.rounds import locked_round


@transaction.atomic
def answer_flag(*, lead: Member, flag: Pass, answer: str, outcome: Pass.Outcome, drop_reason: str = "") -> Pass:
    """Answer a flag with a text that its annotator sees, and close it; returns it as now stored.

    A returned issue is offered to the annotator again, at once where a place is free. `drop_reason` is public, the
    answer is not. Raises GoneError for a flag that the lead may not see: leads who label see only their own.
    """
    round_ = locked_round(lead, flag.item.round, Round.State.OPEN)
    if not answer.strip():
        raise RefusedError("Answer the annotator in a sentence or two.")
    # The person before the place, as wherever places are locked.
    member = Member.objects.select_for_update().get(pk=flag.member_id)
    seen = visible.passes(member=lead).filter(kind=Pass.Kind.FLAG, item__round=flag.item.round_id)
    locked = Pass.objects.select_for_update(of=("self",)).filter(pk=flag.pk, pk__in=seen.values("pk")).first()
    if locked is None:
        raise GoneError("There is no such flag in this round.")
    if locked.answered_at or locked.taken_back_at:
        raise RefusedError("This flag is closed already.")
    if outcome == Pass.Outcome.DROPPED:
        drop_item(lead=lead, item=flag.item, reason=drop_reason)
    else:
        locked.taken_back_at = timezone.now()
        _keep_place(flag.item, member)
    locked.answer, locked.outcome = answer.strip(), outcome
    locked.answered_by, locked.answered_at = lead, timezone.now()
    locked.save(update_fields=["answer", "outcome", "answered_by", "answered_at", "taken_back_at"])
    tell_of_answer(flag=locked, round_=round_)
    audit.record(by=lead, kind=AuditEntry.Kind.ANSWERED, round_=round_, detail=f"issue {flag.item.position}")
    return locked


def _keep_place(item: Item, member: Member) -> None:
    """Keep a free place on the item for the annotator, if there is one and they label the round."""
    if not labels(member=member, round_=item.round) or Slot.objects.filter(item=item, member=member).exists():
        return
    free = Slot.objects.select_for_update(of=("self",), skip_locked=True).filter(item=item, member=None, only_for=None)
    if not member.is_senior:
        free = free.filter(for_senior=False)
    slot = free.order_by("-for_senior", "number").first()
    if slot is not None and not Slot.objects.filter(item=item, only_for=member).exists():
        Slot.objects.filter(pk=slot.pk).update(only_for=member)
