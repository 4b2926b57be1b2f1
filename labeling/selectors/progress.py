"""A project's progress, for leads and observers who are not blind: queues, pace, expected end, and passed issues.

Dropped issues are left out.
Every count of votes starts from `visible`, which gives them all votes, and others only those they may see.
"""

import datetime as dt
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from django.db.models import Avg, Count, F, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from labeling.models import Decision, Item, Member, Pass, Role, Round, Slot
from labeling.selectors import visible

DAYS = 14
LEAST_DAYS = 3
PASSES = 50
Z_80 = 1.2816


@dataclass(frozen=True)
class RoundProgress:
    """An open round: its slots in all (`places`), voted and reserved; and when it may be done."""

    round: Round
    places: int
    voted: int
    running: int
    expired: int
    earliest: dt.date | None
    latest: dt.date | None
    unforeseen: str

    @property
    def free(self) -> int:
        """The number of slots that nobody holds."""
        return self.places - self.voted - self.running - self.expired


@dataclass(frozen=True)
class PersonProgress:
    """One annotator: votes in all and by day, minutes per vote, issues held and passed, day of the last vote."""

    member: Member
    votes: int
    by_day: tuple[int, ...]
    minutes: float | None
    holding: int
    passed: int
    last: dt.date | None

    @property
    def bars(self) -> list[tuple[int, float]]:
        """The days as bars of a drawing: x, and height from 0 to 10."""
        most = max(self.by_day, default=0) or 1
        return [(4 * place, round(10 * number / most, 1)) for place, number in enumerate(self.by_day)]

    @property
    def lately(self) -> int:
        """The votes of all these days."""
        return sum(self.by_day)


@dataclass(frozen=True)
class Waiting:
    """Who is waited for, what is waited for, and how many of it."""

    who: str
    what: str
    number: int


@dataclass(frozen=True)
class Progress:
    """A project's progress; `per_day` are the votes of all people on `days`."""

    days: tuple[dt.date, ...]
    per_day: tuple[int, ...]
    rounds: tuple[RoundProgress, ...]
    people: tuple[PersonProgress, ...]
    waiting: tuple[Waiting, ...]
    passes: tuple[Pass, ...]


def progress(*, member: Member) -> Progress:
    """The project's progress as this member may see it; a fixed number of statements."""
    today = timezone.localdate()
    days = tuple(today - dt.timedelta(days=ago) for ago in reversed(range(DAYS)))
    by_person = _votes_by_day(member, "member", days[0])
    by_round = _votes_by_day(member, "item__round", days[0])
    passes = visible.passes(member=member).filter(taken_back_at=None)
    passes = passes.select_related("member__user", "item__issue__repository", "item__own", "item__round")
    passes = passes.defer(
        "item__issue__body", "item__issue__search_vector", "item__issue__label_terms", "item__own__body"
    )
    return Progress(
        days=days,
        per_day=tuple(sum(votes[day] for votes in by_person.values()) for day in days),
        rounds=_rounds(member, days, by_round),
        people=_people(member, days, by_person),
        waiting=_waiting(member),
        passes=tuple(passes.order_by(F("created_at").desc(), "-pk")[:PASSES]),
    )


def expected_end(*, per_day: Sequence[int], left: int, today: dt.date) -> tuple[dt.date | None, dt.date | None, str]:
    """The earliest and latest day on which `left` votes may be done, at 80 %; or why they are not foreseen.

    The daily pace is taken as it was: votes in n days have mean n·m and deviation s·√n, and the bounds are where the
    mean and `Z_80` deviations more or less reach what is left. Weekends and holidays are among the days.
    """
    if not left:
        return today, today, ""
    worked = list(dropwhile(lambda number: not number, per_day))
    if len(worked) < LEAST_DAYS:
        return None, None, f"Estimated once there are votes on {LEAST_DAYS} days."
    mean, spread = statistics.fmean(worked), statistics.pstdev(worked)
    ends = []
    for sign in (1, -1):
        # The n that solves n·mean + sign·z·spread·√n = left.
        half = sign * Z_80 * spread / 2
        root = (-half + math.sqrt(half * half + mean * left)) / mean
        ends.append(today + dt.timedelta(days=max(1, math.ceil(root * root))))
    earliest, latest = ends
    return earliest, latest, ""


