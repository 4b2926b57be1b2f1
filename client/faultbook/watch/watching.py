"""The loop: bytes through, signals on, stalls noticed, until the command has ended. Nothing is diagnosed here."""

import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf

from faultbook.watch.child import stop_like
from faultbook.watch.rank_logs import RankLogs
from faultbook.watch.rhythm import Rhythm, Stall
from faultbook.watch.signals import Signals
from faultbook.watch.spool import Spool
from faultbook.watch.streams import Stream
from faultbook.watch.watched import Run

# After a little was passed on, so long is slept before more is, and longer while more comes: many lines share a turn.
SHORTEST, LONGEST, LITTLE = 0.002, 0.016, 16 << 10
# What was passed on is listened to so often, or once it is so much; in between, the loop turns so often at least.
NEXT, MUCH = 0.05, 64 << 10
TICK, LOOK = 1.0, 5.0
# What the command's own children may still write after its end is waited for so long.
GRACE = 0.25
# A run that stands still and is to be ended has so long to end by itself.
UNTIL_KILL = 60.0
STOPS = frozenset({signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})


class Watch:
    """Passes on and listens. `on_change` is called when the run stands still, and when it moves again.

    `least`: seconds that no stall is shorter than; `kills`: a run that stands still is ended. `reporters`: processes of
    ours whose end is waited for.
    """

    def __init__(
        self,
        run: Run,
        streams: Sequence[Stream],
        signals: Signals,
        logs: RankLogs,
        least: float,
        on_change: Callable[[Stall], None],
        *,
        kills: bool = False,
    ) -> None:
        self._run, self._streams, self._signals, self._logs = run, streams, signals, logs
        self.spool = Spool()
        self.reporters: set[int] = set()
        self.has_found_failure = False
        self.notes: dict[str, None] = {}
        self._rhythm = Rhythm(least, run.began)
        self._look = min(LOOK, least / 16)
        self._tick = min(TICK, self._look)
        self._looked = run.began
        self._on_change = on_change
        self._kills, self._kill_at = kills, inf
        self._stall: Stall | None = None
        self._heard: list[tuple[int, bytes]] = []
        self._unheard = 0
        self._nap = SHORTEST
        self._listened = run.began
        self._between = min(NEXT, self._look)
        self._wanted: dict[int, Stream] = {}
        self._polled: list[int] = []
        self._poll = select.poll()
        for descriptor in (signals.own, signals.witnessed):
            self._poll.register(descriptor, select.POLLIN)

    def until_end(self) -> None:
        """Watch until the command has ended and what it wrote is passed on; of a pipe, until that ends."""
        quiet_since = time.monotonic()
        while self._is_running and (self._run.process is not None or (self.has_more and not self._run.told)):
            self._turn(self._tick)
            quiet_since = time.monotonic()
        if self._run.ended is None:
            self._run.ended = quiet_since
        while self.has_more and time.monotonic() - quiet_since < GRACE:
            if self._turn(GRACE / 8) or self._is_held_up:
                quiet_since = time.monotonic()
        self._listen_safely(time.monotonic(), 0.0)
        # What a command writes when it is ended is no motion.
        if not (self._run.told or self._run.was_killed):
            self._notice_motion(time.monotonic())

    def until_reported(self) -> None:
        """Pass on what still comes until all reports are out. A signal to end ends them."""
        while self.reporters:
            self._run.told = None
            self._turn(self._tick)
            if self._run.told:
                for process in self.reporters:
                    os.kill(process, signal.SIGKILL)

    def pass_on_for_ever(self) -> None:
        """Pass on until nothing more can come, whatever signals come."""
        while self.has_more:
            self._turn(self._tick)

    @property
    def has_more(self) -> bool:
        """Whether something is or may come to be passed on."""
        return any(stream.source is not None or stream.is_held_up for stream in self._streams)

    @property
    def _is_running(self) -> bool:
        return self._run.ended is None

    @property
    def _is_held_up(self) -> bool:
        return any(stream.is_held_up for stream in self._streams)

    def _turn(self, timeout: float) -> int:
        """Wait for something, or for so long, and do what is to be done. Returns how much was passed on."""
        wanted = self._wanted or self._want()
        before = time.monotonic()
        wait = NEXT if self._signals.is_waiting or self._heard else timeout
        ready = self._poll.poll(min(wait, timeout) * 1_000)
        now = time.monotonic()
        moved, has_signal = 0, self._signals.is_waiting
        for descriptor, _ in ready:
            stream = wanted.get(descriptor)
            if stream is None:
                has_signal = True
                continue
            moved += stream.serve(self._heard)
            if stream.wanted != descriptor:
                self._wanted = {}
        self._unheard += moved
        if has_signal:
            self._heed_signals(now)
        if now - self._listened >= self._between or self._unheard >= MUCH:
            self._listen_safely(now, now - before)
        if 0 < moved < LITTLE:
            self._nap = min(2 * self._nap, LONGEST) if now - before < NEXT / 2 else SHORTEST
            time.sleep(self._nap)
        return moved

    def _want(self) -> Mapping[int, Stream]:
        """Have the poll ask for what can be done about each stream now; returns them by the descriptors asked for."""
        for descriptor in self._polled:
            self._poll.unregister(descriptor)
        self._wanted = {stream.wanted: stream for stream in self._streams if stream.wanted is not None}
        for descriptor, stream in self._wanted.items():
            self._poll.register(descriptor, select.POLLOUT if stream.is_held_up else select.POLLIN)
        self._polled = list(self._wanted)
        return self._wanted

    def _listen_safely(self, now: float, waited: float) -> None:
        """Listen; what goes wrong with that is noted for the report, and the run does not notice it."""
        try:
            self._listen(now, waited)
        except Exception as problem:  # noqa: BLE001 - whatever it is, bytes and signals are to pass
            self._heard.clear()
            self._unheard = 0
            self.notes[f"Some of the run was not listened to: {problem!r}."] = None

    def _listen(self, now: float, waited: float) -> None:
        """Hear what was passed on, and now and then see to the rest."""
        self._listened = now
        if self._heard:
            self._rhythm.hear(b"".join([written for _, written in self._heard]), now)
            for name, written in self._heard:
                self.spool.add(name, written)
            self._heard.clear()
            self._unheard = 0
        if self._is_running and now - self._looked >= self._look:
            # In longer times than it can have waited we were stopped, or the machine slept.
            self._look_round(now, is_excused=waited > self._tick + LOOK or self._is_held_up)

    def _heed_signals(self, now: float) -> None:
        """Take in what came, and hand on what was for us alone."""
        self._signals.heed_witness(now)
        for number in self._signals.came(now):
            if number == signal.SIGCHLD:
                self._reap()
            elif number in ENDS:
                self._run.told = number
            elif number == signal.SIGWINCH and sum(stream.resize() for stream in self._streams):
                self._hand_on(number)
        for number in self._signals.due(now):
            self._hand_on(number)

    def _hand_on(self, number: int) -> None:
        # One that runs as another user may not be sent any.
        with suppress(OSError):
            if self._run.process is not None and self._is_running:
                os.kill(self._run.process, number)

    def _reap(self) -> None:
        """Take notice of children that ended, or of the command's being stopped."""
        with suppress(ChildProcessError):
            while (child := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
                process, status = child
                if process != self._run.process:
                    self.reporters.discard(process)
                    self.has_found_failure = os.waitstatus_to_exitcode(status) == 1
                elif not os.WIFSTOPPED(status):
                    self._run.status, self._run.ended = status, time.monotonic()
                elif os.WSTOPSIG(status) in STOPS:
                    before = time.monotonic()
                    stop_like(os.WSTOPSIG(status))
                    self._rhythm.shift(time.monotonic() - before)

    def _look_round(self, now: float, *, is_excused: bool) -> None:
        """Look at the ranks' files, and whether the run stands still or moves again.

        `is_excused`: the time since the last look does not count, for the run could not move, or not be seen to.
        """
        if is_excused:
            self._rhythm.shift(now - self._looked)
        self._looked = now
        if now >= self._kill_at:
            self._hand_on(signal.SIGKILL)
        for written in self._logs.look():
            self._rhythm.hear(written, now)
        if self._stall is None:
            self._stall = self._rhythm.stall(now, self._run.began)
            if self._stall is not None:
                self._run.stalls.append(self._stall)
                self._on_change(self._stall)
                if self._kills:
                    self._run.was_killed = True
                    self._kill_at = now + UNTIL_KILL
                    self._hand_on(signal.SIGTERM)
        else:
            self._notice_motion(now)

    def _notice_motion(self, now: float) -> None:
        if self._stall is not None and self._rhythm.moved_since(self._run.began + self._stall.noticed):
            self._stall.again = now - self._run.began
            self._on_change(self._stall)
            self._stall = None
