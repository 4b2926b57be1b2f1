"""`manage.py diagnose` without Django, which takes longer to load than a small log to diagnose: arguments, exit codes,
and what is printed when. Nothing is stored. Who asks the knowledge base comes from outside.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, cast

import orjson

from kb.core.diagnosis.analysis.past import NO_PAST
from kb.core.diagnosis.answer import AddKnown, data_of
from kb.core.diagnosis.past_runs import past_jobs
from kb.core.diagnosis.pipeline import (
    NOT_ASKED,
    InputFile,
    ReadFiles,
    as_data,
    diagnosed,
    is_worth_asking,
    read,
    without_known,
)
from kb.core.diagnosis.reading.intake import UnreadableInputError
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, INCOMPLETE, NO_EVIDENCE, Verdict
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.setup import setup_of
from kb.core.diagnosis.terminal import as_text, as_text_of_known
from kb.core.setups.facts import Setup

HELP = (
    "Say what went wrong in a run: the lines that matter, suspect nodes and ranks, stage, likely causes. Takes one "
    "file or one per rank, plain, compressed or in archives, and Flight Recorder dumps beside them; - reads "
    "standard input. Exit code: 0 healthy or ended from outside, 1 failure found, 2 no evidence, 3 bad input, 4 "
    "the log breaks off before the run's end."
)
STANDARD_INPUT = "-"
EXIT_CODES: dict[Verdict, int] = {HEALTHY: 0, CANCELLED: 0, FAILURE: 1, NO_EVIDENCE: 2, INCOMPLETE: 4}
BAD_INPUT = 3
PAST_RUNS = "DIAGNOSE_PAST_RUNS"
NOT_SET_UP = "Known issues were not looked up: no knowledge base is set up here. `make up` sets one up."


class Output(Protocol):
    """Where text goes: a stream of Python's, or Django's wrapper of one."""

    def write(self, text: str, /) -> object:
        """Write the text."""

    def flush(self) -> object:
        """Hand on what was written."""


def main(arguments: Sequence[str], add_known: AddKnown | None) -> int:
    """Run the command with these arguments, and return its exit code."""
    parser = ArgumentParser(prog="manage.py diagnose", description=HELP)
    add_arguments(parser)
    add_offline(parser)
    options = parser.parse_args(arguments)
    not_asked = NOT_ASKED if options.offline else NOT_SET_UP
    return answer(options, None if options.offline else add_known, sys.stdout, sys.stderr, not_asked=not_asked)


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments that `answer` heeds."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a log, an archive of logs, a dump, a folder, or -")
    parser.add_argument(
        "--healthy", nargs="+", default=[], metavar="FILE", help="logs of runs of this kind that went well"
    )
    parser.add_argument(
        "--past",
        metavar="FOLDER",
        default=os.environ.get(PAST_RUNS) or None,
        help=f"earlier jobs, each a file or folder in it, to compare with (default: {PAST_RUNS} of the environment)",
    )
    parser.add_argument("--json", action="store_true", help="print the diagnosis as JSON")


def add_offline(parser: ArgumentParser) -> None:
    """The argument for where asking the knowledge base takes a database."""
    parser.add_argument("--offline", action="store_true", help="do not ask the knowledge base for known issues")


def answer(
    options: Namespace, add_known: AddKnown | None, out: Output, err: Output, *, not_asked: str = NOT_ASKED
) -> int:
    """Diagnose and print, and return the exit code. Text of the log alone comes first: what is known takes longer.

    `not_asked`: what is said where nobody is asked.
    """
    try:
        failed_run = _read(options.files)
        healthy_run = _read(options.healthy) if options.healthy else None
        past = past_jobs(Path(options.past), options.files) if options.past else NO_PAST
    except UnreadableInputError as refusal:
        err.write(f"{refusal}\n")
        return BAD_INPUT
    except OSError as refusal:
        name = refusal.filename or "A file"
        err.write(f"{name} can't be read: {refusal.strerror}. Give a log that you may read.\n")
        return BAD_INPUT
    diagnosis = diagnosed(failed_run, healthy_run, past=past)
    if options.json:
        with ExitStack() as opened:
            data = data_of(failed_run, diagnosis, lambda: _again(options.files, opened))
    else:
        data = as_data(diagnosis)
    if not is_worth_asking(data):
        _write(without_known(data, ""), options, out)
    elif add_known is None:
        _write(without_known(data, not_asked), options, out)
    elif options.json:
        _write(add_known(data, _setup(options.files)), options, out)
    else:
        _write(data, options, out)
        out.flush()
        out.write(as_text_of_known(add_known(data, _setup(options.files)), data))
    return EXIT_CODES[data["verdict"]]


def print_whole(data: DiagnosisData, options: Namespace, out: Output) -> int:
    """Print a diagnosis that has what is known already, and return the exit code."""
    _write(data, options, out)
    if not options.json:
        out.write(as_text_of_known(data, data))
    return EXIT_CODES[data["verdict"]]


def _write(data: DiagnosisData, options: Namespace, out: Output) -> None:
    out.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n" if options.json else as_text(data))


def _read(names: Sequence[str]) -> ReadFiles:
    with ExitStack() as opened:
        return read(input_files(names, opened), cores=os.cpu_count() or 1)


def _setup(names: Sequence[str]) -> Setup:
    """The set-up that the logs tell of."""
    with ExitStack() as opened:
        return setup_of(_again(names, opened))


def _again(names: Sequence[str], opened: ExitStack) -> Iterator[InputFile]:
    """The same files once more; standard input cannot be read a second time."""
    return input_files([name for name in names if name != STANDARD_INPUT], opened)


def input_files(names: Sequence[str], opened: ExitStack) -> Iterator[InputFile]:
    """The files of these names, those of a folder by their names within it."""
    for name in in_order_of_writing(names, str):
        if name == STANDARD_INPUT:
            yield InputFile("standard input", cast("Readable", sys.stdin.buffer))
            continue
        path = Path(name)
        for file in in_order_of_writing(sorted(path.rglob("*")), str) if path.is_dir() else [path]:
            if not file.is_dir():
                shown_name = file.relative_to(path) if path.is_dir() else file
                yield InputFile(str(shown_name), cast("Readable", opened.enter_context(file.open("rb"))))
