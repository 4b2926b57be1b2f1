"""The result of a screening round: which issues its votes exclude, all of them or most of them, as its rule says."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.core.intervals import Interval, wilson
from labeling.models import Item, Member, Revision, Round
from labeling.outcomes import is_excluded
from labeling.selectors import visible
from labeling.selectors.disputes import Waits, all_disputes
from labeling.selectors.subjects import OWN
from labeling.selectors.votes import AxisVote, all_axis_votes, axis_votes, with_revisions

# By the other rules an issue is excluded only by every vote on it.
BY_MAJORITY = (Round.Rule.MAJORITY, Round.Rule.DISCUSSION)


@dataclass(frozen=True)
class FrameworkShare:
    """How many of a framework's issues were excluded: the false positives of the search that found them."""

    name: str
    excluded: int
    of: int

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval of the share."""
        return wilson(self.excluded, self.of)


@dataclass(frozen=True)
class Screened:
    """The items of a screening round in the order of its sample, without dropped ones."""

    kept: Sequence[Item]
    excluded: Sequence[Item]

    @property
    def by_framework(self) -> list[FrameworkShare]:
        """The frameworks of the items by name."""
        excluded = Counter(_group(item) for item in self.excluded)
        of = excluded + Counter(_group(item) for item in self.kept)
        return [FrameworkShare(name, excluded[name], of[name]) for name in sorted(of)]


def _group(item: Item) -> str:
    return item.issue.repository.framework.name if item.issue is not None else OWN


def screened(*, member: Member, round_: Round) -> Screened | None:
    """The result of a closed screening round, or None where the member may not know it yet."""
    if round_.state != Round.State.CLOSED or not visible.sees_whole(member=member, round_=round_):
        return None
    return _screen(round_, axis_votes(member=member, round_=round_))


def all_screened(*, round_: Round) -> Screened:
    """The same from all votes, for services and releases; not to be shown to anybody before it is released."""
    return _screen(round_, all_axis_votes(round_=round_))


def waiting_discussions(*, round_: Round) -> int:
    """How many issues of a round still wait for the answers of annotators who discuss them."""
    disputes = all_disputes(project_id=round_.project_id)
    waiting = [each for each in disputes if each.round == round_.number and each.waits is Waits.ANNOTATORS]
    return len({dispute.item for dispute in waiting})


def _screen(round_: Round, answers: Iterable[AxisVote]) -> Screened:
    excluding = set(round_.excluding.values_list("axis__code", "code"))
    votes: dict[int, dict[int, set[tuple[str, str]]]] = {}
    for answer in with_revisions(votes=answers, revisions=Revision.objects.filter(item__round=round_)):
        nodes = votes.setdefault(answer.item, {}).setdefault(answer.member, set())
        nodes |= {(answer.axis, code) for code in answer.choice.codes}
    items = Item.objects.filter(round=round_, dropped_at=None).select_related("issue__repository__framework", "own")
    kept: list[Item] = []
    excluded: list[Item] = []
    for item in items.order_by("position"):
        cast = list(votes.get(item.pk, {}).values())
        is_out = is_excluded(cast, excluding, by_majority=round_.rule in BY_MAJORITY)
        (excluded if is_out else kept).append(item)
    return Screened(kept, excluded)
