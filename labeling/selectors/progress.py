"""How a project gets on, for those who are not blind: who waits for whom, pace, expected end, and what was passed.

Every count of votes starts from `visible`, which gives leads and observers who neither vote nor adjudicate all of them,
and the others what they may see; the page is for the former only.
"""

import datetime as dt
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    """An open round: places in all, with votes, taken and free; and when it may be done."""

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
        """Places that nobody has."""
        return self.places - self.voted - self.running - self.expired


@dataclass(frozen=True)
class PersonProgress:
    """One annotator: votes in all and by day, minutes on one, and what they hold or passed."""

    member: Member
    votes: int
    by_day: tuple[int, ...]
    minutes: float | None
    holding: int
    passed: int
    last: dt.date | None

    @property
    def bars(self) -> list[tuple[int, float]]:
        """The days as a drawing: place, and height from 0 to 10."""
        most = max(self.by_day, default=0) or 1
        return [(4 * place, round(10 * number / most, 1)) for place, number in enumerate(self.by_day)]

    @property
    def lately(self) -> int:
        """Votes on all these days together."""
        return sum(self.by_day)


@dataclass(frozen=True)
class Waiting:
    """Who is waited for, by whom, and how much of it there is."""

    who: str
    what: str
    number: int


@dataclass(frozen=True)
class Progress:
    """Everything on the page."""

    days: tuple[dt.date, ...]
    per_day: tuple[int, ...]
    rounds: tuple[RoundProgress, ...]
    people: tuple[PersonProgress, ...]
    waiting: tuple[Waiting, ...]
    passes: tuple[Pass, ...]


def progress(*, member: Member) -> Progress:
    """The project's progress as this member may see it; a fixed number of statements."""
    today = timezone.localdate()
    days = tuple(today - dt.timedelta(days=DAYS - 1 - back) for back in range(DAYS))
    by_day = _votes_by_day(member, days[0])
    per_day = tuple(sum(some.get(day, 0) for some in by_day.values()) for day in days)
    return Progress(
        days=days,
        per_day=per_day,
        rounds=_rounds(member, today),
        people=_people(member, days, by_day),
        waiting=_waiting(member),
        passes=tuple(_passes(member)),
    )


def expected_end(*, per_day: Sequence[int], left: int, today: dt.date) -> tuple[dt.date | None, dt.date | None, str]:
    """The earliest and latest day on which `left` votes may be done, four times in five; or why it is not foreseen.

    The pace is taken as it was, day by day: votes in n days have mean n·m and deviation s·√n, and the bounds are where
    the mean and a deviation of `Z_80` more or less reach what is left. Weekends and holidays are among the days.
    """
    if not left:
        return today, today, ""
    first = next((place for place, number in enumerate(per_day) if number), len(per_day))
    worked = per_day[first:]
    if len(worked) < LEAST_DAYS:
        return None, None, f"Foreseen once there were votes on {LEAST_DAYS} days."
    mean, spread = statistics.fmean(worked), statistics.pstdev(worked)
    soon, late = (_days_needed(left, mean, spread, sign) for sign in (1, -1))
    return today + dt.timedelta(days=soon), today + dt.timedelta(days=late), ""


def _days_needed(left: int, mean: float, spread: float, sign: int) -> int:
    """The n that solves n·mean + sign·z·spread·√n = left."""
    half = sign * Z_80 * spread / 2
    root = (-half + math.sqrt(half * half + mean * left)) / mean
    return max(1, math.ceil(root * root))


def _votes_by_day(member: Member, since: dt.date) -> dict[int, dict[dt.date, int]]:
    """Member id -> day -> votes."""
    rows = visible.votes(member=member).filter(submitted_at__date__gte=since).order_by()
    counted = rows.annotate(day=TruncDate("submitted_at")).values("member", "day").annotate(number=Count("pk"))
    found: dict[int, dict[dt.date, int]] = {}
    for row in counted:
        found.setdefault(row["member"], {})[row["day"]] = row["number"]
    return found


def _rounds(member: Member, today: dt.date) -> tuple[RoundProgress, ...]:
    now = timezone.now()
    open_rounds = list(Round.objects.filter(project=member.project_id, state=Round.State.OPEN).order_by("number"))
    counted = (
        Slot.objects.filter(item__round__in=open_rounds)
        .order_by()
        .values("item__round")
        .annotate(
            places=Count("pk"),
            voted=Count("vote"),
            running=Count("pk", filter=Q(vote=None, member__isnull=False, reserved_until__gte=now)),
            expired=Count("pk", filter=Q(vote=None, member__isnull=False, reserved_until__lt=now)),
        )
    )
    by_round = {row["item__round"]: row for row in counted}
    pace = _pace(member, open_rounds, today)
    return tuple(_round(one, by_round[one.pk], pace.get(one.pk, []), today) for one in open_rounds)


