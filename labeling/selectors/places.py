"""Which places of a round somebody may take, and what to tell who asks for the next one. Nothing is taken here."""

from dataclasses import dataclass
from enum import Enum

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from labeling.models import Item, Member, Pass, Round, Slot, Vote

IN_TURN = ("item__position", "number")


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
    if any(places.exists() for places in free_slots(member=member, round_=round_)):
        return Standing(Prospect.NEXT)
    return Standing(Prospect.LATER if _may_come_free(member, round_).exists() else Prospect.DONE)


def labels(*, member: Member, round_: Round) -> bool:
    """Is the member among those who label the round? Where nobody was chosen, all annotators are."""
    chosen = set(round_.annotators.values_list("pk", flat=True))
    return not chosen or member.pk in chosen


def held_slots(*, member: Member, round_: Round) -> QuerySet[Slot]:
    """The places of the round that the member is at, with their items, in the order of the sample."""
    held = Slot.objects.filter(item__round=round_, member=member, vote=None)
    return held.select_related("item").order_by("item__position")


def free_slots(*, member: Member, round_: Round) -> list[QuerySet[Slot]]:
    """The places that the member may take, with their items, in groups, the best first.

    What is kept for the member comes first, a senior's places before others, then the order of the sample, so that
    issues get complete one after another. One by one, so that each is read in that order and no further than needed:
    in one query, all places of the round were sorted. Groups that the round cannot have are not asked for.
    """
    free = _open_to(member, round_).filter(Q(member=None) | Q(reserved_until__lt=Now()))
    free = free.select_related("item").order_by(*IN_TURN)
    common, groups = free.filter(only_for=None), []
    if round_.kind == Round.Kind.RECHECK:
        kept = free.filter(only_for=member)
        groups.append(kept if member.is_senior else kept.filter(for_senior=False))
    if member.is_senior and round_.seniors_wanted:
        groups.append(common.filter(for_senior=True))
    return [*groups, common.filter(for_senior=False)]


def _may_come_free(member: Member, round_: Round) -> QuerySet[Slot]:
    """Places that others are at: whoever skips one leaves it to the member."""
    places = _open_to(member, round_).filter(Q(only_for=None) | Q(only_for=member), member__isnull=False)
    return places if member.is_senior else places.filter(for_senior=False)


def _open_to(member: Member, round_: Round) -> QuerySet[Slot]:
    """Places without a vote on issues that the member has neither a place on nor passed on."""
    # As lists that are read once: asking for each of thousands of places took half a second.
    mine = Slot.objects.filter(member=member).order_by().values("item")
    passed = Pass.objects.filter(member=member, taken_back_at=None).order_by().values("item")
    # Asked in this way, Postgres knows how many places that leaves, and reads them in turn.
    voted = Exists(Vote.objects.filter(slot=OuterRef("pk")))
    places = Slot.objects.filter(~voted, item__round=round_, item__released_at=None)
    return places.exclude(item__in=mine).exclude(item__in=passed)
