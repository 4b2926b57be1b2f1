"""The votes of a round as measures and outcomes need them: one row per item, annotator and axis.

What a member may not see is not there (`visible`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, Q

from labeling.ballots import Choice
from labeling.models import Answer, Member, Round
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
    answers = Answer.objects.filter(vote__in=visible.votes(member=member).filter(item__round=round_))
    codes = ArrayAgg("nodes__version__node__code", filter=Q(nodes__isnull=False), default=[], order_by="nodes__version")
    rows = (
        answers.annotate(codes=codes, item=F("vote__item"), place=F("vote__item__position"), by=F("vote__member"))
        .order_by("place", "axis__position", "by")
        .values_list("item", "place", "axis__code", "by", "codes", "is_undecidable")
    )
    for item, position, axis, by, codes_found, is_undecidable in rows.iterator(chunk_size=5_000):
        yield AxisVote(item, position, axis, by, Choice(tuple(codes_found), is_undecidable))


def outcomes(*, member: Member, round_: Round) -> list[ItemOutcome]:
    """What the votes say together, by item and axis, in the order of the sample."""
    groups: dict[tuple[int, int, str], list[Choice]] = {}
    for vote in axis_votes(member=member, round_=round_):
        groups.setdefault((vote.item, vote.position, vote.axis), []).append(vote.choice)
    return [ItemOutcome(*key, outcome(choices)) for key, choices in groups.items()]
