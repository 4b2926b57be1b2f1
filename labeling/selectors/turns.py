"""The order in which a person gets a round's issues: one of their own, shuffled by the round's published seed.

As in `labeling.samples`, by the SHA-256 of seed, pseudonym and address, so that anybody can compute it from a release.
Different orders keep what somebody saw before from working on everybody alike.
"""

from array import array
from collections.abc import Iterator
from functools import lru_cache

from django.db.models import F, Func, IntegerField, QuerySet, Value

from labeling.models import Item, Member, Round, Slot
from labeling.samples import shuffled
from labeling.selectors.pseudonyms import pseudonyms
from labeling.selectors.subjects import url_of_item

# So many issues are looked at first, and so many times as many next: in a young round a free one is soon found.
FIRST, GROWTH = 64, 4


def in_turn(slots: QuerySet[Slot], *, member: Member, round_: Round) -> Iterator[QuerySet[Slot]]:
    """The slots in the member's order, part by part, so that no query sorts all slots of a large round."""
    if not round_.order_seed:
        # Prepared before there were orders for each person: everybody goes by the sample.
        yield slots.order_by("item__position", "number")
        return
    order = order_of(round_.pk, round_.order_seed, member.pk)
    start, size = 0, FIRST
    while start < len(order):
        part = order[start : start + size].tolist()
        place = Func(Value(part), F("item"), function="array_position", output_field=IntegerField())
        yield slots.filter(item__in=part).order_by(place, "number")
        start, size = start + size, size * GROWTH


@lru_cache(maxsize=128)
def order_of(round_id: int, seed: str, member_id: int) -> "array[int]":
    """The ids of an opened round's items, which are the same for ever, in the member's order."""
    items = Item.objects.filter(round=round_id)
    ids = dict(items.values_list(url_of_item(), "pk"))
    project_id = Round.objects.values_list("project", flat=True).get(pk=round_id)
    pseudonym = pseudonyms(project_id=project_id)[member_id]
    return array("q", [ids[url] for url in shuffled(ids, f"{seed}\n{pseudonym}")])
