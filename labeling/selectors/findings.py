"""What a project holds of each issue: the decisions in force, and how each came about, as it is published.

Where an issue was in several rounds, the newest round with a decision on an axis speaks for it. Screening rounds ask
whether an issue belongs to the sample and are not published. Only decisions are read here, which are no secret.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Q, QuerySet

from labeling.agreement import NOT_TOLD
from labeling.models import Answer, Decision, Item, Member, Post, Release, Revision, Round, Vote


@dataclass(frozen=True)
class Held:
    """A decision in force with the chain that led to it. `answers` are the blind votes: text and number, most first."""

    decision: Decision
    answers: tuple[tuple[str, int], ...]
    agreement: float | None
    posts: int
    revised: int
    people: tuple[str, ...]
    release: str


def decisions_in_force(*, project_id: int, pilots: bool = True) -> QuerySet[Decision]:
    """One decision for each issue and axis that the project has decided: that of the newest round."""
    left_out = [Round.Kind.SCREENING] if pilots else [Round.Kind.SCREENING, Round.Kind.PILOT]
    published = Q(item__round__project=project_id) & ~Q(item__round__kind__in=left_out)
    found = Decision.objects.filter(published, reopened_at=None)
    newest = found.order_by("item__issue_id", "axis_id", "-item__round__number").distinct("item__issue_id", "axis_id")
    return Decision.objects.filter(pk__in=newest.values("pk"))


def decided_issues(*, project_id: int, pilots: bool = True) -> list[int]:
    """The ids of the issues with a decision in force, in order."""
    decided = decisions_in_force(project_id=project_id, pilots=pilots).order_by("item__issue_id")
    return list(decided.values_list("item__issue_id", flat=True).distinct())


def held(*, project_id: int, issue_ids: Collection[int], pilots: bool = True) -> dict[int, list[Held]]:
    """Issue id -> what the project holds of it, by axis; a fixed number of statements."""
    decisions = decisions_in_force(project_id=project_id, pilots=pilots).filter(item__issue__in=issue_ids)
    rows = list(
        decisions.select_related("item__round__codebook", "axis__axis")
        .prefetch_related("versions__node")
        .order_by("item__issue_id", "axis__position")
    )
    chain = _chain([row.item_id for row in rows], project_id)
    found: dict[int, list[Held]] = {}
    for row in rows:
        found.setdefault(row.item.issue_id, []).append(_held(row, chain))
    return found


@dataclass(frozen=True)
class _Chain:
    """What is known of the items beside their decisions, by (item, axis) or item."""

    answers: Mapping[tuple[int, int], Counter[str]]
    posts: Mapping[tuple[int, int], int]
    revised: Mapping[tuple[int, int], int]
    people: Mapping[int, tuple[str, ...]]
    releases: list[tuple[dt.datetime, str]]


def _chain(items: Collection[int], project_id: int) -> _Chain:
    return _Chain(
        answers=_answers(items),
        posts=_counted(Post.objects.filter(item__in=items), "pk"),
        revised=_counted(Revision.objects.filter(item__in=items), "member"),
        people=_people(items),
        releases=[
            (made, f"{title}, release {number}")
            for made, title, number in Release.objects.filter(project=project_id)
            .order_by("-number")
            .values_list("created_at", "title", "number")
        ],
    )


def _held(row: Decision, chain: _Chain) -> Held:
    key = (row.item_id, row.axis_id)
    answers = chain.answers.get(key, Counter())
    return Held(
        decision=row,
        answers=tuple(sorted(answers.items(), key=lambda pair: (-pair[1], pair[0]))),
        agreement=equal_pairs(answers.values()),
        posts=chain.posts.get(key, 0),
        revised=chain.revised.get(key, 0),
        people=chain.people.get(row.item_id, ()),
        release=next((name for made, name in chain.releases if made >= row.created_at), ""),
    )


def equal_pairs(numbers: Iterable[int]) -> float | None:
    """The share of pairs of votes that are equal, from how many each answer has; None below two votes."""
    counts = list(numbers)
    total = sum(counts)
    return sum(one * (one - 1) for one in counts) / (total * (total - 1)) if total > 1 else None


def _answers(items: Collection[int]) -> dict[tuple[int, int], Counter[str]]:
    names = ArrayAgg(
        "nodes__version__name", filter=Q(nodes__isnull=False), default=[], order_by=("nodes__version__position",)
    )
    rows = Answer.objects.filter(vote__item__in=items).order_by().annotate(names=names)
    found: dict[tuple[int, int], Counter[str]] = {}
    for item, axis, chosen in rows.values_list("vote__item", "axis", "names"):
        found.setdefault((item, axis), Counter())[" + ".join(chosen) or NOT_TOLD.capitalize()] += 1
    return found


def _counted(rows: QuerySet[Any], what: str) -> dict[tuple[int, int], int]:
    counted = rows.order_by().values("item", "axis").annotate(number=Count(what, distinct=True))
    return {(one["item"], one["axis"]): one["number"] for one in counted}


def _people(items: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The names of voters and adjudicators who allow to be named, by item.

    Not of voters in a file: that they cast these votes is only what the file says.
    """
    voters = Vote.objects.filter(item__in=items, member__shows_name=True, item__round__vote_import=None)
    pairs = set(voters.order_by().values_list("item", "member"))
    adjudicators = Decision.objects.filter(item__in=items, reopened_at=None, adjudicator__shows_name=True)
    pairs |= {(item, pk) for item, pk in adjudicators.order_by().values_list("item", "adjudicator") if pk is not None}
    members = Member.objects.filter(pk__in={pk for _, pk in pairs}).select_related("user")
    names = {one.pk: one.user.get_full_name() or one.user.get_username() for one in members}
    found: dict[int, list[str]] = {}
    for item, pk in pairs:
        found.setdefault(item, []).append(names[pk])
    return {item: tuple(sorted(some)) for item, some in found.items()}


def undecided(*, project_id: int) -> int:
    """How many questions on released issues still wait for a decision, screening left out."""
    released = Item.objects.filter(round__project=project_id, released_at__isnull=False)
    released = released.exclude(round__kind=Round.Kind.SCREENING)
    asked = Answer.objects.filter(vote__item__in=released).order_by().values("vote__item", "axis").distinct().count()
    decided = Decision.objects.filter(item__in=released, reopened_at=None).count()
    return max(0, asked - decided)
