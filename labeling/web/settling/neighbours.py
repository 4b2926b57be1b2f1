"""Which issues stand before and after one on the adjudicator's desk, or in the queue as the reader filtered it."""

from collections.abc import Sequence

from django.http import HttpRequest

from labeling.models import Item, Member, Role
from labeling.selectors.adjudication import desk
from labeling.selectors.axes import axis_names
from labeling.selectors.disputes import disputes
from labeling.selectors.round_lists import positions_of
from labeling.web.settling.queue_filters import queue_filters


def neighbours(request: HttpRequest, member: Member, item: Item) -> tuple[int | None, int | None]:
    """The positions before and after the item's. All issues are looked through only if there is none nearby."""
    before, after = _nearest(_positions(request, member, item, near=item), item.position)
    if before is None or after is None:
        before, after = _nearest(_positions(request, member, item, near=None), item.position)
    return before, after


def _positions(request: HttpRequest, member: Member, item: Item, *, near: Item | None) -> list[int]:
    """The positions of the round's issues that wait for the adjudicator, or that pass the queue's filters."""
    if member.has(Role.ADJUDICATOR):
        waiting = desk(adjudicator=member, near=near)
        return positions_of(round_=item.round, item_ids=[*waiting.opinions, *waiting.decisions])
    filters = queue_filters(request.GET, axis_names(project_id=member.project_id).items())
    queue = disputes(member=member, round_=item.round, near=near)
    return [dispute.position for dispute in queue if filters.matches(dispute, member)]


def _nearest(positions: Sequence[int], here: int) -> tuple[int | None, int | None]:
    """The positions next to `here` on either side, which need not be among them itself."""
    before = [position for position in positions if position < here]
    after = [position for position in positions if position > here]
    return max(before, default=None), min(after, default=None)
