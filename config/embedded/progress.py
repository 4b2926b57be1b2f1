"""What is said to the person at the terminal: plain lines, numbered steps with their times, problems.

Imports the standard library only, because it already speaks while the packages are being installed.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STEPS = 7


class ProblemError(Exception):
    """Something went wrong that the person at the terminal can fix; the text says how."""


def say(text: str, *, end: str = "\n") -> None:
    """Write one line at once; a terminal that has gone away is no reason to stop."""
    try:
        # A line of a log may hold what the terminal has no letters for.
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        sys.stdout.write((text + end).encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except (OSError, ValueError):
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - stays open until the process ends


@dataclass
class Step:
    """One numbered step; `note` is shown instead of the time when there was nothing to do."""

    note: str = ""


@contextmanager
def step(number: int, text: str) -> Iterator[Step]:
    """Print `[3/7] text ... 2.1 s` around a piece of work."""
    current = Step()
    say(f"[{number}/{STEPS}] {text} ...", end=" ")
    started = time.monotonic()
    try:
        yield current
    except BaseException as error:
        say("failed" if isinstance(error, Exception) else "stopped")
        raise
    say(current.note or f"{time.monotonic() - started:.1f} s")


def last_lines(path: Path, count: int = 12) -> str:
    """Return the end of a log, indented, to show beside a problem."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "  (there is no log)"
    return "\n".join(f"  {line}" for line in lines[-count:]) or "  (the log is empty)"
