"""Runs web, worker and beat until one dies or somebody asks to stop; honcho does the running.

Here is only what we ask of it beyond that: logs in files, a watch on the servers, a readiness check, and
children that die with us.
"""

import logging
import multiprocessing
import re
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from honcho import manager as honcho_manager  # type: ignore[import-untyped]
from honcho import process as honcho_process  # type: ignore[import-untyped]

from config.embedded import leftovers
from config.embedded.progress import last_lines, say

LOG_SIZE = 5_000_000
TROUBLE = re.compile(r"\b(ERROR|CRITICAL)\b")


class Server(Protocol):
    """A database or broker that was started before."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def log(self) -> Path:
        """Where it writes what happens."""

    def alive(self) -> bool:
        """Say whether it runs."""


class Child(honcho_process.Popen):  # type: ignore[misc]  # honcho has no types
    """A process of ours, which is asked to stop when whoever started it dies."""

    def __init__(self, cmd: str, **options: Any) -> None:
        super().__init__(cmd, preexec_fn=leftovers.die_with_parent(signal.SIGTERM), **options)


class Runner(honcho_process.Process):  # type: ignore[misc]
    """Honcho's go-between, which starts one process and passes on what it prints."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._child_ctor = Child

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:
        """Die with the supervisor; nobody would read the process's output any more."""
        leftovers.die_with_parent(signal.SIGKILL)() if multiprocessing.parent_process() is None else bind_to_parent()
        super().run(events, ignore_signals)
