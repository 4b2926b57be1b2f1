"""What `make down` and `make reset` do: stop whatever runs on a data folder, and empty it.

Works on the remains of a crash as well as on a healthy run.
"""

import os
import signal
import sys
import time

import psutil

from config.embedded import leftovers
from config.embedded.layout import Hold, Layout
from config.embedded.progress import ProblemError, say

STOPS_WITHIN = 30.0


def down() -> int:
    """Stop everything that runs on the data folder, in whichever terminal."""
    layout = Layout.locate()
    if not layout.data.is_dir() or not layout.is_ours():
        say("Nothing is running.")
        return 0
    hold, stopped = stop(layout)
    hold.release()
    say("Stopped; the data is kept." if stopped else "Nothing is running.")
    return 0


def stop(layout: Layout) -> tuple[Hold, bool]:
    """Stop everything and take the data folder; say whether there was anything to stop."""
    hold = Hold(layout)
    was_running = not hold.take()
    if was_running:
        stop_supervisor(layout, hold)
    left = leftovers.find(layout.data)
    leftovers.stop(left)
    layout.forget_state()
    return hold, was_running or bool(left)


def stop_supervisor(layout: Layout, hold: Hold) -> None:
    """Ask the supervisor to stop, wait for it to let go of the data folder, then insist."""
    signalled = False
    started = time.monotonic()
    while not hold.take():
        waited = time.monotonic() - started
        supervisor = find_supervisor(layout)
        if supervisor is not None and (not signalled or waited > STOPS_WITHIN):
            signal_to(supervisor, signal.SIGKILL if signalled else signal.SIGTERM)
            signalled = True
        if waited > 2 * STOPS_WITHIN:
            raise ProblemError(f"Another program holds {layout.shown(hold.path)}, and it does not let go.")
        time.sleep(0.05)


def find_supervisor(layout: Layout) -> psutil.Process | None:
    """Return the supervisor that was written down, if its number still means it."""
    state = layout.read_state()
    if state is None or not leftovers.is_same(state.pid, state.created):
        return None
    return psutil.Process(state.pid)


def signal_to(process: psutil.Process, signum: int) -> None:
    """Send a signal to a process, which may be another user's or have just ended."""
    try:
        process.send_signal(signum)
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise ProblemError("Faultbook runs here as another user; stop it as that user.") from error


def reset() -> int:
    """Stop everything and delete all data, after asking."""
    layout = Layout.locate()
    if not layout.data.is_dir():
        say("There is no data to delete.")
        return 0
    if not layout.is_ours():
        raise ProblemError(f"{layout.data} does not look like a data folder of Faultbook; nothing was deleted.")
    if not agreed(layout):
        say("Nothing was deleted.")
        return 1
    hold, _ = stop(layout)
    layout.wipe()
    hold.release()
    say(f"Deleted everything in {layout.shown(layout.data)}. `make up` starts afresh.")
    return 0


def agreed(layout: Layout) -> bool:
    """Ask, unless RESET=yes has answered already."""
    if os.environ.get("RESET") == "yes":
        return True
    if not sys.stdin.isatty():
        say("Nobody is here to ask. RESET=yes says that all data may go.")
        return False
    say(f"This deletes everything in {layout.shown(layout.data)}: records, labels, accounts, logs.")
    say("Type yes to continue: ", end="")
    return sys.stdin.readline().strip() == "yes"
