"""The progress of rounds: one's own votes, and everybody's where they are not secret (`visible.sees_whole`).

Dropped issues are left out everywhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet

from labeling.models import Item, Member, Round, Slot
from labeling.selectors import visible
from labeling.selectors.rounds import annotators_of


@dataclass(frozen=True)
class Progress:
    """The progress of a round: the member's own votes (`mine`), and everybody's, or None where these are secret."""

    issues: int
    mine: int
    votes: int | None = None
    wanted: int | None = None
    complete: int | None = None

    @property
    def lacking(self) -> int | None:
        """How many issues lack votes."""
        return None if self.complete is None else self.issues - self.complete

    @property
    def percent(self) -> int | None:
        """The votes cast in percent of those wanted, rounded down."""
        if self.votes is None or not self.wanted:
            return None
        return min(100, self.votes * 100 // self.wanted)


@dataclass(frozen=True)
class PersonProgress:
    """How many votes somebody cast in a round."""

    member: Member
    votes: int


def progress(*, member: Member, rounds: Iterable[Round]) -> dict[int, Progress]:
    """The progress of rounds by their ids; five statements, however many rounds."""
    rounds = list(rounds)
    whole = [round_.pk for round_ in rounds if visible.sees_whole(member=member, round_=round_)]
    seen = visible.votes(member=member).filter(item__dropped_at=None)
    issues = _count(Item.objects.filter(round__in=rounds, dropped_at=None), "round")
    mine = visible.own_votes(member=member).filter(item__dropped_at=None, item__round__in=rounds)
    own = _count(mine, "item__round")
    votes = _count(seen.filter(item__round__in=whole), "item__round")
    wanted = _count(Slot.objects.filter(item__round__in=whole, item__dropped_at=None), "item__round")
    lacking = _count(_lacking().filter(round__in=whole), "round")
    by_round = {}
    for round_ in rounds:
        pk = round_.pk
        by_round[pk] = Progress(issues=issues.get(pk, 0), mine=own.get(pk, 0))
        if pk in whole:
            complete = by_round[pk].issues - lacking.get(pk, 0) if pk in wanted else 0
            by_round[pk] = replace(by_round[pk], votes=votes.get(pk, 0), wanted=wanted.get(pk, 0), complete=complete)
    return by_round


def lacking_items(*, round_: Round) -> QuerySet[Item]:
    """The round's items that have fewer votes than they should get."""
    return _lacking().filter(round=round_)


def _lacking() -> QuerySet[Item]:
    return Item.objects.filter(Exists(Slot.objects.filter(item=OuterRef("pk"), vote=None)), dropped_at=None)


def by_person(*, member: Member, round_: Round) -> Sequence[PersonProgress]:
    """How many votes each annotator cast, most first; empty where that is secret."""
    if not visible.sees_whole(member=member, round_=round_):
        return []
    seen = visible.votes(member=member).filter(item__round=round_, item__dropped_at=None)
    votes = _count(seen, "member")
    people = {person.pk: person for person in annotators_of(round_=round_)}
    people |= Member.objects.select_related("user").in_bulk(set(votes) - set(people))
    rows = [PersonProgress(person, votes.get(pk, 0)) for pk, person in people.items()]
    return sorted(rows, key=lambda each: (-each.votes, each.member.pk))


def _count(rows: QuerySet[Any], column: str) -> dict[int, int]:
    """Value of the column -> number of rows."""
    return dict(rows.order_by().values_list(column).annotate(number=Count("pk")))
