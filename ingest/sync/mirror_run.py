"""What a run over a mirror does: bring it up to date, or look at everything again. Single issues: `refetch.py`."""

import datetime as dt

from django.db.models import Count, Q
from django.utils import timezone

from ingest.hosts import Census, Host
from ingest.models import Cursor, LeftOut, Mirror, SyncRun
from ingest.sync.details import fetch_details
from ingest.sync.labels import follow_labels
from ingest.sync.pace import Pace, is_small, looked_at
from ingest.sync.pages import read_changes
from ingest.sync.runs import Outcome, run_alone
from ingest.sync.session import Session, Tell, say_nothing
from ingest.sync.sweep import sweep
from kb.models import Issue

LOOK_AT_ALL_EVERY = dt.timedelta(days=1)
FOREVER = 10 * 365 * 24 * 3600.0


def bring_up_to_date(
    *, mirror: Mirror, host: Host, seconds: float = FOREVER, tell: Tell = say_nothing, wait_seconds: float = 0.0
) -> Outcome:
    """Read what changed on the host, fetch its details, and compare how much there is. Raises `LockHeldError`."""
    return run_alone(
        mirror=mirror, host=host, kind=SyncRun.Kind.POLL, work=_catch_up, seconds=seconds, tell=tell,
        wait_seconds=wait_seconds,
    )  # fmt: skip


def sweep_share(*, mirror: Mirror, host: Host, pace: Pace, elapsed: dt.timedelta | None, seconds: float) -> Outcome:
    """Look again at as many issues as fell due since the last look. Raises `LockHeldError`."""

    def work(session: Session) -> None:
        cursor = session.cursor
        sweep(session, most=pace.share(elapsed))
        left = looked_at(host).filter(repository=mirror.repository, pk__gt=cursor.swept_up_to).count()
        cursor.all_seen_by = timezone.now() + pace.time_for(left)
        cursor.save(update_fields=["all_seen_by"])
        fetch_details(session)

    return run_alone(mirror=mirror, host=host, kind=SyncRun.Kind.SWEEP, work=work, seconds=seconds)


def sweep_on(*, mirror: Mirror, host: Host, seconds: float) -> Outcome:
    """Go on to the end with a sweep that somebody asked for. Raises `LockHeldError`."""

    def work(session: Session) -> None:
        sweep(session)
        fetch_details(session)

    return run_alone(mirror=mirror, host=host, kind=SyncRun.Kind.SWEEP, work=work, seconds=seconds)


def sweep_all(*, mirror: Mirror, host: Host, tell: Tell = say_nothing) -> Outcome:
    """Look at all issues again. Raises `LockHeldError`."""

    def work(session: Session) -> None:
        session.cursor.swept_up_to = 0
        sweep(session)
        fetch_details(session)

    return run_alone(mirror=mirror, host=host, kind=SyncRun.Kind.SWEEP, work=work, seconds=FOREVER, tell=tell)


def is_quickly_seen(*, mirror: Mirror, host: Host) -> bool:
    """Return whether a mirror was complete before, and is so small that a few requests show all of it."""
    was_complete = Cursor.objects.filter(mirror=mirror, fresh_at__isnull=False).exists()
    return was_complete and is_small(repository=mirror.repository, host=host)


def _catch_up(session: Session) -> None:
    cursor = session.cursor
    if not cursor.is_complete and cursor.expected is None:
        _expect(session)
    follow_labels(session)
    is_new = read_changes(session)
    fetch_details(session)
    if is_new:
        _compare(session)


def _expect(session: Session) -> Census | None:
    census = session.host.census(repository=session.repository.full_name)
    if census is not None:
        session.cursor.expected = census.issues + census.pull_requests
        session.cursor.save(update_fields=["expected"])
    return census


def _compare(session: Session) -> None:
    """Compare how much there is here and there; where it differs, find out why."""
    if session.mirror.backfill_from is not None or _agrees(session):
        return
    # Most often something was opened or closed between listing and counting.
    read_changes(session)
    fetch_details(session)
    if _agrees(session):
        return
    # Looking at everything takes many requests: in the background once a day, for a person who waits always.
    compared_at = session.cursor.compared_at
    if not session.is_watched and compared_at is not None and timezone.now() - compared_at <= LOOK_AT_ALL_EVERY:
        return
    cursor, gap = session.cursor, _gap(session, _expect(session))
    if gap:
        issues, open_issues, pulls = gap
        if issues < 0 or pulls < 0 or open_issues != 0:
            cursor.swept_up_to = 0
            sweep(session)
        if issues > 0 or pulls > 0:
            cursor.updated_at, cursor.next_url, cursor.is_complete = None, "", False
            read_changes(session)
    fetch_details(session)
    # What is counted but listed nowhere, such as issues of accounts that the host hides, will not come by asking again.
    cursor.known_gap = _gap(session, _expect(session))
    cursor.compared_at = timezone.now()
    cursor.save(update_fields=["known_gap", "compared_at"])


def _agrees(session: Session) -> bool:
    return _gap(session, _expect(session)) == session.cursor.known_gap


def _gap(session: Session, census: Census | None) -> list[int]:
    """How many more issues, open issues and pull requests the host counts than we hold; empty when they agree."""
    if census is None:
        return []
    ours = held(mirror=session.mirror)
    # Of what was left out we do not keep whether it is open.
    more_open = 0 if session.mirror.keywords_id else census.open_issues - ours.open_issues
    gap = [census.issues - ours.issues, more_open, census.pull_requests - ours.pull_requests]
    return gap if any(gap) else []


def held(*, mirror: Mirror) -> Census:
    """Count what the mirror has, what its keywords left out included."""
    present = Issue.objects.filter(repository=mirror.repository, deleted_at__isnull=True, moved_to="")
    kept = present.exclude(node_id="").aggregate(
        issues=Count("pk", filter=Q(kind="issue")),
        open_issues=Count("pk", filter=Q(kind="issue", state="open")),
        pull_requests=Count("pk", filter=Q(kind="pull_request")),
    )  # fmt: skip
    left_out = LeftOut.objects.filter(mirror=mirror, overruled_at__isnull=True).aggregate(
        issues=Count("pk", filter=Q(kind="issue")), pull_requests=Count("pk", filter=Q(kind="pull_request"))
    )
    return Census(
        kept["issues"] + left_out["issues"],
        kept["open_issues"],
        kept["pull_requests"] + left_out["pull_requests"],
    )
