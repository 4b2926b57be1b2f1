"""A watched run as a whole: what stands between it and us, who is told what, and how it ends."""

import os
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable

from faultbook.watch.child import end_like, start
from faultbook.watch.launchers import patterns_of
from faultbook.watch.parts import marked
from faultbook.watch.rank_logs import RankLogs
from faultbook.watch.rhythm import Stall
from faultbook.watch.signals import HANDED_ON, Signals
from faultbook.watch.streams import OUTPUT, Stream, streams_for_command
from faultbook.watch.watched import Run
from faultbook.watch.watching import ENDS, Watch

PIPE = ["-"]
DIAGNOSIS_LIMIT = 300


class Watcher:
    """A run and all that watches it."""

    def __init__(self, options: Namespace, command: list[str]) -> None:
        self._options = options
        self._is_pipe = command == PIPE
        self._streams, files = ([Stream((OUTPUT,), 0, None, OUTPUT)], []) if self._is_pipe else streams_for_command()
        self._signals = Signals(tuple(ENDS) if self._is_pipe else HANDED_ON)
        self._run = Run(command, time.monotonic())
        self._logs = RankLogs([*files, *options.logs, *patterns_of(command, os.environ)])
        self._watch = Watch(
            self._run,
            self._streams,
            self._signals,
            self._logs,
            options.min_quiet,
            self._tell_change,
            kills=options.kill_on_hang,
        )

    def watch(self) -> int:
        """Watch until the end, and end as the command did. Raises `CannotStartError`."""
        if not self._is_pipe:
            self._run.process = start(self._run.command, self._streams)
        self._watch.until_end()
        options = self._options
        if self._is_pipe or options.report or options.on_failure or not options.quiet:
            self._fork(lambda: self._tell(None))
        self._watch.until_reported()
        if self._watch.has_more and not self._is_pipe:
            self._leave_behind()
        if self._run.status is None:
            return int(self._watch.has_found_failure)
        return end_like(self._run.status)

    def _leave_behind(self) -> None:
        """Leave a process that passes on what the command's own children still write."""
        if not os.fork():
            self._signals.dismiss_witness()
            self._watch.pass_on_for_ever()
            os._exit(0)

    def _tell_change(self, stall: Stall) -> None:
        """Tell of a stall, or of its end."""
        if stall.again is None:
            self._fork(lambda: self._tell(stall))
        elif not self._options.quiet:
            self._fork(lambda: self._tell_motion(stall))

    def _tell_motion(self, stall: Stall) -> int:
        from faultbook.watch.report import duration

        stood = (stall.again or 0.0) - stall.noticed + stall.quiet
        sys.stderr.write("\n" + marked(f"the run moves again, after {duration(stood)}."))
        sys.stderr.flush()
        return 0

    def _tell(self, stall: Stall | None) -> int:
        from faultbook.watch.report import Report

        if stall is not None:
            # The run may still be at work.
            os.nice(10)
        spool = self._watch.spool
        parts = [part for part in (spool.part(), *self._logs.parts()) if part.has_words]
        notes = [*self._watch.notes, *filter(None, [spool.problem])]
        return Report(self._run, self._options, notes, stall).tell(parts)

    def _fork(self, action: Callable[[], int]) -> None:
        """Do it in a process of its own, which may fail or take as long as it likes."""
        try:
            process = os.fork()
        except OSError as refusal:
            self._watch.notes[f"There was no process for a report: {refusal.strerror}."] = None
            return
        if process:
            self._watch.reporters.add(process)
            return
        code = 0
        try:
            self._signals.usual_again()
            signal.signal(signal.SIGALRM, _take_no_longer)
            signal.alarm(DIAGNOSIS_LIMIT)
            for stream in self._streams:
                stream.end()
            code = action()
        except Exception as problem:  # noqa: BLE001 - whatever it is, the run is not to notice
            sys.stderr.write(marked(f"There is no report: {problem}"))
        sys.exit(code)


def _take_no_longer(_number: int, _frame: object) -> None:
    raise TimeoutError(f"it took longer than {DIAGNOSIS_LIMIT} s")
