"""A check at a terminal: arguments, exit codes, and what is printed. Who knows the faults comes from outside."""

import datetime as dt
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import orjson

from kb.core.check.ignoring import BadIgnoreFileError, Sifted, read_ignored, sifted
from kb.core.check.sarif import as_sarif
from kb.core.check.schema import CheckData
from kb.core.check.terminal import as_text
from kb.core.check.texts import NamedText, NotCheckedError, texts_at
from kb.core.setups.reading import MAX_CHARACTERS

HELP = (
    "Say which known faults affect a set-up: package lists, lock files, environment dumps, configurations, scripts "
    "and launch commands, recognised by content. All files and folders together are one set-up. "
    "Exit code: 0 nothing affects it, 1 something does, 2 bad input."
)
NOTHING_AFFECTS, SOMETHING_AFFECTS, BAD_INPUT = 0, 1, 2
STANDARD_INPUT = Path("-")
FORMATS = ("text", "json", "sarif")
Check: TypeAlias = Callable[[Iterable[NamedText]], CheckData]


class Output(Protocol):
    """Where text goes: a stream of Python's, or Django's wrapper of one."""

    def write(self, text: str, /) -> object:
        """Write the text."""


def add_arguments(parser: ArgumentParser, *, paths: str = "+") -> None:
    """The arguments that `answer` heeds. `paths`: how many there are, as argparse says it."""
    parser.add_argument("paths", nargs=paths, type=Path, metavar="PATH", help="a file, a folder of files, or -")
    parser.add_argument("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    parser.add_argument(
        "--ignore", type=Path, metavar="FILE", help="YAML with findings to ignore, see docs/checking.md"
    )


def answer(options: Namespace, check: Check, out: Output, err: Output, *, beside: Sequence[NamedText] = ()) -> int:
    """Check, print, and return the exit code. `beside`: texts of the set-up that are in no file."""
    try:
        entries = read_ignored(options.ignore) if options.ignore else ()
        data = check([*beside, *_given(options.paths)])
    except (NotCheckedError, BadIgnoreFileError) as error:
        err.write(f"{error}\n")
        return BAD_INPUT
    except OSError as error:
        err.write(f"{error.filename or 'A file'} can't be read: {error.strerror}.\n")
        return BAD_INPUT
    result = sifted(data["findings"], entries, dt.datetime.now().astimezone().date())
    out.write(_written(data, result, options.format))
    is_affected = any(finding["verdict"] == "affects" for finding in result.counted)
    return SOMETHING_AFFECTS if is_affected else NOTHING_AFFECTS


def _given(paths: Sequence[Path]) -> Iterator[NamedText]:
    """The texts of these files and folders, and what standard input brings where one of them is “-”."""
    if STANDARD_INPUT in paths:
        yield "standard input", sys.stdin.read(MAX_CHARACTERS + 1)
    if files := [path for path in paths if path != STANDARD_INPUT]:
        yield from texts_at(files)


def _written(data: CheckData, result: Sifted, form: str) -> str:
    if form == "text":
        return as_text(data, result)
    shown: object = {**data, "findings": result.counted} if form == "json" else as_sarif(result.counted, result.ignored)
    return orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode() + "\n"
