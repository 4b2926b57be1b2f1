"""`faultbook version`: which version this is."""

from argparse import ArgumentParser, Namespace

from faultbook import __version__

HELP = "Say which version this is."


def add_arguments(parser: ArgumentParser) -> None:
    """None."""


def run(options: Namespace) -> int:  # noqa: ARG001 every subcommand is given them
    """Print it."""
    print(f"faultbook {__version__}")
    return 0
