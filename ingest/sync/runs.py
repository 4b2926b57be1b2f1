"""A mirror's run from beginning to end: alone on its repository, counted, and always with a reason why it stopped."""

import datetime as dt
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from django.db.models import F
from django.utils import timezone

from ingest.hosts import Host
from ingest.hosts.errors import HostError, LimitedError
from ingest.models import Cursor, Mirror, Pending, SyncRun
from ingest.services.mirrors import lock_name
from ingest.sync.session import ASKED, COUNTED, OutOfTimeError, Session, Tell, say_nothing
from kb.services.locks import LockHeldError, session_lock

LONGEST_REST = dt.timedelta(days=1)
MOST_PROBLEMS = 5
# A worker may be killed for reasons of its own; a mirror that kills each of its workers must leave some to the others.
DEATHS_AT_ONCE = 3
ENDED = ["status", "finished_at", "problem", "advice"]
OF_POLL = ["fresh_at", "resume_at", "due_at", "failures"]

Work = Callable[[Session], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `is_complete` only when the mirror has everything the host lists."""

    run: SyncRun
    is_complete: bool
    resume_at: dt.datetime | None = None


def run_alone(
    *, mirror: Mirror, host: Host, kind: SyncRun.Kind, work: Work, seconds: float, tell: Tell = say_nothing,
    wait_seconds: float = 0.0,
) -> Outcome:  # fmt: skip
    """Do `work` within a run of at most `seconds`, with nobody else writing this mirror.

    Raises `LockHeldError` when somebody else does. A host's errors end the run; they are told in it, not raised.
    """
    with session_lock(lock_name(mirror), wait_seconds=wait_seconds):
        end_killed(mirror)
        cursor, _ = Cursor.objects.get_or_create(mirror=mirror)
        lag_seconds = (timezone.now() - cursor.fresh_at).total_seconds() if cursor.fresh_at else None
        run = SyncRun.objects.create(mirror=mirror, kind=kind, lag_seconds=lag_seconds)
        session = Session(mirror, cursor, host, run, time.monotonic() + seconds, tell)
        if cursor.resume_at and cursor.resume_at > timezone.now():
            return _limited(
                session, LimitedError("The host's limit still holds", resume_at=cursor.resume_at.timestamp())
            )
        return _do(session, work)


def _do(session: Session, work: Work) -> Outcome:
    try:
        work(session)
    except OutOfTimeError:
        return _ended(session, SyncRun.Status.PAUSED)
    except LimitedError as error:
        session.note_asked()
        return _limited(session, error)
    except HostError as error:
        session.run.problem, session.run.advice = f"{error}.", error.advice
        return _ended(session, SyncRun.Status.FAILED)
    return _ended(session, SyncRun.Status.DONE)


def _ended(session: Session, status: SyncRun.Status) -> Outcome:
    session.note_asked()
    cursor, run, now = session.cursor, session.run, timezone.now()
    complete = (
        status == SyncRun.Status.DONE
        and cursor.is_complete
        and not Pending.objects.filter(mirror=session.mirror).exists()
    )
    if session.problems and not run.problem:
        run.problem = "Not everything could be read: " + "; ".join(session.problems[:MOST_PROBLEMS]) + "."
        complete = False
    cursor.resume_at = None
    # Only asking what is new tells that nothing else is new, and only that has to come round at intervals.
    if run.kind == SyncRun.Kind.POLL:
        if complete:
            cursor.fresh_at = run.started_at
        cursor.failures = cursor.failures + 1 if status == SyncRun.Status.FAILED else 0
        cursor.due_at = now
        if status != SyncRun.Status.PAUSED:
            cursor.due_at += _rest(session.mirror, cursor.failures)
    return _kept(session, status, Outcome(run, complete))


def _limited(session: Session, error: LimitedError) -> Outcome:
    resume_at = dt.datetime.fromtimestamp(error.resume_at, dt.UTC)
    session.run.problem, session.run.advice = f"{error}.", error.advice
    session.cursor.resume_at = resume_at
    if session.run.kind == SyncRun.Kind.POLL:
        session.cursor.due_at = resume_at
    return _kept(session, SyncRun.Status.LIMITED, Outcome(session.run, False, resume_at))


def _kept(session: Session, status: SyncRun.Status, outcome: Outcome) -> Outcome:
    session.run.status, session.run.finished_at = status, timezone.now()
    session.run.save(update_fields=[*ENDED, *ASKED, *COUNTED])
    session.cursor.save(update_fields=OF_POLL if session.run.kind == SyncRun.Kind.POLL else ["resume_at"])
    return outcome


def _rest(mirror: Mirror, failures: int) -> dt.timedelta:
    """Until the next run: the interval, doubled with each failure in a row, a day at most."""
    doubled: dt.timedelta = mirror.interval * 2 ** min(failures, 20)
    return min(doubled, max(LONGEST_REST, mirror.interval))


def take_over_killed() -> None:
    """Let the mirrors go on whose worker died: the lock of each ended with its worker, so that whoever gets it knows.

    Nothing else tells it as quickly. A mirror whose workers die again and again rests like one that fails.
    """
    for mirror in Mirror.objects.filter(runs__status=SyncRun.Status.RUNNING).distinct():
        with suppress(LockHeldError), session_lock(lock_name(mirror)):
            if end_killed(mirror):
                cursor = Cursor.objects.get(mirror=mirror)
                cursor.due_at = timezone.now()
                if cursor.failures > DEATHS_AT_ONCE:
                    cursor.due_at += _rest(mirror, cursor.failures - DEATHS_AT_ONCE)
                cursor.save(update_fields=["due_at"])


def end_killed(mirror: Mirror) -> bool:
    """End the runs of those who died, by whoever holds the lock; returns whether there were any."""
    now = timezone.now()
    dead = SyncRun.objects.filter(mirror=mirror, status=SyncRun.Status.RUNNING).update(
        status=SyncRun.Status.INTERRUPTED,
        finished_at=now,
        problem=f"Its worker died; resumed at {now:%H:%M:%S} UTC.",
    )
    Cursor.objects.filter(mirror=mirror).update(failures=F("failures") + dead)
    return bool(dead)
