"""The votes of a round as measures and outcomes need them: one row per item, annotator and axis.

What a member may not see is not there (`visible`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, Q, QuerySet

from labeling.ballots import Choice
from labeling.models import Answer, Item, Member, Revision, Round, Vote
from labeling.outcomes import Outcome, outcome
from labeling.selectors import visible


@dataclass(frozen=True)
class AxisVote:
    """What one annotator answered on one axis of one item."""

    item: int
    position: int
    axis: str
    member: int
    choice: Choice


@dataclass(frozen=True)
class ItemOutcome:
    """What the votes on one axis of one item say together."""

    item: int
    position: int
    axis: str
    outcome: Outcome


def axis_votes(*, member: Member, round_: Round) -> Iterator[AxisVote]:
    """Every answer of the round that the member may see, by item, axis and annotator; one statement."""
    return answers_of(votes=visible.votes(member=member).filter(item__round=round_))


def outcomes(*, member: Member, round_: Round) -> list[ItemOutcome]:
    """What the votes that the member may see say together, by item and axis, in the order of the sample."""
    return _outcomes(axis_votes(member=member, round_=round_))


def all_outcomes(*, round_: Round, revised: bool = False) -> list[ItemOutcome]:
    """The same of all votes on released items, for services that decide by them: not to be shown.

    `revised`: with what annotators said after the discussion, where they said anything.
    """
    found: Iterable[AxisVote] = all_axis_votes(round_=round_)
    if revised:
        found = with_revisions(votes=found, revisions=Revision.objects.filter(item__round=round_))
    return _outcomes(found)


def all_axis_votes(*, round_: Round, item: Item | None = None) -> Iterator[AxisVote]:
    """Every answer on the round's released items, or on one of them, for services that decide by them."""
    votes = Vote.objects.filter(item__round=round_, item__released_at__isnull=False)
    return answers_of(votes=votes.filter(item=item) if item else votes)


def answers_of(*, votes: QuerySet[Vote]) -> Iterator[AxisVote]:
    """Every answer of these votes, by place in the sample, axis and annotator; one statement."""
    answers = Answer.objects.filter(vote__in=votes)
    codes = ArrayAgg("nodes__version__node__code", filter=Q(nodes__isnull=False), default=[], order_by="nodes__version")
    rows = (
        answers.annotate(codes=codes, item=F("vote__item"), place=F("vote__item__position"), by=F("vote__member"))
        .order_by("place", "axis__position", "by")
        .values_list("item", "place", "axis__code", "by", "codes", "is_undecidable")
    )
    for item, position, axis, by, codes_found, is_undecidable in rows.iterator(chunk_size=5_000):
        yield AxisVote(item, position, axis, by, Choice(tuple(codes_found), is_undecidable))


def with_revisions(*, votes: Iterable[AxisVote], revisions: QuerySet[Revision]) -> list[AxisVote]:
    """The votes with what their annotators said last, where they said anything after the discussion."""
    latest = {
        (one.item_id, one.axis.code, one.member_id): Choice(
            tuple(version.node.code for version in one.versions.all()), one.is_undecidable
        )
        for one in revisions.select_related("axis").prefetch_related("versions__node").order_by("created_at", "pk")
    }
    return [replace(one, choice=latest.get((one.item, one.axis, one.member), one.choice)) for one in votes]


def _outcomes(votes: Iterable[AxisVote]) -> list[ItemOutcome]:
    groups: dict[tuple[int, int, str], list[Choice]] = {}
    for vote in votes:
        groups.setdefault((vote.item, vote.position, vote.axis), []).append(vote.choice)
    return [ItemOutcome(*key, outcome(choices)) for key, choices in groups.items()]
