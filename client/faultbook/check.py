"""`faultbook check`: which known faults affect a set-up: files, or the packages that are installed on this machine."""

import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from faultbook.commands import add_server
from kb.core.check import command
from kb.core.check.schema import CheckData
from kb.core.check.texts import NamedText, NotCheckedError

HELP = f"{command.HELP} Without PATH, the packages of the Python that is active here are checked."
# What is installed for a Python, as “pip freeze” says it; pip need not be there.
LIST = """
import importlib.metadata, platform
print("Python version:", platform.python_version())
print("# pip freeze")
found = {(each.metadata["Name"], each.version) for each in importlib.metadata.distributions()}
print("\\n".join(sorted(("==".join(each) for each in found if all(each)), key=str.lower)))
"""
MOST_SECONDS = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Add those of every check, and who is asked."""
    command.add_arguments(parser, paths="*")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    parser.add_argument(
        "--python", metavar="PROGRAM", help="whose packages are checked (default: of the active environment)"
    )
    add_server(parser, "the texts of the set-up")


def run(options: Namespace) -> int:
    """Check, print, and return the exit code."""
    try:
        beside = [_installed(options.python)] if options.python or not options.paths else []
    except NotCheckedError as error:
        print(error, file=sys.stderr)
        return command.BAD_INPUT
    check = partial(_by_server, options.server) if options.server else _here
    return command.answer(options, check, sys.stdout, sys.stderr, beside=beside)


def _here(texts: Iterable[NamedText]) -> CheckData:
    from faultbook.data import knowledge, warn_of_age
    from kb.core.check.answer import check
    from kb.core.knowledge.file import BadDataError

    try:
        warn_of_age()
        return check(texts, knowledge().faults().values(), knowledge().without_history)
    except BadDataError as error:
        raise NotCheckedError(str(error)) from error


def _by_server(server: str, texts: Iterable[NamedText]) -> CheckData:
    from faultbook.server import check
    from faultbook.web import WebError

    try:
        return check(server, texts)
    except WebError as error:
        raise NotCheckedError(str(error)) from error


def _installed(named: str | None) -> NamedText:
    """The packages of the Python of this name, or of the active environment. Raises `NotCheckedError`."""
    program = named or _active()
    try:
        done = subprocess.run(  # noqa: S603 the user's own Python
            [program, "-I", "-c", LIST], capture_output=True, text=True, timeout=MOST_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NotCheckedError(
            f"{program} does not list its packages ({type(error).__name__}). Name a Python with --python, or a file."
        ) from error
    return program, done.stdout


def _active() -> str:
    """The Python of the environment that is active in this shell."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if folder := os.environ.get(variable):
            place = Path(folder, "Scripts", "python.exe") if os.name == "nt" else Path(folder, "bin", "python")
            return str(place)
    return shutil.which("python3") or shutil.which("python") or sys.executable
