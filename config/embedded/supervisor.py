"""Runs web, workers, beat and indexer until one dies or somebody asks to stop; honcho does the running.

Here is only what we ask of it beyond that: logs in files, a watch on the servers, and children that die
with us. Which processes there are is said in `up.py`.
"""

import logging
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from honcho import manager as honcho_manager  # type: ignore[import-untyped]
from honcho import process as honcho_process
from honcho.compat import ProcessManager  # type: ignore[import-untyped]

from config.embedded import leftovers
from config.embedded.progress import last_lines, say
from config.embedded.terminal import Terminal

LOG_SIZE = 5_000_000
TROUBLE = re.compile(r"\b(ERROR|CRITICAL)\b")
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(Protocol):
    """A database or broker that was started before the processes that need it."""

    name: str
    log: Path

    def alive(self) -> bool:
        """Say whether it runs."""


class Child(honcho_process.Popen):  # type: ignore[misc]
    """A process that is asked to stop when whoever started it dies."""

    def __init__(self, cmd: str, **options: Any) -> None:
        super().__init__(cmd, preexec_fn=leftovers.die_with_parent(signal.SIGTERM), **options)
        threading.Thread(target=self.take_group_along, daemon=True).start()

    def take_group_along(self) -> None:
        """Kill what the process started and left behind; it would hold the port, and its output, open."""
        self.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


class Runner(honcho_process.Process):  # type: ignore[misc]
    """Honcho's go-between, which starts one process and passes on what it prints."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._child_ctor = Child

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:
        """Die with the supervisor, so that the process does too."""
        supervisor = multiprocessing.parent_process()
        if supervisor is not None and supervisor.pid is not None:
            leftovers.die_with(supervisor.pid, signal.SIGKILL)
        super().run(events, ignore_signals)


class Signals(ProcessManager):  # type: ignore[misc]
    """How processes are told to stop: asked one by one, killed with everything they started."""

    def terminate(self, pid: int) -> None:
        """Ask the process itself; a worker must finish its children's tasks, not see them killed."""
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            return


class LogFiles:
    """Honcho's printer: each process writes its own file, and only trouble reaches the terminal."""

    width = 0

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.quiet = False
        self._files: dict[str, RotatingFileHandler] = {}

    def path(self, name: str) -> Path:
        """Return the log of one process."""
        return self.folder / f"{name}.log"

    def write(self, message: Any) -> None:
        """Write down one line; `message` is honcho's."""
        data = message.data
        text = (data.decode("utf-8", "replace") if isinstance(data, bytes) else data).rstrip()
        own = message.name == "system"
        self._file(message.name).emit(
            logging.makeLogRecord({"msg": f"{message.time:%H:%M:%S.%f} {text}" if own else text})
        )
        if not own and not self.quiet and TROUBLE.search(text):
            say(f"{message.name}: {text}")

    def _file(self, name: str) -> RotatingFileHandler:
        """Return the open log of one process; the one of the last run is kept as `.log.1`."""
        if name not in self._files:
            path = self.path(name)
            handler = RotatingFileHandler(path, maxBytes=LOG_SIZE, backupCount=1, encoding="utf-8")
            if path.stat().st_size:
                handler.doRollover()
            self._files[name] = handler
        return self._files[name]


class Supervisor(honcho_manager.Manager):  # type: ignore[misc]
    """Runs the processes; `problem` says afterwards why it ended, when nobody asked for it."""

    def __init__(
        self, logs: Path, servers: Sequence[Server], terminal: Terminal, when_started: Callable[[], None]
    ) -> None:
        if sys.platform == "linux":
            # The kernel tells a process of its parent's death, and a fork server would be the parent.
            multiprocessing.set_start_method("fork", force=True)
        self.logs = LogFiles(logs)
        super().__init__(printer=self.logs)
        self.problem = ""
        self._asked = False
        self._servers = servers
        self._terminal = terminal
        self._when_started = when_started
        self._process_ctor = Runner
        self._procmgr = Signals()

    def ask_to_stop(self, problem: str = "") -> None:
        """Stop everything at the next tick; safe from a signal handler and from another thread."""
        if not self._asked:
            self.problem = problem
            self._asked = True

    def terminate(self) -> None:
        """Stop everything; what a process complains about while it is being stopped is for its log only."""
        self.logs.quiet = True
        super().terminate()

    @property
    def stopping(self) -> bool:
        """Say whether the end has begun."""
        return bool(self._asked or self._terminating)

    def _start(self) -> None:
        """Start everything, with our signal handlers: honcho's stumble when a process has no number yet."""
        super()._start()
        install_handlers(lambda _signum, _frame: self.ask_to_stop())
        self._when_started()

    def _any_stopped(self) -> bool:
        """Say whether it is time to stop, and note why; honcho asks ten times a second."""
        if self._terminal.gone():
            self.ask_to_stop()
        if self._asked:
            return True
        for server in self._servers:
            if not server.alive():
                self.ask_to_stop(died(server.name, "", server.log))
        for name, process in self._processes.items():
            if process.get("returncode") is not None:
                self.ask_to_stop(died(name, f" (exit code {process['returncode']})", self.logs.path(name)))
        return self._asked

    def _all_stopped(self) -> bool:
        """Say whether all is over; a killed go-between cannot tell, so that its process counts as killed."""
        for process in self._processes.values():
            if process["process"].exitcode and process.get("returncode") is None:
                process["returncode"] = -signal.SIGKILL
        return bool(super()._all_stopped())


def install_handlers(handler: Callable[[int, FrameType | None], None]) -> None:
    """Handle every signal that asks to stop; under nohup, losing the terminal does not."""
    for signum in STOPPING:
        if signum != signal.SIGHUP or signal.getsignal(signum) is not signal.SIG_IGN:
            signal.signal(signum, handler)


def died(name: str, how: str, log: Path) -> str:
    """Say that a process died and show the end of its log."""
    return f"{name} stopped unexpectedly{how}, so everything was stopped. The end of {log.name}:\n{last_lines(log)}"
