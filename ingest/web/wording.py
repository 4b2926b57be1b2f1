"""How mirrors are spoken of: moments, stretches of time, what state a mirror is in, what a run did. Pure texts."""

import datetime as dt
from dataclasses import dataclass

from ingest.models import SyncRun
from ingest.selectors.status import DAY, MirrorStatus

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
JUST_NOW = dt.timedelta(seconds=5)
RUN_KINDS = {
    SyncRun.Kind.POLL: "checked for changes",
    SyncRun.Kind.SWEEP: "rechecked issues",
    SyncRun.Kind.ONE: "read single issues again",
}


@dataclass(frozen=True)
class State:
    """A mirror's state: `mark` chooses its colour (good, wait, bad, off), `text` says it."""

    mark: str
    text: str


def stretch(time: dt.timedelta) -> str:
    """`4 minutes`, `1 hour`: the largest unit that fits, rounded down."""
    seconds = max(0, int(time.total_seconds()))
    for size, name in UNITS:
        number = seconds // size
        if number:
            return f"{number:,} {name}{'' if number == 1 else 's'}"
    return "0 seconds"


def ago(moment: dt.datetime, now: dt.datetime) -> str:
    """`4 minutes ago`."""
    return "just now" if now - moment < JUST_NOW else f"{stretch(now - moment)} ago"


def ahead(moment: dt.datetime, now: dt.datetime) -> str:
    """`in 4 minutes`, or `at once` for what is due."""
    return f"in {stretch(moment - now)}" if moment - now > JUST_NOW else "as soon as a worker is free"


def clock(moment: dt.datetime, now: dt.datetime) -> str:
    """`12:40 UTC`, with the day where it is another."""
    utc = moment.astimezone(dt.UTC)
    day = "" if utc.date() == now.astimezone(dt.UTC).date() else f"{utc.day} {utc:%B}, "
    return f"{day}{utc:%H:%M} UTC"


def state(status: MirrorStatus) -> State:
    """What to say of a mirror before anything else."""
    if not status.mirror.is_on:
        return State("off", "Switched off")
    if status.waits_until:
        return State("wait", f"Waiting for {status.mirror.repository.get_host_display()}")
    if status.has_failed:
        return State("bad", "The last run failed")
    if status.is_late:
        return State("bad", "Late")
    if status.cursor.fresh_at is not None:
        return State("good", "Up to date")
    return State("wait", "Being read for the first time" if status.last or status.running else "Not begun yet")


def freshness(status: MirrorStatus) -> str:
    """`the same as GitHub 4 minutes ago`."""
    if status.cursor.fresh_at is None:
        return "not complete yet"
    return f"the same as {status.mirror.repository.get_host_display()} {ago(status.cursor.fresh_at, status.now)}"


def seen(status: MirrorStatus) -> str:
    """`all seen since 12:40 UTC`; where that is more than a day ago, or never was, by when it should be."""
    since, by = status.seen_since, status.cursor.all_seen_by
    text = f"all seen since {clock(since, status.now)}" if since else "not all rechecked yet"
    is_old = since is None or status.now - since > DAY
    if is_old and by and by > status.now:
        return f"{text}; all by {clock(by, status.now)}"
    return text


def next_run(status: MirrorStatus) -> str:
    """When the mirror goes on."""
    if not status.mirror.is_on:
        return "none while it is off"
    if status.running:
        return "running now"
    if status.waits_until:
        host = status.mirror.repository.get_host_display()
        return f"{host} allows requests again at {clock(status.waits_until, status.now)}"
    return ahead(status.cursor.due_at or status.now, status.now)


def did(run: SyncRun) -> str:
    """What a run brought, in one line."""
    counts = (
        (run.created, "{} new"), (run.updated, "{} changed"), (run.left_out, "{} excluded"),
        (run.deleted, "{} deleted"), (run.moved, "{} moved"), (run.detailed, "comments and fixes of {}"),
    )  # fmt: skip
    brought = ", ".join(text.format(f"{number:,}") for number, text in counts if number)
    return f"{RUN_KINDS[SyncRun.Kind(run.kind)]}: {brought or 'nothing new'}"


def took(run: SyncRun) -> str:
    """How long a run took."""
    if run.duration is None:
        return "running"
    return "under a second" if run.duration < dt.timedelta(seconds=1) else stretch(run.duration)
