"""Disputes: axes of released issues on which the votes differ, whether they are decided, and whom they wait for.

Few statements however many issues there are. Items that a member may not see are left out (`visible`).
"""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Q, QuerySet, TextChoices

from labeling.models import Decision, DiscussionEnd, Item, Member, Post, Revision, Round
from labeling.outcomes import How
from labeling.selectors import visible
from labeling.selectors.acceptance import decided_by, revised_verdicts
from labeling.selectors.discussions import Discussions, Key
from labeling.selectors.verdicts import verdicts

REACH = 50


class Waits(TextChoices):
    """Who has to act on an axis next."""

    ANNOTATORS = "annotators", "The annotators"
    LEAD = "lead", "The lead"
    ADJUDICATOR = "adjudicator", "An adjudicator"
    NOBODY = "nobody", "Nobody: it is decided"


class Dispute(NamedTuple):
    """An axis of an item on which the blind votes differ.

    `decided`: how, or empty. `people`: the ids of the voters; `missing`: the ids of those who can still take part in
    its discussion and have not; `is_stalled`: the time for that is up.
    """

    item: int
    round: int
    position: int
    axis: str
    waits: Waits
    decided: str
    people: frozenset[int]
    missing: frozenset[int]
    is_stalled: bool = False


@dataclass(frozen=True)
class Agreed:
    """How many axes of issues are unanimous; `open`: how many of them are not accepted yet."""

    all: int
    open: int


class _Place(NamedTuple):
    item: int
    round_id: int
    round: int
    position: int
    axis: str
    how: How
    people: frozenset[int]
    released_at: dt.datetime

    @property
    def key(self) -> Key:
        return self.item, self.axis


@dataclass(frozen=True)
class Standing:
    """The axes in conflict, and by round number how many are unanimous; `unaccepted`: items of those not decided."""

    disputes: list[Dispute]
    agreed: dict[int, Agreed]
    unaccepted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What disputes are read from: `items` are released, and whoever asks may know what was voted on them."""

    items: QuerySet[Item]
    decisions: QuerySet[Decision]
    revisions: QuerySet[Revision]
    posts: QuerySet[Post]
    ends: QuerySet[DiscussionEnd]


def standing(*, member: Member, round_: Round | None = None, near: Item | None = None) -> Standing:
    """Disputes and unanimous axes of a round, or of the project, as the member may see them.

    `near`: only of the issues within `REACH` positions of this one in its round's sample.
    """
    items, scope = _scopes(round_, near)
    return _standing(
        [member.project_id],
        Seen(
            items=visible.released_items(member=member).filter(items, released_at__isnull=False),
            decisions=visible.decisions(member=member).filter(scope, reopened_at=None),
            revisions=visible.revisions(member=member).filter(scope),
            posts=visible.posts(member=member).filter(scope),
            ends=visible.discussion_ends(member=member).filter(scope),
        ),
    )


def disputes(*, member: Member, round_: Round | None = None, near: Item | None = None) -> list[Dispute]:
    """The disputes of `standing`, in the order of the samples."""
    return standing(member=member, round_=round_, near=near).disputes


def all_disputes(*, project_id: int, near: Item | None = None) -> list[Dispute]:
    """The disputes of all released votes, to find an adjudicator's cases; not to be shown to anybody."""
    items, scope = _scopes(None, near)
    seen = _all_released(items & Q(round__project=project_id), scope & Q(item__round__project=project_id))
    return _standing([project_id], seen).disputes


def standing_of(*, items: Collection[int], projects: Collection[int]) -> Standing:
    """The standing of these items, of several projects, to count what waits; not to be shown to anybody."""
    return _standing(projects, _all_released(Q(pk__in=items), Q(item__in=items)))


def _all_released(items: Q, scope: Q) -> Seen:
    return Seen(
        items=Item.objects.filter(items, released_at__isnull=False),
        decisions=Decision.objects.filter(scope, reopened_at=None),
        revisions=Revision.objects.filter(scope),
        posts=Post.objects.filter(scope),
        ends=DiscussionEnd.objects.filter(scope),
    )


