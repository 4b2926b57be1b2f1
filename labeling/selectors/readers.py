"""A round's readers, as far as somebody may see them, and which of its places are assisted.

Who may vote in a round that is open sees of its readers only what an assisted ballot of their own shows.
"""

from collections.abc import Collection, Mapping

from django.db.models import QuerySet

from labeling.arms import Held, Place, assisted
from labeling.models import Member, Reader, Round, Slot, Suggestion
from labeling.selectors.visible import is_blind


def hides_readers(*, member: Member, round_: Round) -> bool:
    """Whether the round's readers are kept from the member: they may vote in it, and it is open."""
    return round_.state == Round.State.OPEN and is_blind(member)


def readers_of(*, member: Member, round_: Round) -> QuerySet[Reader]:
    """The round's readers that a lead sees."""
    readers = Reader.objects.filter(round=round_, round__project=member.project_id).defer("content")
    return readers.none() if hides_readers(member=member, round_=round_) else readers


def reader_of(*, member: Member, round_: Round, pk: int) -> Reader:
    """One of these, with its file. Raises Reader.DoesNotExist."""
    return readers_of(member=member, round_=round_).defer(None).select_related("round__codebook").get(pk=pk)


def assisting(*, round_: Round) -> Reader | None:
    """The reader whose answers ballots of the round show; everybody in the project may know which, not what it says."""
    return Reader.objects.filter(round=round_, assist_percent__isnull=False).defer("content").first()


def assisted_places(
    *, round_: Round, places: Mapping[int, Collection[int]], held: Mapping[int, Held] | None = None
) -> set[Place]:
    """The assisted ones of a round's new places, by position and number; none without a reader that assists."""
    reader = assisting(round_=round_)
    if reader is None or reader.assist_percent is None:
        return set()
    return assisted(places, percent=reader.assist_percent, seed=reader.assist_seed, held=held)


def suggestion_on(*, member: Member, slot: Slot | None) -> Suggestion | None:
    """What the member is shown on their own slot."""
    if slot is None or not slot.is_assisted or slot.member_id != member.pk:
        return None
    return Suggestion.objects.filter(item=slot.item_id, member=member).select_related("reader").first()
