"""What a screening round keeps: every issue that not everybody excludes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labeling.models import Item, Member, Round
from labeling.outcomes import is_excluded
from labeling.selectors import visible
from labeling.selectors.votes import AxisVote, all_axis_votes, axis_votes


@dataclass(frozen=True)
class Screened:
    """Items of a screening round in the order of its sample: those that stay, and those that are out."""

    kept: Sequence[Item]
    excluded: Sequence[Item]


def screened(*, member: Member, round_: Round) -> Screened | None:
    """What a closed screening round keeps, or None where the member may not know yet."""
    if round_.state != Round.State.CLOSED or not visible.sees_whole(member=member, round_=round_):
        return None
    return _sorted_out(round_, axis_votes(member=member, round_=round_))


def all_screened(*, round_: Round) -> Screened:
    """The same, for services that go on with what is kept: not to be shown."""
    return _sorted_out(round_, all_axis_votes(round_=round_))


def _sorted_out(round_: Round, answers: Iterable[AxisVote]) -> Screened:
    excluding = set(round_.excluding.values_list("axis__code", "code"))
    votes: dict[int, dict[int, set[tuple[str, str]]]] = {}
    for one in answers:
        named = votes.setdefault(one.item, {}).setdefault(one.member, set())
        named |= {(one.axis, code) for code in one.choice.codes}
    kept: list[Item] = []
    excluded: list[Item] = []
    for item in Item.objects.filter(round=round_).select_related("issue__repository").order_by("position"):
        is_out = is_excluded(list(votes.get(item.pk, {}).values()), excluding)
        (excluded if is_out else kept).append(item)
    return Screened(kept, excluded)
