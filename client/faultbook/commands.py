"""The subcommands by name. Each lives in a module of its own, which is loaded when it is called."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast


class NoAnswerError(Exception):
    """A command cannot answer; the message says why and what to do."""


class Room(Protocol):
    """What a subcommand's module has. `run` returns the exit code."""

    HELP: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments that `run` heeds."""

    def run(self, options: Namespace) -> int:
        """Do it, print, and return the exit code."""


@dataclass(frozen=True)
class Command:
    """A subcommand: its module, and the line that the list of subcommands has of it."""

    module: str
    help: str

    def room(self) -> Room:
        """Its module, loaded."""
        return cast("Room", import_module(self.module))


COMMANDS = {
    "diagnose": Command("faultbook.diagnose", "say what went wrong in a run, from its logs"),
    "watch": Command(
        "faultbook.watch", "run a command unchanged, and say what went wrong when it fails or stands still"
    ),
    "search": Command("faultbook.search", "find known faults by words or an error line"),
    "check": Command("faultbook.check", "say which known faults affect a set-up, before it runs"),
    "triage": Command("faultbook.triage", "say what a new report may duplicate and lacks, for its maintainers"),
    "mcp": Command("faultbook.mcp", "serve agents over MCP on standard input and output"),
    "update": Command("faultbook.update", "fetch newer data from a server"),
    "version": Command("faultbook.version", "say which version this is, and how old its data is"),
    "schema": Command("faultbook.schema", "print the JSON schema of an answer"),
    "completion": Command("faultbook.completion", "print a script that completes commands in a shell"),
}


def add_server(parser: ArgumentParser, sent: str) -> None:
    """The option that names a server. `sent`: what it is sent."""
    parser.add_argument("--server", metavar="URL", help=f"ask this server instead of the data here; it is sent {sent}")
