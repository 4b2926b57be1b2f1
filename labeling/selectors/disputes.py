"""Where votes differ: which axes of which released issues, whether that is decided, and whom it waits for.

Few statements however many issues there are. What a member may not see is not there (`visible`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Q, QuerySet, TextChoices

from labeling.models import Decision, Item, Member, Post, Revision, Round
from labeling.outcomes import How
from labeling.selectors import visible
from labeling.selectors.acceptance import decided_by, revised_verdicts
from labeling.selectors.verdicts import verdicts

Key = tuple[int, str]
REACH = 50


class Waits(TextChoices):
    """Whom an axis waits for."""

    ANNOTATORS = "annotators", "The annotators"
    LEAD = "lead", "The lead"
    ADJUDICATOR = "adjudicator", "An adjudicator"
    NOBODY = "nobody", "Nobody: it is decided"


class Dispute(NamedTuple):
    """An axis of an item on which the blind votes differ.

    `decided`: how, or nothing. `people`: the ids of those who voted; `missing`: of the annotators that it waits for.
    """

    item: int
    round: int
    position: int
    axis: str
    waits: Waits
    decided: str
    people: frozenset[int]
    missing: frozenset[int]


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


def standing(*, member: Member, round_: Round | None = None, near: Item | None = None) -> Standing:
    """Where votes differ and where they do not, as the member may see it, of a round or of the project.

    `near`: only of the issues not far from this one in its round's sample.
    """
    items, scope = _scopes(round_, near)
    return _standing(
        [member.project_id],
        Seen(
            items=visible.released_items(member=member).filter(items, released_at__isnull=False),
            decisions=visible.decisions(member=member).filter(scope, reopened_at=None),
            revisions=visible.revisions(member=member).filter(scope),
            posts=visible.posts(member=member).filter(scope),
        ),
    )


def disputes(*, member: Member, round_: Round | None = None, near: Item | None = None) -> list[Dispute]:
    """The axes in conflict alone, in the order of the samples."""
    return standing(member=member, round_=round_, near=near).disputes


def all_disputes(*, project_id: int, near: Item | None = None) -> list[Dispute]:
    """The same of all released votes, to tell an adjudicator what waits for them: what is in it is not to be shown."""
    items, scope = _scopes(None, near)
    return _standing(
        [project_id], _everything(items & Q(round__project=project_id), scope & Q(item__round__project=project_id))
    ).disputes


def standing_of(*, items: Collection[int], projects: Collection[int]) -> Standing:
    """The same of these items, of several projects, for counts of what waits: what is in it is not to be shown."""
    return _standing(projects, _everything(Q(pk__in=items), Q(item__in=items)))


def _everything(items: Q, scope: Q) -> Seen:
    return Seen(
        items=Item.objects.filter(items, released_at__isnull=False),
        decisions=Decision.objects.filter(scope, reopened_at=None),
        revisions=Revision.objects.filter(scope),
        posts=Post.objects.filter(scope),
    )


def _scopes(round_: Round | None, near: Item | None) -> tuple[Q, Q]:
    """What is looked at, asked of items and of what belongs to items."""
    if near:
        places = (near.position - REACH, near.position + REACH)
        return (
            Q(round=near.round_id, position__range=places),
            Q(item__round=near.round_id, item__position__range=places),
        )
    return (Q(round=round_), Q(item__round=round_)) if round_ else (Q(), Q())


def _places(items: QuerySet[Item]) -> list[_Place]:
    """Every axis of every item with votes, in the order of the samples."""
    rows = items.order_by("round__number", "position").values_list("pk", "round", "round__number")
    wanted = list(rows)
    known = verdicts(rounds={round_ for _, round_, _ in wanted})
    return [
        _Place(pk, round_, number, item.position, axis, verdict.how, item.people)
        for pk, round_, number in wanted
        if (item := known[round_].get(pk))
        for axis, verdict in item.axes.items()
    ]


def _standing(projects: Collection[int], seen: Seen) -> Standing:
    places = _places(seen.items)
    decisions = seen.decisions.order_by().values_list("item", "axis__code", "how")
    how = {(item, axis): value for item, axis, value in decisions}
    agreed: dict[int, Agreed] = {}
    for one in places:
        if one.how is How.UNANIMOUS:
            before = agreed.get(one.round, Agreed(0, 0))
            agreed[one.round] = Agreed(before.all + 1, before.open + (one.key not in how))
    differing = [place for place in places if place.how is not How.UNANIMOUS]
    unaccepted = tuple(one.item for one in places if one.how is How.UNANIMOUS and one.key not in how)
    if not differing:
        return Standing([], agreed, unaccepted)
    waits = _Waits(projects, seen, [place for place in differing if place.key not in how])
    return Standing([_dispute(place, how, waits) for place in differing], agreed, unaccepted)


def _dispute(place: _Place, how: Mapping[Key, str], waits: "_Waits") -> Dispute:
    decided = how.get(place.key, "")
    on, missing = (Waits.NOBODY, frozenset[int]()) if decided else waits.of(place)
    return Dispute(place.item, place.round, place.position, place.axis, on, decided, place.people, missing)


class _Waits:
    """Whom undecided axes wait for, by the rule of their round; votes are read only where they were talked about."""

    def __init__(self, projects: Collection[int], seen: Seen, undecided: Sequence[_Place]) -> None:
        self.rules = dict(Round.objects.filter(project__in=projects).values_list("pk", "rule"))
        self.active = set(Member.objects.filter(project__in=projects, left_at=None).values_list("pk", flat=True))
        self.revised: set[tuple[int, str, int]] = set()
        self.now: dict[Key, How] = {}
        keys = {one.key for one in undecided if self.rules[one.round_id] == Round.Rule.DISCUSSION}
        if keys:
            self.revised = set(seen.revisions.values_list("item", "axis__code", "member"))
            talked = {key[:2] for key in self.revised} | set(seen.posts.values_list("item", "axis__code"))
            self.now = revised_verdicts(keys=keys & talked, revisions=seen.revisions)

    def of(self, place: _Place) -> tuple[Waits, frozenset[int]]:
        rule, key = self.rules[place.round_id], place.key
        now = self.now.get(key)
        if decided_by(rule=rule, blind=place.how, now=now or place.how, is_talked_about=now is not None):
            return Waits.LEAD, frozenset()
        if rule != Round.Rule.DISCUSSION:
            return Waits.ADJUDICATOR, frozenset()
        missing = frozenset(one for one in place.people & self.active if (*key, one) not in self.revised)
        return (Waits.ANNOTATORS if missing else Waits.ADJUDICATOR), missing
