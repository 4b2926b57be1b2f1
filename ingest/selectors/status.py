"""How mirrors are: what each holds, how fresh it is, what it did lately and what it waits for.

The same number of queries however many mirrors there are. How that is said to people is in `ingest.web.wording`.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import redis
from django.core.cache import cache
from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Extract, Floor
from django.utils import timezone

from ingest.looks import seen_since
from ingest.models import Cursor, Delivery, LeftOut, Mirror, Pending, SyncRun
from kb.models import Issue, Kind, WithoutSecrets

DAY = dt.timedelta(days=1)
BIN = dt.timedelta(minutes=30)
BINS = DAY // BIN
# Counting what all mirrors hold reads much of a large table; a mirror that a run wrote to since is counted anew.
COUNTS_KEPT = 60
COUNTS = "ingest:held"
# A mirror is late when it is older than so many of its intervals.
LATE_INTERVALS = 3

Titled = TypeVar("Titled", LeftOut, Issue)


@dataclass(frozen=True)
class Held:
    """How many a mirror holds, deleted ones and those that moved away not counted."""

    issues: int = 0
    pull_requests: int = 0


@dataclass(frozen=True)
class LastDay:
    """The last 24 hours: requests, those answered 304, and the greatest age in each half hour, oldest first."""

    requests: int = 0
    not_modified: int = 0
    ages: tuple[float | None, ...] = (None,) * BINS


@dataclass(frozen=True)
class MirrorStatus:
    """One mirror at one moment. `last` is the last run that ended, `running` the one that goes on."""

    mirror: Mirror
    cursor: Cursor
    now: dt.datetime
    held: Held = field(default_factory=Held)
    left_out: int = 0
    pending: int = 0
    last: SyncRun | None = None
    running: SyncRun | None = None
    day: LastDay = field(default_factory=LastDay)

    @property
    def lag(self) -> dt.timedelta | None:
        """How old the mirror is; None until it was complete once."""
        return self.now - self.cursor.fresh_at if self.cursor.fresh_at else None

    @property
    def is_late(self) -> bool:
        """Whether it is on and older than three of its intervals: the condition for an alert."""
        return self.mirror.is_on and self.lag is not None and self.lag > LATE_INTERVALS * self.mirror.interval

    @property
    def waits_until(self) -> dt.datetime | None:
        """Until when the host wants us to wait, if it does."""
        until = self.cursor.resume_at
        return until if until and until > self.now else None

    @property
    def is_due(self) -> bool:
        """Whether its next run begins as soon as a worker is free."""
        due_at = self.cursor.due_at or self.now
        return self.mirror.is_on and not self.waits_until and due_at <= self.now

    @property
    def has_failed(self) -> bool:
        """Whether the last run failed."""
        return self.mirror.is_on and self.last is not None and self.last.status == SyncRun.Status.FAILED

    @property
    def seen_since(self) -> dt.datetime | None:
        """Since when every issue was looked at; None until that was done once."""
        return seen_since(self.cursor.looks) if self.cursor.swept_at else None

    @property
    def problem(self) -> SyncRun | None:
        """The last run, if it tells of a problem; a later one that goes on may still do without it."""
        if self.last is None or not self.last.problem:
            return None
        has_died = self.last.status == SyncRun.Status.INTERRUPTED
        return self.last if has_died or not self.running else None

    @property
    def needs_attention(self) -> bool:
        """Whether somebody should look."""
        return self.is_late or self.has_failed


def all_statuses() -> list[MirrorStatus]:
    """Every mirror, those that need attention first."""

    def order(status: MirrorStatus) -> tuple[bool, bool, str]:
        return not status.needs_attention, not status.mirror.is_on, str(status.mirror).lower()

    return sorted(_statuses(Mirror.objects.all()), key=order)


def status_of(*, host: str, full_name: str) -> MirrorStatus:
    """One mirror. Raises `Mirror.DoesNotExist`."""
    statuses = _statuses(Mirror.objects.filter(repository__host=host, repository__full_name__iexact=full_name))
    if not statuses:
        raise Mirror.DoesNotExist
    return statuses[0]


@dataclass(frozen=True)
class Waiting:
    """Webhooks' deliveries that wait."""

    number: int
    oldest_seconds: float


def waiting_deliveries() -> Waiting:
    """How many deliveries wait, and since when the first of them does."""
    waiting = Delivery.objects.filter(handled_at__isnull=True).aggregate(number=Count("pk"), oldest=Min("received_at"))
    if waiting["oldest"] is None:
        return Waiting(0, 0.0)
    return Waiting(waiting["number"], (timezone.now() - waiting["oldest"]).total_seconds())


def runs_of(*, mirror: Mirror) -> QuerySet[SyncRun]:
    """A mirror's runs, the newest first."""
    return SyncRun.objects.filter(mirror=mirror).order_by("-started_at", "-pk")


def left_out_of(*, mirror: Mirror, words: str = "") -> QuerySet[LeftOut]:
    """What a mirror's keywords left out, the last changed first; with `words`, whose title or number has them."""
    left_out = LeftOut.objects.filter(mirror=mirror).select_related("overruled_by")
    return _named(left_out, words) if words else left_out


