"""How far discussions have come: who has not taken part yet, which the lead ended, and which are overdue.

A discussion is about one axis of a released item. It is held once every voter who has not left wrote a post of
substance (`Post.is_substantial`) or chose an answer. It is over once it is held, the lead ended it, or its time is up;
late answers still count until it is decided. Pages show of it what `disputes` and `dossier` let their reader see.
"""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from labeling.models import DiscussionEnd, Item, Member, Post, ProjectAxis, Revision, Round, Vote
from labeling.outcomes import How
from labeling.selectors.verdicts import verdicts

Key = tuple[int, str]


@dataclass(frozen=True)
class Discussion:
    """The discussion of one axis of an item. `missing`: the ids of the voters whom it waits for; `due`: until when."""

    missing: frozenset[int]
    is_ended: bool
    due: dt.datetime | None
    is_overdue: bool

    @property
    def is_over(self) -> bool:
        """Whether the rule of the round goes on."""
        return not self.missing or self.is_ended or self.is_overdue

    @property
    def is_stalled(self) -> bool:
        """Whether its time is up, and somebody has not taken part."""
        return self.is_overdue and bool(self.missing) and not self.is_ended


class Discussions:
    """The discussions of items of several projects; `revised`: (item, axis code) with a new answer."""

    def __init__(
        self, *, projects: Collection[int], posts: QuerySet[Post], revisions: QuerySet[Revision],
        ends: QuerySet[DiscussionEnd],
    ) -> None:  # fmt: skip
        self._now = timezone.now()
        self._active = set(Member.objects.filter(project__in=projects, left_at=None).values_list("pk", flat=True))
        self._took_part = set(revisions.order_by().values_list("item", "axis__code", "member").distinct())
        self.revised = {(item, axis) for item, axis, _ in self._took_part}
        substantial = posts.filter(is_substantial=True).order_by()
        self._took_part |= set(substantial.values_list("item", "axis__code", "member").distinct())
        self._ended = set(ends.filter(taken_back_at=None).order_by().values_list("item", "axis__code"))

    def of(self, key: Key, *, voters: Collection[int], released_at: dt.datetime | None, days: int | None) -> Discussion:
        """The discussion of (item, axis code), of which these people are the voters, in a round with so many days."""
        due = released_at + dt.timedelta(days=days) if released_at and days else None
        missing = frozenset(pk for pk in voters if pk in self._active and (*key, pk) not in self._took_part)
        return Discussion(missing, key in self._ended, due, due is not None and due <= self._now)


@dataclass(frozen=True)
class RoundDiscussions:
    """A round's discussions by (item, axis code), of every axis on which the blind votes differ.

    `revised`: those in which somebody gave a new answer.
    """

    by_key: dict[Key, Discussion]
    revised: set[Key]

    @property
    def over(self) -> set[Key]:
        """Those after which the rule of the round goes on."""
        return {key for key, discussion in self.by_key.items() if discussion.is_over}


def round_discussions(*, round_: Round) -> RoundDiscussions:
    """All discussions of a round's released items."""
    known = Discussions(
        projects=[round_.project_id],
        posts=Post.objects.filter(item__round=round_),
        revisions=Revision.objects.filter(item__round=round_),
        ends=DiscussionEnd.objects.filter(item__round=round_),
    )
    released = dict(Item.objects.filter(round=round_, released_at__isnull=False).values_list("pk", "released_at"))
    by_key = {}
    for pk, item in verdicts(rounds=[round_.pk]).get(round_.pk, {}).items():
        for axis, verdict in item.axes.items():
            if verdict.how is not How.UNANIMOUS:
                by_key[pk, axis] = known.of(
                    (pk, axis), voters=item.people, released_at=released.get(pk), days=round_.discussion_days
                )
    return RoundDiscussions(by_key, known.revised & by_key.keys())


def discussion_of(*, item: Item, axis: ProjectAxis) -> Discussion:
    """The discussion of one axis of an item."""
    known = Discussions(
        projects=[item.round.project_id],
        posts=Post.objects.filter(item=item, axis=axis),
        revisions=Revision.objects.filter(item=item, axis=axis),
        ends=DiscussionEnd.objects.filter(item=item, axis=axis),
    )
    voters = list(Vote.objects.filter(item=item).values_list("member", flat=True))
    days = item.round.discussion_days
    return known.of((item.pk, axis.code), voters=voters, released_at=item.released_at, days=days)
