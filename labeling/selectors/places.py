"""Which places of a round somebody may take, and what to tell who asks for the next one. Nothing is taken here."""

from dataclasses import dataclass
from enum import Enum

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from labeling.models import Item, Member, Pass, Round, Slot


class Prospect(Enum):
    """What there is for a member in a round."""

    HELD = "held"
    NEXT = "next"
    LATER = "later"
    DONE = "done"
    SHUT = "shut"
    OTHERS = "others"


@dataclass(frozen=True)
class Standing:
    """Where a member stands in a round; `held` is the issue that they are at."""

    prospect: Prospect
    held: Item | None = None


def standing(*, member: Member, round_: Round) -> Standing:
    """What there is for the member now: the issue they are at, another one, perhaps one later, or nothing."""
    if round_.state != Round.State.OPEN:
        return Standing(Prospect.SHUT)
    if not labels(member=member, round_=round_):
        return Standing(Prospect.OTHERS)
    held = held_slots(member=member, round_=round_).select_related("item__snapshot").first()
    if held:
        return Standing(Prospect.HELD, held.item)
    if free_slots(member=member, round_=round_).exists():
        return Standing(Prospect.NEXT)
    return Standing(Prospect.LATER if _may_come_free(member, round_).exists() else Prospect.DONE)


def labels(*, member: Member, round_: Round) -> bool:
    """Is the member among those who label the round? Where nobody was chosen, all annotators are."""
    chosen = round_.annotators.all()
    return not chosen.exists() or chosen.filter(pk=member.pk).exists()


def held_slots(*, member: Member, round_: Round) -> QuerySet[Slot]:
    """The places of the round that the member is at, in the order of the sample."""
    return Slot.objects.filter(item__round=round_, member=member, vote=None).order_by("item__position")


def free_slots(*, member: Member, round_: Round) -> QuerySet[Slot]:
    """The places that the member may take, the best first.

    What is kept for the member comes first, a senior's places before others, then the order of the sample, so that
    issues get complete one after another.
    """
    free = _for(member, round_).filter(Q(member=None) | Q(reserved_until__lt=Now()), vote=None)
    return free.order_by("only_for_id", "-for_senior", "item__position", "number")


def _may_come_free(member: Member, round_: Round) -> QuerySet[Slot]:
    """Places that others are at: whoever skips one leaves it to the member."""
    return _for(member, round_).filter(member__isnull=False, vote=None)


def _for(member: Member, round_: Round) -> QuerySet[Slot]:
    """Places on issues that the member has neither a place on nor passed on."""
    # As lists that are read once: asking for each of thousands of places took half a second.
    mine = Slot.objects.filter(item__round=round_, member=member).order_by().values("item")
    passed = Pass.objects.filter(item__round=round_, member=member, taken_back_at=None).order_by().values("item")
    places = Slot.objects.filter(Q(only_for=None) | Q(only_for=member), item__round=round_, item__released_at=None)
    if not member.is_senior:
        places = places.filter(for_senior=False)
    return places.exclude(item__in=mine).exclude(item__in=passed)
