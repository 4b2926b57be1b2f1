"""`faultbook completion`: a script for a shell that completes subcommands, options and files."""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator

HELP = "Print a script that completes commands in a shell. Your shell reads it once, see docs/client.md."
SHELLS = ("bash", "zsh", "fish", "tcsh")
# Arguments shown so are files or folders.
PLACES = ("FILE", "PATH", "FOLDER", "PROGRAM")
NOT_INSTALLED = "Install what writes completions once: pip install 'faultbook[completion]'."


def add_arguments(parser: ArgumentParser) -> None:
    """For which shell."""
    parser.add_argument("shell", choices=SHELLS)


def run(options: Namespace) -> int:
    """Print it."""
    try:
        import shtab
    except ModuleNotFoundError:
        print(NOT_INSTALLED, file=sys.stderr)
        return 3
    from faultbook.__main__ import parser_of
    from faultbook.commands import COMMANDS

    parser = parser_of(COMMANDS)
    for action in _actions(parser):
        if action.metavar in PLACES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab looks for
    print(shtab.complete(parser, options.shell))
    return 0


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    """What the parser and those of its subcommands take."""
    for action in parser._actions:
        yield action
        for inner in action.choices.values() if isinstance(action.choices, dict) else ():
            yield from _actions(inner)
