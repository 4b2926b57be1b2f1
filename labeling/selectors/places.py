"""The slots of a round that a member may take, and where the member stands; nothing is reserved here."""

from dataclasses import dataclass
from enum import Enum

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from labeling.models import Draft, GoldAnswer, Item, Member, Pass, Round, Slot, Suggestion, Vote


class Prospect(Enum):
    """What a round has for a member."""

    HELD = "held"
    NEXT = "next"
    LATER = "later"
    DONE = "done"
    SHUT = "shut"
    OTHERS = "others"


@dataclass(frozen=True)
class Standing:
    """Where a member stands in a round; `held` is the item that they are working on."""

    prospect: Prospect
    held: Item | None = None


def standing(*, member: Member, round_: Round) -> Standing:
    """What the round has for the member now: the item they are working on, another, perhaps one later, or none."""
    if round_.state != Round.State.OPEN:
        return Standing(Prospect.SHUT)
    if not labels(member=member, round_=round_):
        return Standing(Prospect.OTHERS)
    held = held_slots(member=member, round_=round_).select_related("item__snapshot").first()
    if held:
        return Standing(Prospect.HELD, held.item)
    if any(slots.exists() for slots in free_slots(member=member, round_=round_)):
        return Standing(Prospect.NEXT)
    # Slots that others hold: whoever skips one leaves it to the member.
    taken = _open_to(member, round_).filter(Q(only_for=None) | Q(only_for=member), member__isnull=False)
    if not member.is_senior:
        taken = taken.filter(for_senior=False)
    return Standing(Prospect.LATER if taken.exists() else Prospect.DONE)


def labels(*, member: Member, round_: Round) -> bool:
    """Whether the member labels in the round: as one of those chosen for it, or because nobody was chosen."""
    chosen = set(round_.annotators.values_list("pk", flat=True))
    return not chosen or member.pk in chosen


def had_before(*, member: Member, item: Item) -> bool:
    """Whether the item was, or is, the member's to label: held or kept for them, voted on, passed on, with a draft."""
    slots = Slot.objects.filter(Q(member=member) | Q(only_for=member), item=item)
    own = {"member": member, "item": item}
    return slots.exists() or Draft.objects.filter(**own).exists() or Pass.objects.filter(**own).exists()


def held_slots(*, member: Member, round_: Round) -> QuerySet[Slot]:
    """The slots of the round that the member holds without a vote, with their items, in the order of the sample."""
    held = Slot.objects.filter(item__round=round_, member=member, vote=None)
    return held.select_related("item").order_by("item__position")


def free_slots(*, member: Member, round_: Round) -> list[QuerySet[Slot]]:
    """The slots that the member may take, with their items, in groups, the best first.

    Slots kept for the member come first, then for seniors those of seniors, then the others; within each, the member's
    order is that of `turns`.
    """
    free = _open_to(member, round_).filter(Q(member=None) | Q(reserved_until__lt=Now()))
    free = free.select_related("item")
    groups = []
    # Most people have none, which would be found only after looking through all of a large round's slots.
    if Slot.objects.filter(only_for=member, item__round=round_).exists():
        kept = free.filter(only_for=member)
        groups.append(kept if member.is_senior else kept.filter(for_senior=False))
    common = free.filter(only_for=None)
    if member.is_senior and round_.seniors_wanted:
        groups.append(common.filter(for_senior=True))
    return [*groups, common.filter(for_senior=False)]


def _open_to(member: Member, round_: Round) -> QuerySet[Slot]:
    """Slots without a vote on items that the member neither holds nor passed on, nor gave gold answers for.

    Who was shown a suggestion on an item gets no blind slot of it.
    """
    # Uncorrelated subqueries, which are read once: a correlated one for thousands of slots took half a second.
    mine = Slot.objects.filter(member=member).order_by().values("item")
    passed = Pass.objects.filter(member=member, taken_back_at=None).order_by().values("item")
    gold = GoldAnswer.objects.filter(given_by=member).order_by().values("item")
    # With NOT EXISTS, Postgres estimates the number of slots well, and reads them in order.
    voted = Exists(Vote.objects.filter(slot=OuterRef("pk")))
    slots = Slot.objects.filter(~voted, item__round=round_, item__released_at=None, item__dropped_at=None)
    shown = Suggestion.objects.filter(member=member).order_by().values("item")
    slots = slots.exclude(item__in=mine).exclude(item__in=passed).exclude(item__in=gold)
    return slots.exclude(is_assisted=False, item__in=shown)
