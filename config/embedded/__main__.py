"""The command line of the embedded run: `python -m config.embedded up`, `down`, `reset` or `doctor`.

Only chooses what to do and says problems; the doing is in the modules beside.
"""

import os
import sys
from collections.abc import Callable

from config.embedded.layout import ROOT, Layout
from config.embedded.progress import ProblemError, say


def main(arguments: list[str]) -> int:
    """Do what the command line says; a problem is one plain text and exit code 1."""
    commands: dict[str, Callable[[], int]] = {"up": start, "down": stop, "reset": reset, "doctor": doctor}
    if len(arguments) != 1 or arguments[0] not in commands:
        say(f"Usage: python -m config.embedded [{' | '.join(commands)}]")
        return 2
    try:
        return commands[arguments[0]]()
    except ProblemError as problem:
        say(f"\n{problem}")
        return 1
    except KeyboardInterrupt:
        return 130


def start() -> int:
    """Start everything."""
    from config.embedded.up import up

    return up()


def stop() -> int:
    """Stop everything."""
    from config.embedded.down import down

    return down()


def reset() -> int:
    """Delete all data."""
    from config.embedded.down import reset as wipe

    return wipe()


def doctor() -> int:
    """Say what is wrong; before the first start there is nothing to look at."""
    if not Layout.locate().run_env.is_file() and not os.environ.get("SECRET_KEY") and not (ROOT / ".env").is_file():
        say("Faultbook was never started here. `make up` starts it.")
        return 1
    os.chdir(ROOT)
    os.execv(sys.executable, [sys.executable, "manage.py", "doctor"])  # noqa: S606 - ourselves
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
