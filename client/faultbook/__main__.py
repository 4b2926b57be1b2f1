"""The command line: which subcommand is meant, and its exit code."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Collection, Sequence

from faultbook import __version__
from faultbook.commands import COMMANDS

DESCRIPTION = "Say what went wrong in a training or serving run. Works offline: nothing is sent unless asked."
INTERRUPTED = 130
NOT_READ = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = parser_of(given[:1])
    options = parser.parse_args(given)
    try:
        code = COMMANDS[options.command].room().run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Who read has enough; nothing is left to be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_READ
    return code


def parser_of(names: Collection[str]) -> ArgumentParser:
    """A parser that knows the arguments of these subcommands, and of the others their names: loading all takes long."""
    parser = ArgumentParser(prog="faultbook", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"faultbook {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        room = command.room() if name in names else None
        subparser = subparsers.add_parser(name, help=command.help, description=room.HELP if room else None)
        if room:
            room.add_arguments(subparser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
