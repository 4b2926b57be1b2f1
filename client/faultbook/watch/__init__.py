"""`faultbook watch`: a command is run unchanged, and diagnosed when it fails or stands still. Nothing is sent anywhere.

What is here only reads the arguments, on every system. All that watches loads no more than the standard library and a
few patterns; what costs memory or time happens in processes that are forked once there is something to tell.
"""

import os
import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from kb.core.diagnosis.arguments import add_comparisons

HELP = (
    "Run a command unchanged and, when it fails or stands still, say on standard error what failed first, who is "
    "suspect, and what to do. The exit code is the command's own. With - for a command, standard input is passed "
    "through and watched; the exit code is 1 then if it shows a failure."
)
MISUSE = 2
MIN_QUIET, LEAST = 240.0, 0.1


def add_arguments(parser: ArgumentParser) -> None:
    """Add those of a watched run. What follows the first word that is no option is the command."""
    parser.add_argument(
        "--logs", action="append", default=[], metavar="GLOB", help="files that ranks write to; may be repeated"
    )
    parser.add_argument(
        "--min-quiet",
        type=_seconds,
        default=MIN_QUIET,
        metavar="SECONDS",
        help=f"no shorter silence is a stall (default: {MIN_QUIET:.0f}); others follow from the run's own rhythm",
    )
    parser.add_argument("--kill-on-hang", action="store_true", help="end the command when it stands still")
    parser.add_argument("--report", metavar="FILE", help="write the diagnosis there as JSON, at a stall and at the end")
    parser.add_argument(
        "--on-failure", metavar="CMD", help="run this at a failure or stall; FAULTBOOK_REPORT names the JSON file"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    add_comparisons(parser)
    parser.add_argument("watched", nargs=REMAINDER, metavar="-- COMMAND", help="the command and its arguments, or -")


def run(options: Namespace) -> int:
    """Run the command, watch it, report, and end as it did."""
    command = options.watched[1:] if options.watched[:1] == ["--"] else options.watched
    if not command:
        return _refuse("There is no command. Give it behind --: faultbook watch -- torchrun train.py", MISUSE)
    if options.report and not Path(options.report).absolute().parent.is_dir():
        return _refuse(f"{options.report} cannot be written: its folder does not exist.", MISUSE)
    if os.name != "posix":
        return _refuse("A command can only be watched on Linux. Give its log to `faultbook diagnose`.", MISUSE)
    from faultbook.watch.child import CannotStartError
    from faultbook.watch.watcher import Watcher

    try:
        return Watcher(options, command).watch()
    except CannotStartError as refusal:
        return _refuse(str(refusal), refusal.code)


def _refuse(why: str, code: int) -> int:
    """Say why something is not done, and return the exit code."""
    print(f"faultbook: {why}", file=sys.stderr)
    return code


def _seconds(text: str) -> float:
    seconds = float(text)
    if not LEAST <= seconds < float("inf"):
        raise ArgumentTypeError(f"{text} is no time of {LEAST} s or more")
    return seconds
