"""How far rounds are: one's own votes always, everybody's where they are no secret (`visible.sees_whole`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from labeling.models import Item, Member, Round
from labeling.selectors import visible
from labeling.selectors.rounds import annotators_of


@dataclass(frozen=True)
class Progress:
    """What a member may know of a round: `mine` votes of theirs, and everybody's, or None where that is secret."""

    issues: int
    mine: int
    votes: int | None = None
    wanted: int | None = None
    complete: int | None = None

    @property
    def lacking(self) -> int | None:
        """How many issues have not all their votes."""
        return None if self.complete is None else self.issues - self.complete

    @property
    def percent(self) -> int | None:
        """Votes that are in, of those that are wanted, rounded down."""
        return None if self.votes is None or not self.wanted else min(100, self.votes * 100 // self.wanted)


@dataclass(frozen=True)
class PersonProgress:
    """How many votes somebody cast in a round."""

    member: Member
    votes: int


def progress(*, member: Member, rounds: Iterable[Round]) -> dict[int, Progress]:
    """The progress of rounds by their ids; four statements, however many rounds."""
    rounds = list(rounds)
    whole = [one.pk for one in rounds if visible.sees_whole(member=member, round_=one)]
    issues = _counted(Item.objects.filter(round__in=rounds).values_list("round").annotate(Count("pk")))
    seen = visible.votes(member=member)
    mine = _counted(seen.filter(member=member, item__round__in=rounds).values_list("item__round").annotate(Count("pk")))
    votes = _counted(seen.filter(item__round__in=whole).values_list("item__round").annotate(Count("pk")))
    have = seen.filter(item=OuterRef("pk")).order_by().values("item").annotate(n=Count("pk")).values("n")
    items = Item.objects.filter(round__in=whole).annotate(have=Coalesce(Subquery(have), 0))
    complete = items.filter(have__gte=F("round__votes_wanted")).order_by().values_list("round").annotate(Count("pk"))
    completed = _counted(complete)
    return {
        one.pk: Progress(
            issues=issues.get(one.pk, 0),
            mine=mine.get(one.pk, 0),
            **(
                {
                    "votes": votes.get(one.pk, 0),
                    "wanted": issues.get(one.pk, 0) * one.votes_wanted,
                    "complete": completed.get(one.pk, 0),
                }
                if one.pk in whole
                else {}
            ),
        )
        for one in rounds
    }


def by_person(*, member: Member, round_: Round) -> Sequence[PersonProgress]:
    """How many votes each annotator cast, most first; nothing where that is secret."""
    if not visible.sees_whole(member=member, round_=round_):
        return []
    votes = visible.votes(member=member).filter(item__round=round_).order_by()
    cast = _counted(votes.values_list("member").annotate(Count("pk")))
    people = {one.pk: one for one in annotators_of(round_=round_)}
    people |= Member.objects.select_related("user").in_bulk(set(cast) - set(people))
    found = [PersonProgress(one, cast.get(pk, 0)) for pk, one in people.items()]
    return sorted(found, key=lambda one: (-one.votes, one.member.pk))


def _counted(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
    return dict(rows)
