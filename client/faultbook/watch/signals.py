"""Signals to the watcher, handed on to the command where it would not have got them otherwise.

The command stays in the watcher's process group. What the terminal, a shell or a scheduler sends to the group or to all
processes of a job reaches it directly, and it must not get that twice. A witness in the same group tells which case it
is: what reaches it too was not for the watcher alone.
"""

import os
import signal
from collections.abc import Iterator, Sequence

HANDED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGTSTP", "SIGCONT")
)
# So long is waited for the witness, and so long its word counts.
WAIT, REMEMBERED = 0.25, 2.0


class Signals:
    """Those that came and are not yet handed on. Those that were ignored when it began stay so."""

    def __init__(self, numbers: Sequence[int] = HANDED_ON) -> None:
        self.numbers = tuple(number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN)
        self.own, writer = os.pipe()
        for end in (self.own, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (*self.numbers, signal.SIGCHLD):
            signal.signal(number, _noticed)
        self.witnessed, self._life = _witness()
        self._came: list[tuple[int, float]] = []
        self._seen: list[tuple[int, float]] = []

    def came(self, now: float) -> list[int]:
        """The signals that came just now, those of children among them."""
        numbers = _read(self.own)
        for number in numbers:
            if number in self.numbers and not _take(self._seen, number):
                self._came.append((number, now))
        return numbers

    def heed_witness(self, now: float) -> None:
        """Take back what was for the whole group."""
        for number in _read(self.witnessed):
            if not _take(self._came, number):
                self._seen.append((number, now))
        self._seen = [(number, when) for number, when in self._seen if now - when < REMEMBERED]

    def due(self, now: float) -> Iterator[int]:
        """Those to be handed on by now."""
        waited = [number for number, when in self._came if now - when >= WAIT]
        self._came = [(number, when) for number, when in self._came if now - when < WAIT]
        yield from waited

    def dismiss_witness(self) -> None:
        """End it, where the watcher's descriptors live longer than the watcher."""
        os.close(self._life)

    def usual_again(self) -> None:
        """Have signals do what they do by default, in a process that is forked to report."""
        signal.set_wakeup_fd(-1)
        for number in (*self.numbers, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)

    @property
    def is_waiting(self) -> bool:
        """Whether there is one of which it is not yet known who else got it."""
        return bool(self._came)


def _noticed(_number: int, _frame: object) -> None:
    """Wake the watcher up, by the descriptor that is set for that."""


def _read(descriptor: int) -> list[int]:
    try:
        return list(os.read(descriptor, 512))
    except BlockingIOError:
        return []


def _take(noted: list[tuple[int, float]], number: int) -> bool:
    """Whether the signal was noted; it is taken from the list then."""
    for place, (other, _) in enumerate(noted):
        if other == number:
            del noted[place]
            return True
    return False


def _witness() -> tuple[int, int]:
    """A process that notes each signal it gets: where that can be read, and what ends it when it is closed."""
    report, writer = os.pipe()
    life, kept = os.pipe()
    if os.fork():
        os.close(writer)
        os.close(life)
        os.set_blocking(report, False)
        return report, kept
    try:
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        null = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(null, standard)
        first, last = sorted((life, writer))
        for start, end in ((3, first), (first + 1, last), (last + 1, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(start, end)
        os.read(life, 1)
    finally:
        os._exit(0)