def _votes_by_day(member: Member, column: str, since: dt.date) -> dict[int, Counter[dt.date]]:
    """Value of the column (`member`, `item__round`) -> day -> votes."""
    rows = visible.votes(member=member).filter(submitted_at__date__gte=since, item__dropped_at=None).order_by()
    counts = rows.annotate(day=TruncDate("submitted_at")).values(column, "day").annotate(number=Count("pk"))
    votes: dict[int, Counter[dt.date]] = {}
    for row in counts:
        votes.setdefault(row[column], Counter())[row["day"]] = row["number"]
    return votes


def _rounds(
    member: Member, days: Sequence[dt.date], by_day: Mapping[int, Counter[dt.date]]
) -> tuple[RoundProgress, ...]:
    now = timezone.now()
    rounds = Round.objects.filter(project=member.project_id, state=Round.State.OPEN).order_by("number").in_bulk()
    counts = (
        Slot.objects.filter(item__round__in=rounds, item__dropped_at=None)
        .order_by("item__round__number")
        .values_list("item__round")
        .annotate(
            places=Count("pk"),
            voted=Count("vote"),
            running=Count("pk", filter=Q(vote=None, member__isnull=False, reserved_until__gte=now)),
            expired=Count("pk", filter=Q(vote=None, member__isnull=False, reserved_until__lt=now)),
        )
    )
    rows = []
    for pk, places, voted, running, expired in counts:
        pace = [by_day[pk][day] for day in days] if pk in by_day else []
        end = expected_end(per_day=pace, left=places - voted, today=days[-1])
        rows.append(RoundProgress(rounds[pk], places, voted, running, expired, *end))
    return tuple(rows)


def _people(
    member: Member, days: Sequence[dt.date], by_day: Mapping[int, Counter[dt.date]]
) -> tuple[PersonProgress, ...]:
    seconds = Avg("active_seconds", filter=Q(active_seconds__gt=0))
    counts = (
        visible.votes(member=member)
        .filter(item__dropped_at=None)
        .order_by()
        .values_list("member")
        .annotate(n=Count("pk"), seconds=seconds)
    )
    votes = {pk: (number, average) for pk, number, average in counts}
    held = Slot.objects.filter(item__round__project=member.project_id, vote=None, member__isnull=False).order_by()
    holding = dict(held.values_list("member").annotate(number=Count("pk")))
    passes = visible.passes(member=member).filter(taken_back_at=None).order_by()
    passed = dict(passes.values_list("member").annotate(number=Count("pk")))
    rows = []
    for person in Member.objects.filter(project=member.project_id).select_related("user").order_by("pk"):
        if person.pk not in votes and not person.has(Role.ANNOTATOR):
            continue
        number, average = votes.get(person.pk, (0, None))
        own_days = by_day.get(person.pk, Counter())
        rows.append(
            PersonProgress(
                member=person,
                votes=number,
                by_day=tuple(own_days[day] for day in days),
                minutes=average / 60 if average else None,
                holding=holding.get(person.pk, 0),
                passed=passed.get(person.pk, 0),
                last=max(own_days, default=None),
            )
        )
    return tuple(rows)


def _waiting(member: Member) -> tuple[Waiting, ...]:
    """Whom the project waits for now, without zeros."""
    slots = Slot.objects.filter(
        item__round__project=member.project_id, item__round__state=Round.State.OPEN, item__dropped_at=None, vote=None
    )
    counts = slots.aggregate(
        kept=Count("pk", filter=Q(only_for__isnull=False, member=None)),
        senior=Count("pk", filter=Q(for_senior=True, member=None)),
        held=Count("pk", filter=Q(member__isnull=False)),
        free=Count("pk", filter=Q(member=None, only_for=None, for_senior=False)),
    )
    released = Item.objects.filter(round__project=member.project_id, released_at__isnull=False)
    axes = Count("votes__answers__axis", distinct=True)
    answered = sum(released.annotate(asked=axes).values_list("asked", flat=True))
    decided = Decision.objects.filter(item__in=released, reopened_at=None).count()
    flags = visible.passes(member=member).filter(kind=Pass.Kind.FLAG, taken_back_at=None, answered_at=None)
    queues = (
        Waiting("Annotators", "places that anybody may take", counts["free"]),
        Waiting("Annotators", "issues reserved but not answered", counts["held"]),
        Waiting("Seniors", "places that only a senior may take", counts["senior"]),
        Waiting("Those who labelled before", "places of a recheck that are kept for them", counts["kept"]),
        Waiting("Adjudicators and discussion", "questions on released issues without a decision", answered - decided),
        Waiting("Leads", "flagged issues", flags.filter(item__dropped_at=None).count()),
    )
    return tuple(queue for queue in queues if queue.number > 0)
