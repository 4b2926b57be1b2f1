"""Commands run with and without the watcher, as processes."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
LONGEST = 30.0


def watcher(*options: str) -> list[str]:
    """The command line up to the command."""
    return [sys.executable, "-m", "faultbook", "watch", *options, "--"]


QUIET = watcher("--quiet")


def python(code: str) -> list[str]:
    """A program as a command."""
    return [sys.executable, "-c", code]


def run(
    command: Sequence[str], *, input: bytes = b"", environment: Mapping[str, str] = ENVIRONMENT, **more: Any
) -> "subprocess.CompletedProcess[bytes]":
    """Run it to its end, with pipes."""
    return subprocess.run(
        command, input=input, capture_output=True, env=environment, timeout=LONGEST, check=False, **more
    )


def begin(command: Sequence[str], **more: Any) -> "subprocess.Popen[bytes]":
    """Start it, with pipes where nothing else is said."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=usual_signals, **pipes)


def usual_signals() -> None:
    """Have it do at signals what programs do: a shell's job in the background, or `nohup`, ignores some."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def read_some(descriptor: int) -> bytes:
    """What comes next, before it takes too long."""
    assert select.select([descriptor], [], [], LONGEST)[0], "nothing came"
    return os.read(descriptor, 100)


def until(holds: Callable[[], Any]) -> Any:
    """Wait until it holds, and return what it returned."""
    end = time.monotonic() + LONGEST
    while not (answer := holds()):
        assert time.monotonic() < end, "it did not come to hold"
        time.sleep(0.01)
    return answer


def on_terminal(command: Sequence[str]) -> tuple[int, int]:
    """Start it on a terminal of its own, of 97 columns: its process id, and the terminal's other end."""
    process, terminal = pty.fork()
    if not process:
        usual_signals()
        termios.tcsetwinsize(1, (31, 97))
        os.execvpe(command[0], list(command), ENVIRONMENT)  # noqa: S606
    return process, terminal


def rest_of(terminal: int) -> bytes:
    """All that is still written to a terminal."""
    written = b""
    # Its end is an error.
    with suppress(OSError):
        while data := os.read(terminal, 4096):
            written += data
    os.close(terminal)
    return written
