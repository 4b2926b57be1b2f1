"""What waits for an adjudicator, and what they decided.

Before a first opinion an adjudicator learns which axes of which issues want one, and nothing else: every axis that is
not decided is asked for, so that not even the conflict itself is given away.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from labeling.models import Decision, Item, Member, Opinion, ProjectAxis, Vote
from labeling.selectors import visible
from labeling.selectors.disputes import Dispute, Waits, all_disputes


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
    waiting = [one for one in all_disputes(project_id=project, near=near) if one.waits is Waits.ADJUDICATOR]
    items = dict.fromkeys(one.item for one in waiting if adjudicator.pk not in one.people)
    asked = asked_axes(adjudicator=adjudicator, items=list(items))
    opinions = {item: axes for item in items if (axes := asked[item])}
    return Desk(opinions, _to_decide(waiting, [item for item in items if item not in opinions], project))


def _to_decide(waiting: Sequence[Dispute], items: Sequence[int], project: int) -> dict[int, tuple[ProjectAxis, ...]]:
    axes = {one.code: one for one in ProjectAxis.objects.filter(project=project)}
    wanted = set(items)
    found: dict[int, list[ProjectAxis]] = {}
    for one in waiting:
        if one.item in wanted:
            found.setdefault(one.item, []).append(axes[one.axis])
    return {item: tuple(some) for item, some in found.items()}


def asked_axes(*, adjudicator: Member, items: Sequence[int]) -> dict[int, tuple[ProjectAxis, ...]]:
    """Item -> the axes that want the adjudicator's first opinion: none is decided, and they gave none."""
    axes = list(ProjectAxis.objects.filter(project=adjudicator.project_id).order_by("position"))
    given = Opinion.objects.filter(item__in=items, member=adjudicator).values_list("item", "axis")
    decided = Decision.objects.filter(item__in=items, reopened_at=None).values_list("item", "axis")
    done = {*given, *decided}
    return {item: tuple(axis for axis in axes if (item, axis.pk) not in done) for item in items}


def has_voted(*, member: Member, item: Item) -> bool:
    """Did the member vote on the item? Then somebody else adjudicates it."""
    return Vote.objects.filter(item=item, member=member).exists()


def cases(waiting: dict[int, tuple[ProjectAxis, ...]], items: Sequence[int]) -> list[Case]:
    """These of the waiting items with what a list shows, in the same order; one statement."""
    found = Item.objects.filter(pk__in=items).select_related("round", "snapshot").in_bulk()
    return [Case(found[pk], waiting[pk]) for pk in items]


def decided_by(*, adjudicator: Member) -> QuerySet[Decision]:
    """What the adjudicator decided, reopened ones too, the newest first."""
    mine = visible.decisions(member=adjudicator).filter(adjudicator=adjudicator)
    shown = mine.select_related("item__round", "item__snapshot", "axis").prefetch_related("versions")
    return shown.order_by("-created_at", "-pk")


def causes(decisions: QuerySet[Decision]) -> list[tuple[str, int]]:
    """How often which cause was found, the most frequent first; what was reopened does not count."""
    counts = Counter(decisions.filter(reopened_at=None).exclude(cause="").values_list("cause", flat=True))
    return [(Decision.Cause(cause).label, number) for cause, number in counts.most_common()]


def decision_in_force(*, member: Member, item: Item, axis: ProjectAxis) -> Decision | None:
    """The decision on the item's axis that the member may see, unless it was reopened."""
    return visible.decisions(member=member).filter(item=item, axis=axis, reopened_at=None).first()