def _scopes(round_: Round | None, near: Item | None) -> tuple[Q, Q]:
    """The filter on items, and the same filter on rows that belong to an item."""
    if near:
        positions = (near.position - REACH, near.position + REACH)
        return (
            Q(round=near.round_id, position__range=positions),
            Q(item__round=near.round_id, item__position__range=positions),
        )
    if round_:
        return Q(round=round_), Q(item__round=round_)
    return Q(), Q()


def _places(items: QuerySet[Item]) -> list[_Place]:
    """Every axis of every item with votes, in the order of the samples."""
    columns = ("pk", "round", "round__number", "released_at")
    rows = list(items.order_by("round__number", "position").values_list(*columns))
    verdicts_by_round = verdicts(rounds={round_id for _, round_id, _, _ in rows})
    places = []
    for pk, round_id, number, at in rows:
        item = verdicts_by_round[round_id].get(pk)
        if item is not None:
            for axis, verdict in item.axes.items():
                places.append(_Place(pk, round_id, number, item.position, axis, verdict.how, item.people, at))
    return places


def _standing(projects: Collection[int], seen: Seen) -> Standing:
    decisions = seen.decisions.order_by().values_list("item", "axis__code", "how")
    decided = {(item, axis): how for item, axis, how in decisions}
    agreed: dict[int, Agreed] = {}
    unaccepted, differing = [], []
    for place in _places(seen.items):
        if place.how is not How.UNANIMOUS:
            differing.append(place)
            continue
        before = agreed.get(place.round, Agreed(0, 0))
        is_open = place.key not in decided
        agreed[place.round] = Agreed(before.all + 1, before.open + is_open)
        if is_open:
            unaccepted.append(place.item)
    if not differing:
        return Standing([], agreed, tuple(unaccepted))
    waits = _Waits(projects, seen, [place for place in differing if place.key not in decided])
    rows = []
    for place in differing:
        how = decided.get(place.key, "")
        on, missing, is_stalled = (Waits.NOBODY, frozenset[int](), False) if how else waits.of(place)
        rows.append(
            Dispute(place.item, place.round, place.position, place.axis, on, how, place.people, missing, is_stalled)
        )
    return Standing(rows, agreed, tuple(unaccepted))


class _Waits:
    """Whom undecided axes wait for, by the rule of their round; votes are read only where an answer was revised."""

    def __init__(self, projects: Collection[int], seen: Seen, undecided: Sequence[_Place]) -> None:
        rounds = Round.objects.filter(project__in=projects).values_list("pk", "rule", "discussion_days")
        self.rules = {pk: (rule, days) for pk, rule, days in rounds}
        self.discussions: Discussions | None = None
        self.now: dict[Key, How] = {}
        keys = {place.key for place in undecided if self.rules[place.round_id][0] == Round.Rule.DISCUSSION}
        if keys:
            self.discussions = Discussions(
                projects=projects, posts=seen.posts, revisions=seen.revisions, ends=seen.ends
            )
            self.now = revised_verdicts(keys=keys & self.discussions.revised, revisions=seen.revisions)

    def of(self, place: _Place) -> tuple[Waits, frozenset[int], bool]:
        """Whom the axis waits for, who can still take part in its discussion and has not, and whether it is stalled."""
        rule, days = self.rules[place.round_id]
        now, missing, is_over, is_stalled = place.how, frozenset[int](), False, False
        if rule == Round.Rule.DISCUSSION and self.discussions is not None:
            discussion = self.discussions.of(
                place.key, voters=place.people, released_at=place.released_at, days=days
            )  # fmt: skip
            now, is_over, is_stalled = self.now.get(place.key, place.how), discussion.is_over, discussion.is_stalled
            missing = frozenset() if discussion.is_ended else discussion.missing
            if not is_over:
                return Waits.ANNOTATORS, missing, is_stalled
        if decided_by(rule=rule, blind=place.how, now=now, is_discussed=is_over):
            return Waits.LEAD, missing, is_stalled
        return Waits.ADJUDICATOR, missing, is_stalled
