"""The command: started with all that it would have without us, and its end, which becomes ours."""

import os
import resource
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from faultbook.watch.streams import Stream

# As a shell has it.
NOT_FOUND, NOT_EXECUTABLE, OF_SIGNALS = 127, 126, 128
# Python ignores these for itself.
USUAL_AGAIN = (signal.SIGPIPE, signal.SIGXFSZ)
COERCED = "LC_CTYPE"


class CannotStartError(Exception):
    """The command cannot be started. `code`: the exit code that a shell would have."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def start(command: Sequence[str], streams: Sequence[Stream]) -> int:
    """Start the command and return its process id. Raises `CannotStartError`.

    It keeps the process group, the controlling terminal, standard input and every open file that is not ours.
    """
    actions = [
        (os.POSIX_SPAWN_DUP2, stream.written, name)
        for stream in streams
        if stream.written is not None
        for name in stream.names
    ]
    try:
        process = os.posix_spawnp(
            command[0], list(command), _environment(), file_actions=actions, setsigdef=USUAL_AGAIN
        )
    except FileNotFoundError:
        raise CannotStartError(f"{command[0]} was not found. Is it installed, and on the PATH?", NOT_FOUND) from None
    except OSError as refusal:
        raise CannotStartError(f"{command[0]} cannot be started: {refusal.strerror}.", NOT_EXECUTABLE) from None
    for stream in streams:
        if stream.written is not None:
            os.close(stream.written)
    return process


def exit_code(status: int) -> int:
    """The exit code that a shell shows for this status."""
    return OF_SIGNALS + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def end_like(status: int) -> int:
    """End as the command did: by the same signal, where it was one; else, return its exit code."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # One dump of memory, the command's own, is enough.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return exit_code(status)


def stop_like(number: int) -> None:
    """Stop as the terminal stopped the command, until it is continued."""
    kept = signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    signal.signal(number, kept)


def _environment() -> dict[str, str]:
    """Ours, without what Python itself sets in it when it starts (PEP 538)."""
    environment = dict(os.environ)
    with suppress(OSError):
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
        if not any(entry.startswith(COERCED.encode() + b"=") for entry in given):
            environment.pop(COERCED, None)
    return environment
