"""What waits for members of projects: rounds to label, issues to settle, ballots to cast, rounds to prepare or close.

Counts what the member may know: of votes only their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet
from django.utils import timezone

from labeling.models import Decision, Item, Member, Pass, ProjectAxis, Proposal, ProposalVote, Role, Round, Vote


@dataclass(frozen=True)
class ToDo:
    """What waits for one member."""

    to_label: Sequence[Round] = ()
    to_settle: int = 0
    ballots: int = 0
    prepared: int = 0
    overdue: Sequence[Round] = ()

    @property
    def texts(self) -> list[str]:
        """The same in words, a few for each."""
        return [
            text
            for number, text in (
                (len(self.to_label), f"{_number(len(self.to_label), 'round')} to label"),
                (self.to_settle, f"{_number(self.to_settle, 'released issue')} not decided yet"),
                (self.ballots, f"{_number(self.ballots, 'proposal')} to vote on"),
                (self.prepared, f"{_number(self.prepared, 'round')} prepared and not open"),
                (len(self.overdue), f"{_number(len(self.overdue), 'round')} past the deadline"),
            )
            if number
        ]


def to_do(*, members: Iterable[Member]) -> dict[int, ToDo]:
    """What waits for these memberships, by their ids; a fixed number of statements. One person's memberships only."""
    members = list(members)
    leading = [one.pk for one in members if one.has(Role.LEAD)]
    to_label = _by_member(_to_label([one.pk for one in members if one.has(Role.ANNOTATOR)]))
    to_settle = _counts(_to_settle([one.pk for one in members if one.has(Role.ADJUDICATOR)]))
    ballots = _counts(_ballots([one.pk for one in members]))
    led = Round.objects.annotate(whose=F("project__members")).filter(whose__in=leading)
    prepared = _counts(led.filter(state=Round.State.DRAFT))
    overdue = _by_member(led.filter(state=Round.State.OPEN, deadline__lt=timezone.now().date()))
    return {
        one.pk: ToDo(
            to_label=to_label.get(one.pk, ()),
            to_settle=to_settle.get(one.pk, 0),
            ballots=ballots.get(one.pk, 0),
            prepared=prepared.get(one.pk, 0),
            overdue=overdue.get(one.pk, ()),
        )
        for one in members
    }


def _to_label(members: Sequence[int]) -> QuerySet[Round]:
    """Open rounds of which somebody has an issue left; `whose` says who. Votes and passes are their own."""
    rounds = Round.objects.annotate(whose=F("project__members")).filter(whose__in=members, state=Round.State.OPEN)
    chosen = Round.annotators.through.objects.filter(round=OuterRef("pk"))
    rounds = rounds.filter(~Exists(chosen) | Exists(chosen.filter(member=OuterRef("whose"))))
    own = {"item": OuterRef("pk"), "member": OuterRef(OuterRef("whose"))}
    done = Exists(Vote.objects.filter(**own)) | Exists(Pass.objects.filter(**own, taken_back_at=None))
    left = Item.objects.filter(~done, round=OuterRef("pk"), released_at=None)
    return rounds.filter(Exists(left)).order_by("deadline", "number")


def _to_settle(members: Sequence[int]) -> QuerySet[Item]:
    """Released items with an axis that is not decided; `whose` says which adjudicator has not voted on them."""
    items = Item.objects.annotate(whose=F("round__project__members")).filter(whose__in=members)
    decided = Decision.objects.filter(item=OuterRef(OuterRef("pk")), axis=OuterRef("pk"), reopened_at=None)
    open_axes = ProjectAxis.objects.filter(~Exists(decided), project=OuterRef("round__project"))
    voted = Vote.objects.filter(item=OuterRef("pk"), member=OuterRef("whose"))
    return items.filter(~Exists(voted), Exists(open_axes), released_at__isnull=False)


def _ballots(members: Sequence[int]) -> QuerySet[Proposal]:
    """Proposals put to the vote on which somebody entitled has not voted; `whose` says who."""
    proposals = Proposal.objects.annotate(whose=F("electorate")).filter(whose__in=members, state=Proposal.State.VOTE)
    cast = ProposalVote.objects.filter(proposal=OuterRef("pk"), member=OuterRef("whose"))
    return proposals.filter(~Exists(cast))


def _counts(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("whose").annotate(Count("pk", distinct=True)))


def _by_member(rounds: QuerySet[Round]) -> dict[int, list[Round]]:
    found: dict[int, list[Round]] = {}
    for one in rounds.select_related("project"):
        found.setdefault(one.whose, []).append(one)  # type: ignore[attr-defined]
    return found


def _number(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
