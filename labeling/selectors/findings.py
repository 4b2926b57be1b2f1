"""A project's findings: the decisions in force on each issue, and how each came about, as they are published.

Where an issue was in several rounds, the newest round with a decision on an axis counts. Screening rounds ask whether
an issue belongs to the sample, and are not published. Decided items are released: nothing here is secret.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Q, QuerySet

from labeling.agreement import NOT_TOLD
from labeling.ballots import number_text
from labeling.models import IN_WORDS, Answer, Decision, Item, Member, Post, Release, Revision, Round, Vote
from labeling.selectors.subjects import Subject, subject_of


@dataclass(frozen=True)
class Held:
    """A decision in force with its provenance.

    `answers` are the votes, (text, how many), most first; `agreement` the share of equal pairs among those that no
    suggestion assisted.
    `people`: the voters and adjudicators who agree to be named. `release`: the newest one that includes the decision.
    """

    decision: Decision
    answers: tuple[tuple[str, int], ...]
    agreement: float | None
    posts: int
    revised: int
    people: tuple[str, ...]
    release: str


def decisions_in_force(*, project_id: int, pilots: bool = True) -> QuerySet[Decision]:
    """One decision for each issue or own item, and axis, that the project has decided: that of the newest round."""
    in_force = Decision.objects.filter(item__round__project=project_id, reopened_at=None)
    in_force = in_force.exclude(item__round__kind=Round.Kind.SCREENING)
    if not pilots:
        in_force = in_force.exclude(item__round__kind=Round.Kind.PILOT)
    newest = in_force.order_by("item__issue_id", "item__own_id", "axis_id", "-item__round__number")
    return Decision.objects.filter(pk__in=newest.distinct("item__issue_id", "item__own_id", "axis_id").values("pk"))


def decided(*, project_id: int, pilots: bool = True) -> list[Subject]:
    """The issues and own items with a decision in force, in order."""
    decisions = decisions_in_force(project_id=project_id, pilots=pilots).order_by("item__issue_id", "item__own_id")
    pairs = decisions.values_list("item__issue_id", "item__own_id").distinct()
    return [("issue", issue) if issue is not None else ("own", own) for issue, own in pairs]


def held(*, project_id: int, issue_ids: Collection[int], pilots: bool = True) -> dict[int, list[Held]]:
    """Issue id -> its decisions in force, by axis; a fixed number of statements."""
    decisions = decisions_in_force(project_id=project_id, pilots=pilots).filter(item__issue__in=issue_ids)
    by_issue = held_of(project_id=project_id, decisions=decisions)
    return {pk: held for (_, pk), held in by_issue.items()}


def held_of(*, project_id: int, decisions: QuerySet[Decision]) -> dict[Subject, list[Held]]:
    """Issue or own item -> those of these decisions that are about it, by axis; a fixed number of statements."""
    rows = list(
        decisions.select_related("item__round__codebook", "axis__axis")
        .prefetch_related("versions__node")
        .order_by("item__issue_id", "item__own_id", "axis__position")
    )
    items = [row.item_id for row in rows]
    (answers, blind), people = _answers(items), _people(items)
    posts = _count_by_axis(Post.objects.filter(item__in=items), "pk")
    revised = _count_by_axis(Revision.objects.filter(item__in=items), "member")
    releases = list(Release.objects.filter(project=project_id).order_by("-number").defer("archive"))
    by_subject: dict[Subject, list[Held]] = {}
    for row in rows:
        key = (row.item_id, row.axis_id)
        counts = answers.get(key, Counter())
        ordered = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
        including = [f"{each.title}, release {each.number}" for each in releases if each.created_at >= row.created_at]
        release = including[0] if including else ""
        by_subject.setdefault(subject_of(row.item), []).append(
            Held(
                decision=row, answers=ordered, posts=posts.get(key, 0),
                agreement=equal_pairs(blind.get(key, Counter()).values()), revised=revised.get(key, 0),
                people=people.get(row.item_id, ()), release=release,
            )
        )  # fmt: skip
    return by_subject


def equal_pairs(numbers: Iterable[int]) -> float | None:
    """The share of pairs of votes that are equal, from the votes for each answer; None below two votes."""
    counts = list(numbers)
    total = sum(counts)
    if total < 2:
        return None
    return sum(count * (count - 1) for count in counts) / (total * (total - 1))


Counts = dict[tuple[int, int], Counter[str]]


def _answers(items: Collection[int]) -> tuple[Counts, Counts]:
    """(item, axis) -> answer in words -> how many votes gave it; of all votes, and of the blind arm alone."""
    names = ArrayAgg(
        "nodes__version__name", filter=Q(nodes__isnull=False), default=[], order_by=("nodes__version__position",)
    )
    rows = Answer.objects.filter(vote__item__in=items).order_by().annotate(names=names)
    counts: Counts = {}
    blind: Counts = {}
    columns = ("vote__item", "axis_id", "names", "number", "vote__slot__is_assisted")
    for item, axis, chosen, number, is_assisted in rows.values_list(*columns):
        text = " + ".join(chosen) or NOT_TOLD.capitalize()
        if number is not None:
            text = number_text(number)
        counts.setdefault((item, axis), Counter())[text] += 1
        if not is_assisted:
            blind.setdefault((item, axis), Counter())[text] += 1
    return counts, blind


def _count_by_axis(rows: QuerySet[Any], column: str) -> dict[tuple[int, int], int]:
    counts = rows.order_by().values("item", "axis").annotate(number=Count(column, distinct=True))
    return {(row["item"], row["axis"]): row["number"] for row in counts}


def _people(items: Collection[int]) -> dict[int, tuple[str, ...]]:
    """Item -> the names of its voters and adjudicators who agree to be named.

    Voters in a file are left out: only the file says that they cast these votes.
    """
    voters = Vote.objects.filter(item__in=items, member__shows_name=True, item__round__vote_import=None)
    pairs = set(voters.order_by().values_list("item", "member"))
    adjudicators = Decision.objects.filter(item__in=items, reopened_at=None, adjudicator__shows_name=True)
    pairs |= {(item, pk) for item, pk in adjudicators.order_by().values_list("item", "adjudicator") if pk is not None}
    members = Member.objects.filter(pk__in={pk for _, pk in pairs}).select_related("user")
    names = {member.pk: member.user.get_full_name() or member.user.get_username() for member in members}
    names_by_item: dict[int, list[str]] = {}
    for item, pk in pairs:
        names_by_item.setdefault(item, []).append(names[pk])
    return {item: tuple(sorted(item_names)) for item, item_names in names_by_item.items()}


def undecided(*, project_id: int, own: bool = True) -> int:
    """How many axes of released issues still wait for a decision, screening left out; `own`: of own items, too."""
    released = Item.objects.filter(round__project=project_id, released_at__isnull=False)
    if not own:
        released = released.filter(own=None)
    released = released.exclude(round__kind=Round.Kind.SCREENING)
    answers = Answer.objects.filter(vote__item__in=released).exclude(axis__kind__in=IN_WORDS).order_by()
    answered = answers.values("vote__item", "axis").distinct().count()
    decided = Decision.objects.filter(item__in=released, reopened_at=None).count()
    return max(0, answered - decided)
