"""What waits for members of projects: rounds to label, issues to settle, ballots to cast; for leads what stands still.

Counts what the member may know: whoever votes or adjudicates learns nothing of others' votes, flags and ballots here.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from labeling.models import Item, Member, Pass, Proposal, ProposalVote, Role, Round, Slot, Vote
from labeling.selectors import visible
from labeling.selectors.settling_to_do import settling

# A round that nobody voted in for so long stands still.
IDLE = dt.timedelta(days=7)


@dataclass(frozen=True)
class ToDo:
    """What waits for one member. Questions are axes of issues; pairs of a round and how many of its questions.

    For leads: `flagged` issues, rounds that have all their votes (`complete`) or none since a while (`idle`), and
    `asked`, proposals that wait for others' ballots.
    """

    to_label: Sequence[Round] = ()
    discussions: Sequence[tuple[Round, int]] = ()
    opinions: int = 0
    decisions: int = 0
    ballots: int = 0
    accepting: Sequence[tuple[Round, int]] = ()
    flagged: int = 0
    prepared: int = 0
    overdue: Sequence[Round] = ()
    complete: Sequence[Round] = ()
    idle: Sequence[Round] = ()
    asked: int = 0
    is_part: bool = False

    @property
    def texts(self) -> list[str]:
        """The same in words, a few for each."""
        discussed, accepted = (sum(number for _, number in some) for some in (self.discussions, self.accepting))
        return [
            text
            for number, text in (
                (len(self.to_label), f"{_number(len(self.to_label), 'round')} to label"),
                (discussed, f"your answer in {_number(discussed, 'discussion')}"),
                (self.opinions, f"{_number(self.opinions, 'first opinion')} to give"),
                (self.decisions, f"{_number(self.decisions, 'issue')} to decide"),
                (self.ballots, f"{_number(self.ballots, 'proposal')} to vote on"),
                (accepted, f"{_number(accepted, 'answer')} to accept"),
                (self.flagged, f"{_number(self.flagged, 'flagged issue')} to look at"),
                (self.prepared, f"{_number(self.prepared, 'round')} prepared and not open"),
                (len(self.complete), f"{_number(len(self.complete), 'round')} to close"),
                (len(self.overdue), f"{_number(len(self.overdue), 'round')} past the deadline"),
                (len(self.idle), f"{_number(len(self.idle), 'round')} without a vote for {IDLE.days} days"),
                (self.asked, f"{_number(self.asked, 'proposal')} waiting for others' ballots"),
            )
            if number
        ]


def to_do(*, members: Iterable[Member]) -> dict[int, ToDo]:
    """What waits for these memberships, by their ids; a fixed number of statements. One person's memberships only."""
    members = list(members)
    found: dict[int, dict[str, Any]] = {one.pk: {} for one in members}
    _put(found, "to_label", _by_member(_to_label([one.pk for one in members if one.has(Role.ANNOTATOR)])))
    _put(found, "ballots", _counts(_ballots([one.pk for one in members])))
    _put_settling(found, members)
    _put_led(found, members)
    return {pk: ToDo(**values) for pk, values in found.items()}


def _put(found: Mapping[int, dict[str, Any]], name: str, values: Mapping[int, Any]) -> None:
    for pk, value in values.items():
        found[pk][name] = value


def _put_settling(found: Mapping[int, dict[str, Any]], members: Sequence[Member]) -> None:
    waits = settling(members=members)
    wanted = {pk for one in waits.values() for pk in (*one.discussions, *one.accepting)}
    rounds = Round.objects.in_bulk(wanted) if wanted else {}
    for pk, one in waits.items():
        found[pk] |= {"opinions": one.opinions, "decisions": one.decisions, "is_part": one.is_part}
        for name in ("discussions", "accepting"):
            numbers: Mapping[int, int] = getattr(one, name)
            found[pk][name] = sorted(((rounds[key], number) for key, number in numbers.items()), key=_in_turn)


def _in_turn(pair: tuple[Round, int]) -> int:
    return pair[0].number


def _put_led(found: Mapping[int, dict[str, Any]], members: Sequence[Member]) -> None:
    """What stands still where the person leads; of votes and ballots only where they neither vote nor adjudicate."""
    leading = [one for one in members if one.has(Role.LEAD)]
    if not leading:
        return
    led = Round.objects.annotate(whose=F("project__members")).filter(whose__in=[one.pk for one in leading])
    open_ = led.filter(state=Round.State.OPEN)
    _put(found, "prepared", _counts(led.filter(state=Round.State.DRAFT)))
    _put(found, "overdue", _by_member(open_.filter(deadline__lt=timezone.now().date())))
    seeing = [one.pk for one in leading if not visible.is_blind(one)]
    if not seeing:
        return
    open_ = open_.filter(whose__in=seeing)
    missing = Exists(Slot.objects.filter(item__round=OuterRef("pk"), vote=None))
    lately = Exists(Vote.objects.filter(item__round=OuterRef("pk"), submitted_at__gt=timezone.now() - IDLE))
    _put(found, "complete", _by_member(open_.filter(~missing)))
    _put(found, "idle", _by_member(open_.filter(missing, ~lately, opened_at__lt=timezone.now() - IDLE)))
    flags = Pass.objects.annotate(whose=F("item__round__project__members")).filter(
        whose__in=seeing, kind=Pass.Kind.FLAG, taken_back_at=None, item__round__state=Round.State.OPEN
    )
    _put(found, "flagged", _counts(flags))
    asked = Proposal.objects.annotate(whose=F("project__members")).filter(whose__in=seeing, state=Proposal.State.VOTE)
    cast = ProposalVote.objects.filter(proposal=OuterRef("proposal"), member=OuterRef("member"))
    others = Proposal.electorate.through.objects.filter(~Exists(cast), proposal=OuterRef("pk"), member__left_at=None)
    _put(found, "asked", _counts(asked.filter(Exists(others.exclude(member=OuterRef("whose"))))))


def _to_label(members: Sequence[int]) -> QuerySet[Round]:
    """Open rounds of which somebody has an issue left, now or when its place comes free; `whose` says who."""
    rounds = Round.objects.annotate(whose=F("project__members")).filter(whose__in=members, state=Round.State.OPEN)
    chosen = Round.annotators.through.objects.filter(round=OuterRef("pk"))
    rounds = rounds.filter(~Exists(chosen) | Exists(chosen.filter(member=OuterRef("whose"))))
    own = {"item": OuterRef("pk"), "member": OuterRef(OuterRef("whose"))}
    done = Exists(Vote.objects.filter(**own)) | Exists(Pass.objects.filter(**own, taken_back_at=None))
    senior = Member.objects.filter(pk=OuterRef(OuterRef(OuterRef("whose"))), is_senior=True)
    for_them = Q(only_for=None) | Q(only_for=OuterRef(OuterRef("whose")))
    for_them = for_them & (Q(for_senior=False) | Q(Exists(senior)))
    place = Exists(Slot.objects.filter(for_them, item=OuterRef("pk"), vote=None))
    left = Item.objects.filter(~done, place, round=OuterRef("pk"), released_at=None)
    return rounds.filter(Exists(left)).order_by("deadline", "number")


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
