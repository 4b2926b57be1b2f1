"""`manage.py diagnose`: what went wrong in a run, from its logs. Nothing is stored; a database need not be there."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn, cast

import orjson
from django.core.management.base import BaseCommand
from django.db import connection

from kb.core.diagnosis.pipeline import InputFile, ReadFiles, as_data, diagnosed, read
from kb.core.diagnosis.reading.intake import UnreadableInputError
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, INCOMPLETE, NO_EVIDENCE, Verdict
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.terminal import as_text

STANDARD_INPUT = "-"
EXIT_CODES: dict[Verdict, int] = {HEALTHY: 0, CANCELLED: 0, FAILURE: 1, NO_EVIDENCE: 2, INCOMPLETE: 4}
BAD_INPUT = 3
CONNECT_SECONDS = 2


class Command(BaseCommand):
    """Diagnose a failed run from its logs."""

    help = (
        "Say what went wrong in a run: the lines that matter, suspect nodes and ranks, stage, likely causes. Takes one "
        "file or one per rank, plain, compressed or in archives, and Flight Recorder dumps beside them; - reads "
        "standard input. Exit code: 0 healthy or ended from outside, 1 failure found, 2 no evidence, 3 bad input, 4 "
        "the log breaks off before the run's end."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="a log, an archive of logs, a dump, a folder, or -"
        )
        parser.add_argument(
            "--healthy", nargs="+", default=[], metavar="FILE", help="logs of runs of this kind that went well"
        )
        parser.add_argument("--offline", action="store_true", help="do not ask the knowledge base for known issues")
        parser.add_argument("--json", action="store_true", help="print the diagnosis as JSON")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        try:
            failed_run = _read(options["files"])
            healthy_run = _read(options["healthy"]) if options["healthy"] else None
        except UnreadableInputError as refusal:
            self._refuse(str(refusal))
        except OSError as refusal:
            self._refuse(
                f"{refusal.filename or 'A file'} can't be read: {refusal.strerror}. Give a log that you may read."
            )
        diagnosis = diagnosed(failed_run, healthy_run)
        data = _with_known(as_data(diagnosis), offline=options["offline"])
        if options["json"]:
            self.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode())
        else:
            self.stdout.write(as_text(data), ending="")
        sys.exit(EXIT_CODES[diagnosis.verdict])

    def _refuse(self, why: str) -> NoReturn:
        self.stderr.write(why)
        sys.exit(BAD_INPUT)


def _with_known(data: DiagnosisData, *, offline: bool) -> DiagnosisData:
    # Search takes a while to import: what cannot be read is refused without it.
    from kb.diagnose.knowledge import with_known, without_known

    if offline:
        return without_known(data)
    # Nobody waits at a terminal for a database that is not there.
    connection.settings_dict["OPTIONS"]["connect_timeout"] = CONNECT_SECONDS
    return with_known(data)


def _read(names: Sequence[str]) -> ReadFiles:
    with ExitStack() as opened:
        return read(_input_files(names, opened), cores=os.cpu_count() or 1)


def _input_files(names: Sequence[str], opened: ExitStack) -> Iterator[InputFile]:
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
