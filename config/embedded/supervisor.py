"""Runs web, workers, beat and indexer until one dies or somebody asks to stop.

Each has its log, and dies with us; the servers are watched too. Which processes there are is said in `up.py`.
"""

import datetime as dt
import logging
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType
from typing import Protocol

from config.embedded import leftovers
from config.embedded.layout import ROOT
from config.embedded.progress import last_lines, say
from config.embedded.terminal import Terminal

LOG_SIZE = 5_000_000
TROUBLE = re.compile(r"\b(ERROR|CRITICAL)\b")
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SYSTEM = "system"
TICK_SECONDS = 0.1
# A process that has not ended so long after it was asked to is killed.
KILL_SECONDS = 5.0


class Server(Protocol):
    """A database or broker that was started before the processes that need it."""

    name: str
    log: Path

    def alive(self) -> bool:
        """Say whether it runs."""


class LogFiles:
    """Each process has its own file, and only trouble reaches the terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.quiet = False
        self._files: dict[str, RotatingFileHandler] = {}

    def path(self, name: str) -> Path:
        """Return the log of one process."""
        return self.folder / f"{name}.log"

    def write(self, name: str, line: str) -> None:
        """Write down one line of a process."""
        self._file(name).emit(logging.makeLogRecord({"msg": line}))
        if not self.quiet and TROUBLE.search(line):
            say(f"{name}: {line}")

    def note(self, event: str) -> None:
        """Write down what became of a process, with the time."""
        now = dt.datetime.now().astimezone()
        self._file(SYSTEM).emit(logging.makeLogRecord({"msg": f"{now:%H:%M:%S.%f} {event}"}))

    def _file(self, name: str) -> RotatingFileHandler:
        """Return the open log of one process; the one of the last run is kept as `.log.1`."""
        if name not in self._files:
            path = self.path(name)
            handler = RotatingFileHandler(path, maxBytes=LOG_SIZE, backupCount=1, encoding="utf-8")
            if path.stat().st_size:
                handler.doRollover()
            self._files[name] = handler
        return self._files[name]


class Process:
    """One process, in a group of its own; it is asked to stop when we die."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str], logs: LogFiles) -> None:
        self.name = name
        self._logs = logs
        self._popen = subprocess.Popen(  # noqa: S603 the commands are ours
            command,
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=leftovers.die_with_parent(signal.SIGTERM),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._is_over = False
        logs.note(f"{name} started (pid={self._popen.pid})")

    def exit_code(self) -> int | None:
        """Return how it ended, None while it runs; what it started and left behind is killed then.

        That would hold the port, and its output, open.
        """
        code = self._popen.poll()
        if code is not None and not self._is_over:
            self._is_over = True
            self.kill()
            self._reader.join(KILL_SECONDS)
            self._logs.note(f"{self.name} stopped (exit code {code})")
        return code

    def ask_to_stop(self) -> None:
        """Ask the process itself; a worker must finish its children's tasks, not see them killed."""
        self._popen.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it with everything that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def _read(self) -> None:
        for line in self._popen.stdout or ():
            self._logs.write(self.name, line.decode("utf-8", "replace").rstrip())


class Supervisor:
    """Runs the processes; `problem` says afterwards why it ended, when nobody asked for it."""

    def __init__(
        self, logs: Path, servers: Sequence[Server], terminal: Terminal, when_started: Callable[[], None]
    ) -> None:
        self.logs = LogFiles(logs)
        self.problem = ""
        self.stopping = False
        self._servers = servers
        self._terminal = terminal
        self._when_started = when_started
        self._processes: list[Process] = []

    def ask_to_stop(self, problem: str = "") -> None:
        """Stop everything at the next tick; safe from a signal handler and from another thread."""
        if not self.stopping:
            self.problem = problem
            self.stopping = True

    def run(self, commands: Mapping[str, Sequence[str]], env: Mapping[str, str]) -> None:
        """Start these commands, by name, and return when all have ended."""
        install_handlers(lambda _signum, _frame: self.ask_to_stop())
        try:
            for name, command in commands.items():
                self._processes.append(Process(name, command, env, self.logs))
            self._when_started()
            while not self.stopping:
                time.sleep(TICK_SECONDS)
                self._look()
        finally:
            self._stop()

    def _look(self) -> None:
        """Ask to stop where the terminal, a server or a process is gone."""
        if self._terminal.gone():
            self.ask_to_stop()
        for server in self._servers:
            if not server.alive():
                self.ask_to_stop(died(server.name, "", server.log))
        for process in self._processes:
            code = process.exit_code()
            if code is not None:
                self.ask_to_stop(died(process.name, f" (exit code {code})", self.logs.path(process.name)))

    def _stop(self) -> None:
        """Stop everything; what a process complains about while it is being stopped is for its log only."""
        self.stopping = self.logs.quiet = True
        for process in self._processes:
            process.ask_to_stop()
        until = time.monotonic() + KILL_SECONDS
        left = self._processes
        while left := [process for process in left if process.exit_code() is None]:
            if time.monotonic() > until:
                for process in left:
                    process.kill()
            time.sleep(TICK_SECONDS)


def install_handlers(handler: Callable[[int, FrameType | None], None]) -> None:
    """Handle every signal that asks to stop; under nohup, losing the terminal does not."""
    for signum in STOPPING:
        if signum != signal.SIGHUP or signal.getsignal(signum) is not signal.SIG_IGN:
            signal.signal(signum, handler)


def died(name: str, how: str, log: Path) -> str:
    """Say that a process died and show the end of its log."""
    return f"{name} stopped unexpectedly{how}, so everything was stopped. The end of {log.name}:\n{last_lines(log)}"
