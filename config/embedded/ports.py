"""Choosing the port of the web server, so that two checkouts started at once never share one."""

import socket
import sys

from config.embedded.progress import ProblemError

HOST = "127.0.0.1"
FIRST = 8000
TRIES = 100


class Port:
    """A port of this machine, kept for us until it is released."""

    def __init__(self, number: int, guard: socket.socket | None) -> None:
        self.number = number
        self._guard = guard

    @property
    def address(self) -> str:
        """The address that a browser opens."""
        return f"http://{HOST}:{self.number}"

    def release(self) -> None:
        """Let others have the port."""
        if self._guard is not None:
            self._guard.close()


def choose(first: int) -> Port:
    """Return this port, or the next free one."""
    for number in range(first, min(first + TRIES, 65536)):
        guard = guard_of(number)
        if guard is None and sys.platform == "linux":
            continue
        if is_free(number):
            return Port(number, guard)
        if guard is not None:
            guard.close()
    raise ProblemError(f"No port from {first} on is free. Set PORT to another one.")


def number_of(wanted: str) -> int:
    """Read PORT."""
    if not wanted:
        return FIRST
    if not wanted.isdecimal() or not 1 <= int(wanted) <= 65535:
        raise ProblemError(f"PORT is {wanted!r}, which is not a number from 1 to 65535.")
    return int(wanted)


def guard_of(number: int) -> socket.socket | None:
    """Take the port's name, which the kernel frees when we die; None when somebody has it.

    The web server lets its workers share a port, and so would let two supervisors that look at the same
    moment. Only Linux has such names; elsewhere that moment stays open.
    """
    if sys.platform != "linux":
        return None
    guard = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        guard.bind(f"\0faultbook-port-{number}")
    except OSError:
        guard.close()
        return None
    return guard


def is_free(number: int) -> bool:
    """Say whether nobody listens on the port; connections of a server just stopped do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, number))
            probe.listen(1)
        except (OSError, OverflowError):
            return False
    return True
