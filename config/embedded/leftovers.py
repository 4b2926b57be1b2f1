"""Processes that outlive their supervisor: how they are told to die with it, found, and stopped.

A process belongs to a data folder when it carries the folder's mark in its environment, or when it is a
database or broker that works inside the folder. Process numbers alone are never trusted: they are reused.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

MARK = "FAULTBOOK_INSTANCE"
# Both servers overwrite their environment with their title, so these are known by where they work.
SERVERS = {"postgres", "valkey-server"}
PATIENCE = 8.0
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with(parent: int, signum: int) -> None:
    """Have the kernel send this process a signal when its parent dies, however it dies.

    Only Linux can do this; elsewhere the next `make up` or `make down` stops what was left over.
    """
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os.kill(os.getpid(), signum)


def die_with_parent(signum: int) -> Callable[[], None]:
    """Return what a child of this process calls before it becomes another program."""
    parent = os.getpid()
    return lambda: die_with(parent, signum)


def marked(data: Path) -> dict[str, str]:
    """Return the mark that processes of this data folder carry in their environment."""
    return {MARK: str(data)}


def find(data: Path) -> list[psutil.Process]:
    """Return every process that belongs to this data folder, except this one and those above it."""
    own = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    return [process for process in psutil.process_iter() if process.pid not in own and belongs(process, data)]


def belongs(process: psutil.Process, data: Path) -> bool:
    """Say whether a process belongs to this data folder."""
    try:
        if process.name() in SERVERS:
            return Path(process.cwd()).is_relative_to(data)
        return process.environ().get(MARK) == str(data)
    except (psutil.Error, OSError):
        return False


def stop(processes: Iterable[psutil.Process], patience: float = PATIENCE) -> None:
    """Ask processes to stop, then make them."""
    left = list(processes)
    for process in left:
        ask(process)
    _, alive = psutil.wait_procs(left, timeout=patience)
    for process in alive:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(alive, timeout=patience)


def ask(process: psutil.Process) -> None:
    """Ask one process to stop, in the way it understands."""
    try:
        # To PostgreSQL, SIGTERM means: wait until every client has left.
        process.send_signal(signal.SIGINT if process.name() == "postgres" else signal.SIGTERM)
    except psutil.NoSuchProcess:
        return


def is_same(pid: int, created: float) -> bool:
    """Say whether this process number still means the process that was started at that time."""
    try:
        return abs(psutil.Process(pid).create_time() - created) < 1.0
    except psutil.Error:
        return False
