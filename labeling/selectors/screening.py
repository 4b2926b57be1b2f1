"""The result of a screening round: it keeps every issue that is not excluded by all its votes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labeling.models import Item, Member, Round
from labeling.outcomes import is_excluded
from labeling.selectors import visible
from labeling.selectors.votes import AxisVote, all_axis_votes, axis_votes


@dataclass(frozen=True)
class Screened:
    """The items of a screening round in the order of its sample, without dropped ones."""

    kept: Sequence[Item]
    excluded: Sequence[Item]


def screened(*, member: Member, round_: Round) -> Screened | None:
    """The result of a closed screening round, or None where the member may not know it yet."""
    if round_.state != Round.State.CLOSED or not visible.sees_whole(member=member, round_=round_):
        return None
    return _screen(round_, axis_votes(member=member, round_=round_))


def all_screened(*, round_: Round) -> Screened:
    """The same from all votes, for services; not to be shown to anybody."""
    return _screen(round_, all_axis_votes(round_=round_))


def _screen(round_: Round, answers: Iterable[AxisVote]) -> Screened:
    excluding = set(round_.excluding.values_list("axis__code", "code"))
    votes: dict[int, dict[int, set[tuple[str, str]]]] = {}
    for answer in answers:
        nodes = votes.setdefault(answer.item, {}).setdefault(answer.member, set())
        nodes |= {(answer.axis, code) for code in answer.choice.codes}
    kept, excluded = [], []
    for item in (
        Item.objects.filter(round=round_, dropped_at=None).select_related("issue__repository").order_by("position")
    ):
        if is_excluded(list(votes.get(item.pk, {}).values()), excluding):
            excluded.append(item)
        else:
            kept.append(item)
    return Screened(kept, excluded)