def kept_by(*, mirror: Mirror, words: str = "") -> QuerySet[Issue]:
    """What a mirror holds, the last changed first; with `words`, whose title or number has them."""
    issues = _mirrored().filter(repository=mirror.repository).select_related("repository")
    issues = issues.defer("search_vector", "label_terms").order_by("-host_updated_at", "-pk")
    return _named(issues, words) if words else issues


def _named(rows: QuerySet[Titled], words: str) -> QuerySet[Titled]:
    """Those whose title or number has the words. A secret in a title is not found: that would tell that it is there."""
    in_title = Q(title__icontains=words, searched__icontains=words)
    return rows.alias(searched=WithoutSecrets("title")).filter(in_title | Q(ref__iexact=words.lstrip("#")))


def _statuses(mirrors: QuerySet[Mirror]) -> list[MirrorStatus]:
    now = timezone.now()
    runs = SyncRun.objects.filter(mirror=OuterRef("pk")).order_by("-started_at", "-pk")
    rows = list(
        mirrors.select_related("repository__framework", "cursor", "keywords").annotate(
            last_id=Subquery(runs.exclude(status=SyncRun.Status.RUNNING).values("pk")[:1]),
            running_id=Subquery(runs.filter(status=SyncRun.Status.RUNNING).values("pk")[:1]),
        )
    )
    run_of = SyncRun.objects.in_bulk({*(row.last_id for row in rows), *(row.running_id for row in rows)} - {None})
    held = _held(_changed_at(rows, run_of, now))
    ids = [row.pk for row in rows]
    left_out = _count_by_mirror(LeftOut.objects.filter(mirror__in=ids, overruled_at__isnull=True))
    pending = _count_by_mirror(Pending.objects.filter(mirror__in=ids))
    days = _days(ids, now)
    return [
        MirrorStatus(
            mirror=row,
            cursor=row.cursor if hasattr(row, "cursor") else Cursor(mirror=row),
            now=now,
            held=held.get(row.repository_id, Held()),
            left_out=left_out.get(row.pk, 0),
            pending=pending.get(row.pk, 0),
            last=run_of.get(row.last_id),
            running=run_of.get(row.running_id),
            day=days.get(row.pk, LastDay()),
        )
        for row in rows
    ]


def _mirrored() -> QuerySet[Issue]:
    return Issue.objects.filter(deleted_at__isnull=True, moved_to="").exclude(node_id="")


def _held(changed_at: Mapping[int, dt.datetime]) -> dict[int, Held]:
    """What repositories hold, by their id; `changed_at`: when a run last wrote to each of them."""
    try:
        counted_at, counts = cache.get(COUNTS) or (None, {})
        if counted_at is None:
            counted_at, counts = timezone.now(), _count_held(_mirrored())
            cache.set(COUNTS, (counted_at, counts), COUNTS_KEPT)
    except redis.RedisError:
        return _count_held(_mirrored())
    newer = [repository for repository, moment in changed_at.items() if moment > counted_at]
    if not newer:
        return counts
    return counts | _count_held(_mirrored().filter(repository__in=newer))


def _changed_at(rows: Iterable[Mirror], run_of: Mapping[int, SyncRun], now: dt.datetime) -> dict[int, dt.datetime]:
    """When a run last wrote to each repository: now, while one goes on."""
    changed_at: dict[int, dt.datetime] = {}
    for row in rows:
        last = run_of.get(row.last_id)  # type: ignore[attr-defined]
        if row.running_id:  # type: ignore[attr-defined]
            changed_at[row.repository_id] = now
        elif last is not None and last.finished_at is not None:
            changed_at[row.repository_id] = last.finished_at
    return changed_at


def _count_held(issues: QuerySet[Issue]) -> dict[int, Held]:
    counted = issues.order_by().values("repository").annotate(
        issues=Count("pk", filter=Q(kind=Kind.ISSUE)), pulls=Count("pk", filter=Q(kind=Kind.PULL_REQUEST))
    )  # fmt: skip
    return {row["repository"]: Held(row["issues"], row["pulls"]) for row in counted}


def _count_by_mirror(rows: "QuerySet[LeftOut] | QuerySet[Pending]") -> dict[int, int]:
    counted = rows.order_by().values("mirror").annotate(number=Count("pk"))
    return {row["mirror"]: row["number"] for row in counted}


def _days(mirrors: Sequence[int], now: dt.datetime) -> Mapping[int, LastDay]:
    began = now - DAY
    place = Floor((Extract("started_at", "epoch") - began.timestamp()) / BIN.total_seconds())
    rows = (
        SyncRun.objects.filter(mirror__in=mirrors, started_at__gte=began)
        .order_by()
        .values("mirror", place=place)
        .annotate(
            asked=Sum("requests"),
            same=Sum("not_modified"),
            age=Max("lag_seconds", filter=Q(kind=SyncRun.Kind.POLL)),
        )
    )
    days: dict[int, LastDay] = defaultdict(LastDay)
    for row in rows:
        day = days[row["mirror"]]
        ages = list(day.ages)
        ages[min(max(int(row["place"]), 0), BINS - 1)] = row["age"]
        days[row["mirror"]] = LastDay(day.requests + row["asked"], day.not_modified + row["same"], tuple(ages))
    return days
