"""An adjudicator's queue, and their decisions.

Before their first opinion, adjudicators learn only which axes of which issues want one: all axes that are not decided,
so that not even the conflict itself is given away.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, Opinion, ProjectAxis, Vote
from labeling.selectors import visible
from labeling.selectors.disputes import Waits, all_disputes


@dataclass(frozen=True)
class Case:
    """An item that waits for the adjudicator: on these axes, for a first opinion or else for a decision."""

    item: Item
    axes: tuple[ProjectAxis, ...]


@dataclass(frozen=True)
class Desk:
    """The adjudicator's cases by their item's id: those that want a first opinion, and those that want a decision."""

    opinions: dict[int, tuple[ProjectAxis, ...]]
    decisions: dict[int, tuple[ProjectAxis, ...]]


def desk(*, adjudicator: Member, near: Item | None = None) -> Desk:
    """What waits for this adjudicator, in the order of the rounds; issues that they voted on are for others.

    `near`: see `disputes.standing`.
    """
    project = adjudicator.project_id
    waiting = []
    for dispute in all_disputes(project_id=project, near=near):
        if dispute.waits is Waits.ADJUDICATOR and adjudicator.pk not in dispute.people:
            waiting.append(dispute)
    wanted = asked_axes(adjudicator=adjudicator, items=list(dict.fromkeys(dispute.item for dispute in waiting)))
    opinions = {item: axes for item, axes in wanted.items() if axes}
    axis_by_code = {axis.code: axis for axis in ProjectAxis.objects.filter(project=project)}
    decisions: dict[int, tuple[ProjectAxis, ...]] = {}
    for dispute in waiting:
        if dispute.item not in opinions:
            decisions[dispute.item] = (*decisions.get(dispute.item, ()), axis_by_code[dispute.axis])
    return Desk(opinions, decisions)


@dataclass(frozen=True)
class Stalled:
    """An overdue discussion. Without `axis` and `waits_for`, where the adjudicator may not see the votes yet."""

    item: int
    axis: str = ""
    waits_for: frozenset[int] = frozenset()


def stalled(*, adjudicator: Member) -> list[Stalled]:
    """The overdue discussions of issues that the adjudicator did not vote on, in the order of the rounds.

    Of an issue whose votes they may not see yet, no more than that it is on their desk, as `desk` says too.
    """
    overdue = []
    for dispute in all_disputes(project_id=adjudicator.project_id):
        if dispute.is_stalled and adjudicator.pk not in dispute.people:
            overdue.append(dispute)
    seen = visible.released_items(member=adjudicator).filter(pk__in={dispute.item for dispute in overdue})
    open_items = set(seen.values_list("pk", flat=True))
    rows = []
    for dispute in overdue:
        if dispute.item in open_items:
            rows.append(Stalled(dispute.item, dispute.axis, dispute.missing))
        elif dispute.waits is Waits.ADJUDICATOR:
            rows.append(Stalled(dispute.item))
    return list(dict.fromkeys(rows))


def next_case(*, adjudicator: Member, after: Item) -> Case | None:
    """The case that follows an item on the desk: the item itself while it waits, then its round's, then any other.

    All issues are looked through only if there is none nearby.
    """
    for near in (after, None):
        waiting = desk(adjudicator=adjudicator, near=near)
        axes_by_item = waiting.opinions | waiting.decisions
        items = Item.objects.filter(pk__in=axes_by_item).select_related("round__project")
        ordered = list(items.order_by("round__number", "position"))
        here = (after.round.number, after.position)
        ahead = [item for item in ordered if (item.round.number, item.position) >= here]
        if near is None:
            ahead = ahead or ordered
        if ahead:
            return Case(ahead[0], axes_by_item[ahead[0].pk])
    return None


def opinion_choice(opinion: Opinion) -> Choice:
    """The answer that a first opinion gives, by codes."""
    return Choice(
        tuple(version.node.code for version in opinion.versions.all()), opinion.is_undecidable, opinion.number_text
    )


def asked_axes(*, adjudicator: Member, items: Sequence[int]) -> dict[int, tuple[ProjectAxis, ...]]:
    """Item -> the axes that want the adjudicator's first opinion: none is decided, and they gave none."""
    axes = list(ProjectAxis.objects.filter(project=adjudicator.project_id).order_by("position"))
    axes = [axis for axis in axes if axis.is_settled]
    codebooks = dict(Item.objects.filter(pk__in=items).values_list("pk", "round__codebook__number"))
    opinions = Opinion.objects.filter(item__in=items, member=adjudicator).values_list("item", "axis")
    decided = Decision.objects.filter(item__in=items, reopened_at=None).values_list("item", "axis")
    done = {*opinions, *decided}
    asked = {}
    for item in items:
        known = [axis for axis in axes if axis.since <= codebooks[item]]
        asked[item] = tuple(axis for axis in known if (item, axis.pk) not in done)
    return asked


def has_voted(*, member: Member, item: Item) -> bool:
    """Whether the member voted on the item, and so may not adjudicate it."""
    return Vote.objects.filter(item=item, member=member).exists()


def cases(waiting: dict[int, tuple[ProjectAxis, ...]], items: Sequence[int]) -> list[Case]:
    """The cases of these items, in the same order, with round and snapshot; one statement."""
    rows = Item.objects.filter(pk__in=items).select_related("round", "snapshot").in_bulk()
    return [Case(rows[pk], waiting[pk]) for pk in items]


def decided_by(*, adjudicator: Member) -> QuerySet[Decision]:
    """The adjudicator's decisions, reopened ones too, the newest first."""
    own = visible.decisions(member=adjudicator).filter(adjudicator=adjudicator)
    rows = own.select_related("item__round", "item__snapshot", "axis").prefetch_related("versions")
    return rows.order_by("-created_at", "-pk")


def causes(decisions: QuerySet[Decision]) -> list[tuple[str, int]]:
    """(cause, how often it was found), the most frequent first; reopened decisions do not count."""
    counts = Counter(decisions.filter(reopened_at=None).exclude(cause="").values_list("cause", flat=True))
    return [(Decision.Cause(cause).label, number) for cause, number in counts.most_common()]


def decision_in_force(*, member: Member, item: Item, axis: ProjectAxis) -> Decision | None:
    """The decision on the item's axis that the member may see, unless it was reopened."""
    return visible.decisions(member=member).filter(item=item, axis=axis, reopened_at=None).first()