def _round(one: Round, row: Mapping[str, Any], pace: Sequence[int], today: dt.date) -> RoundProgress:
    earliest, latest, why = expected_end(per_day=pace, left=row["places"] - row["voted"], today=today)
    return RoundProgress(one, row["places"], row["voted"], row["running"], row["expired"], earliest, latest, why)


def _pace(member: Member, rounds: Sequence[Round], today: dt.date) -> dict[int, list[int]]:
    """Round id -> votes on each of the last days."""
    first = today - dt.timedelta(days=DAYS - 1)
    votes = visible.votes(member=member).filter(item__round__in=rounds, submitted_at__date__gte=first).order_by()
    counted = votes.annotate(day=TruncDate("submitted_at")).values("item__round", "day").annotate(number=Count("pk"))
    found: dict[int, list[int]] = {}
    for row in counted:
        found.setdefault(row["item__round"], [0] * DAYS)[(row["day"] - first).days] = row["number"]
    return found


def _people(
    member: Member, days: Sequence[dt.date], by_day: dict[int, dict[dt.date, int]]
) -> tuple[PersonProgress, ...]:
    votes = visible.votes(member=member).order_by().values("member")
    sums: dict[int, Mapping[str, Any]] = {
        row["member"]: row
        for row in votes.annotate(
            number=Count("pk"), seconds=Avg("active_seconds", filter=Q(active_seconds__gt=0)),
        )
    }  # fmt: skip
    held = Slot.objects.filter(item__round__project=member.project_id, vote=None, member__isnull=False).order_by()
    holding = dict(held.values_list("member").annotate(number=Count("pk")))
    passes = visible.passes(member=member).filter(taken_back_at=None).order_by()
    passed = dict(passes.values_list("member").annotate(number=Count("pk")))
    people = Member.objects.filter(project=member.project_id).select_related("user").order_by("pk")
    return tuple(
        PersonProgress(
            member=one,
            votes=sums.get(one.pk, {}).get("number", 0),
            by_day=tuple(by_day.get(one.pk, {}).get(day, 0) for day in days),
            minutes=(seconds / 60 if (seconds := sums.get(one.pk, {}).get("seconds")) else None),
            holding=holding.get(one.pk, 0),
            passed=passed.get(one.pk, 0),
            last=max(by_day.get(one.pk, {}), default=None),
        )
        for one in people
        if one.pk in sums or one.has(Role.ANNOTATOR)
    )


def _waiting(member: Member) -> tuple[Waiting, ...]:
    """Whom the project waits for now; what is zero is left out."""
    slots = Slot.objects.filter(item__round__project=member.project_id, item__round__state=Round.State.OPEN, vote=None)
    counted = slots.aggregate(
        kept=Count("pk", filter=Q(only_for__isnull=False, member=None)),
        senior=Count("pk", filter=Q(for_senior=True, member=None)),
        held=Count("pk", filter=Q(member__isnull=False)),
        free=Count("pk", filter=Q(member=None, only_for=None, for_senior=False)),
    )
    released = Item.objects.filter(round__project=member.project_id, released_at__isnull=False)
    axes = Count("votes__answers__axis", distinct=True)
    asked = sum(released.annotate(asked=axes).values_list("asked", flat=True))
    decided = Decision.objects.filter(item__in=released, reopened_at=None).count()
    flags = visible.passes(member=member).filter(kind=Pass.Kind.FLAG, taken_back_at=None).count()
    found = (
        Waiting("Annotators", "places that anybody may take", counted["free"]),
        Waiting("Annotators", "issues that somebody holds and has not answered", counted["held"]),
        Waiting("Seniors", "places that only a senior may take", counted["senior"]),
        Waiting("Those who labelled before", "places of a recheck that are kept for them", counted["kept"]),
        Waiting("Adjudicators and discussion", "questions on released issues without a decision", asked - decided),
        Waiting("Leads", "flagged issues", flags),
    )
    return tuple(one for one in found if one.number > 0)


def _passes(member: Member) -> Sequence[Pass]:
    rows = visible.passes(member=member).filter(taken_back_at=None)
    rows = rows.select_related("member__user", "item__issue__repository", "item__round")
    rows = rows.defer("item__issue__body", "item__issue__search_vector", "item__issue__label_terms")
    return list(rows.order_by(F("created_at").desc(), "-pk")[:PASSES])
