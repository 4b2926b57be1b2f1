"""`faultbook diagnose`: a failed run's logs, diagnosed on this machine."""

import sys
from argparse import ArgumentParser, Namespace

from kb.core.diagnosis import command

HELP = command.HELP


def add_arguments(parser: ArgumentParser) -> None:
    """Add those of every diagnosis."""
    command.add_arguments(parser)


def run(options: Namespace) -> int:
    """Diagnose, print, and return the exit code."""
    return command.answer(options, None, sys.stdout, sys.stderr)
