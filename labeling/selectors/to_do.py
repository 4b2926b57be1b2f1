"""What waits for members of projects: rounds to label, issues to settle, ballots to cast; for leads idle rounds too.

The counts include only what the member may know: nothing of others' votes, flags and ballots for annotators and
adjudicators.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from labeling.models import Item, Member, Pass, Proposal, ProposalVote, Role, Round, Slot, Vote
from labeling.selectors import visible
from labeling.selectors.settling_to_do import Settling, settling

# A round without a vote for this long is idle.
IDLE = dt.timedelta(days=7)


@dataclass(frozen=True)
class ToDo:
    """What waits for one member. `discussions` and `accepting` are pairs: a round, and how many axes of its issues.

    For leads: `flagged` issues, rounds with all their votes (`complete`) or none since `IDLE` (`idle`), and `asked`,
    proposals that wait for others' ballots. `is_part`: see `Settling`.
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
        """The counts in words, without zeros."""
        discussed = sum(number for _, number in self.discussions)
        accepted = sum(number for _, number in self.accepting)
        lines = (
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
        return [text for number, text in lines if number]


@dataclass(frozen=True)
class _Led:
    """What waits for leads, by membership id; see `ToDo`."""

    prepared: Mapping[int, int]
    overdue: Mapping[int, Sequence[Round]]
    complete: Mapping[int, Sequence[Round]]
    idle: Mapping[int, Sequence[Round]]
    flagged: Mapping[int, int]
    asked: Mapping[int, int]


def to_do(*, members: Iterable[Member]) -> dict[int, ToDo]:
    """Membership id -> what waits for it; a fixed number of statements. All memberships must be one person's."""
    members = list(members)
    pks = [member.pk for member in members]
    to_label = _rounds_by_member(_to_label([member.pk for member in members if member.has(Role.ANNOTATOR)]))
    proposals = Proposal.objects.annotate(whose=F("electorate")).filter(whose__in=pks, state=Proposal.State.VOTE)
    cast = ProposalVote.objects.filter(proposal=OuterRef("pk"), member=OuterRef("whose"))
    ballots = _count_by_member(proposals.filter(~Exists(cast)))
    settling_by_member = settling(members=members)
    round_ids: set[int] = set()
    for waiting in settling_by_member.values():
        round_ids |= {*waiting.discussions, *waiting.accepting}
    rounds = Round.objects.in_bulk(round_ids) if round_ids else {}
    led = _led(members)
    by_member = {}
    for member in members:
        pk = member.pk
        waiting = settling_by_member.get(pk, Settling())
        by_member[pk] = ToDo(
            to_label=to_label.get(pk, ()),
            discussions=_with_rounds(waiting.discussions, rounds),
            opinions=waiting.opinions,
            decisions=waiting.decisions,
            ballots=ballots.get(pk, 0),
            accepting=_with_rounds(waiting.accepting, rounds),
            flagged=led.flagged.get(pk, 0),
            prepared=led.prepared.get(pk, 0),
            overdue=led.overdue.get(pk, ()),
            complete=led.complete.get(pk, ()),
            idle=led.idle.get(pk, ()),
            asked=led.asked.get(pk, 0),
            is_part=waiting.is_part,
        )
    return by_member


def _with_rounds(numbers: Mapping[int, int], rounds: Mapping[int, Round]) -> tuple[tuple[Round, int], ...]:
    pairs = [(rounds[pk], number) for pk, number in numbers.items()]
    return tuple(sorted(pairs, key=lambda pair: pair[0].number))


def _led(members: Sequence[Member]) -> _Led:
    """Votes, flags and ballots of others are counted only for leads who are not blind."""
    leads = [member for member in members if member.has(Role.LEAD)]
    leading = [member.pk for member in leads]
    seeing = [member.pk for member in leads if not visible.is_blind(member)]
    led = Round.objects.annotate(whose=F("project__members")).filter(whose__in=leading)
    overdue = led.filter(state=Round.State.OPEN, deadline__lt=timezone.now().date())
    open_ = led.filter(whose__in=seeing, state=Round.State.OPEN)
    since = timezone.now() - IDLE
    missing = Exists(Slot.objects.filter(item__round=OuterRef("pk"), item__dropped_at=None, vote=None))
    recent = Exists(Vote.objects.filter(item__round=OuterRef("pk"), submitted_at__gt=since))
    flags = Pass.objects.annotate(whose=F("item__round__project__members")).filter(
        whose__in=seeing, kind=Pass.Kind.FLAG, taken_back_at=None, answered_at=None,
        item__round__state=Round.State.OPEN, item__dropped_at=None,
    )  # fmt: skip
    open_proposals = Proposal.objects.annotate(whose=F("project__members")).filter(
        whose__in=seeing, state=Proposal.State.VOTE
    )
    cast = ProposalVote.objects.filter(proposal=OuterRef("proposal"), member=OuterRef("member"))
    others = Proposal.electorate.through.objects.filter(~Exists(cast), proposal=OuterRef("pk"), member__left_at=None)
    return _Led(
        prepared=_count_by_member(led.filter(state=Round.State.DRAFT)),
        overdue=_rounds_by_member(overdue),
        complete=_rounds_by_member(open_.filter(~missing)),
        idle=_rounds_by_member(open_.filter(missing, ~recent, opened_at__lt=since)),
        flagged=_count_by_member(flags),
        asked=_count_by_member(open_proposals.filter(Exists(others.exclude(member=OuterRef("whose"))))),
    )


def open_places(*, members: Sequence[int]) -> dict[int, list[Round]]:
    """Membership id -> the open rounds in which the member has an issue left, the nearest deadline first."""
    return _rounds_by_member(_to_label(members))


def _to_label(members: Sequence[int]) -> QuerySet[Round]:
    """Open rounds in which a member has an issue left, now or once its slot is free; `whose` is the member."""
    rounds = Round.objects.annotate(whose=F("project__members")).filter(whose__in=members, state=Round.State.OPEN)
    chosen = Round.annotators.through.objects.filter(round=OuterRef("pk"))
    rounds = rounds.filter(~Exists(chosen) | Exists(chosen.filter(member=OuterRef("whose"))))
    own = {"item": OuterRef("pk"), "member": OuterRef(OuterRef("whose"))}
    done = Exists(Vote.objects.filter(**own)) | Exists(Pass.objects.filter(**own, taken_back_at=None))
    senior = Member.objects.filter(pk=OuterRef(OuterRef(OuterRef("whose"))), is_senior=True)
    for_member = Q(only_for=None) | Q(only_for=OuterRef(OuterRef("whose")))
    for_member = for_member & (Q(for_senior=False) | Q(Exists(senior)))
    slot = Exists(Slot.objects.filter(for_member, item=OuterRef("pk"), vote=None))
    left = Item.objects.filter(~done, slot, round=OuterRef("pk"), released_at=None, dropped_at=None)
    return rounds.filter(Exists(left)).order_by("deadline", "number")


def _count_by_member(rows: QuerySet[Any]) -> dict[int, int]:
    """Membership id, from the annotation `whose` -> number of rows."""
    return dict(rows.order_by().values_list("whose").annotate(Count("pk", distinct=True)))


def _rounds_by_member(rounds: QuerySet[Round]) -> dict[int, list[Round]]:
    by_member: dict[int, list[Round]] = {}
    for round_ in rounds.select_related("project"):
        by_member.setdefault(round_.whose, []).append(round_)  # type: ignore[attr-defined]
    return by_member


def _number(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
