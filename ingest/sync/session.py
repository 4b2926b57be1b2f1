"""One run of one mirror while it goes on: who asks, what was done so far, when to stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ingest.hosts import Host
from ingest.models import Cursor, Mirror, SyncRun
from kb.models import Kind, Repository

COUNTED = ("pages", "created", "updated", "unchanged", "left_out", "detailed", "deleted", "moved")
ASKED = ("requests", "not_modified", "waited_seconds", "budget_left")
# So often, in seconds, those who watch are told how far the run has come.
TOLD_EVERY = 0.5


class OutOfTimeError(Exception):
    """The run has used up its time; another one goes on."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come: issues and pull requests held of those expected, details fetched of those pending."""

    listed: int
    expected: int | None
    detailed: int
    pending: int | None


Tell = Callable[[Progress], None]


def say_nothing(_progress: Progress) -> None:
    """A `Tell` for those who want no progress."""


def detailed_kinds(host: Host) -> tuple[Kind, ...]:
    """Of which kinds this host gives more than its lists tell."""
    return (Kind.ISSUE, Kind.PULL_REQUEST) if host.reads_pull_comments else (Kind.ISSUE,)


@dataclass
class Session:
    """A run that goes on. `until` is by `time.monotonic`."""

    mirror: Mirror
    cursor: Cursor
    host: Host
    run: SyncRun
    until: float
    tell: Tell = say_nothing
    listed: int = 0
    pending: int | None = None
    problems: list[str] = field(default_factory=list)
    _told_at: float = 0.0

    @property
    def is_watched(self) -> bool:
        """Whether somebody waits for this run."""
        return self.tell is not say_nothing

    @property
    def repository(self) -> Repository:
        """The repository that is mirrored."""
        return self.mirror.repository

    @property
    def detailed_kinds(self) -> tuple[Kind, ...]:
        """Of which kinds there is more to be had than the lists tell."""
        return detailed_kinds(self.host)

    def check_time(self) -> None:
        """Raise `OutOfTimeError` when the run's time is over; called where stopping loses nothing."""
        if time.monotonic() > self.until:
            raise OutOfTimeError

    def note_asked(self) -> None:
        """Write into the run what was asked so far."""
        counts, run = self.host.counted(), self.run
        run.requests, run.not_modified = counts.requests, counts.not_modified
        run.waited_seconds, run.budget_left = counts.waited_seconds, counts.budget_left

    def say(self) -> None:
        """Keep the run's counts and tell those who watch, not too often."""
        now = time.monotonic()
        if now - self._told_at < TOLD_EVERY:
            return
        self._told_at = now
        self.note_asked()
        self.run.save(update_fields=[*COUNTED, *ASKED])
        self.tell(Progress(self.listed, self.cursor.expected, self.run.detailed, self.pending))
