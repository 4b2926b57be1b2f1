"""Notices when the terminal goes away without a signal.

A closed terminal tells the first process on it, which is a shell that tells us. Where `make` itself is the
first, as in `ssh -t machine make up`, it waits for us instead and tells nobody.
"""

import os
import select
import signal

STDIN = 0


class Terminal:
    """The terminal that this process was started from, if it has to be watched."""

    def __init__(self) -> None:
        first = os.getsid(0) in (os.getpid(), os.getppid())
        # Under nohup, the loss of the terminal is meant not to matter.
        wanted = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
        self.watched = first and wanted and os.isatty(STDIN)

    def gone(self) -> bool:
        """Say whether the terminal is gone."""
        if not self.watched:
            return False
        look = select.poll()
        look.register(STDIN, 0)
        return any(event & (select.POLLHUP | select.POLLNVAL) for _, event in look.poll(0))
