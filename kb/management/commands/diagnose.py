"""`manage.py diagnose`: diagnose a run from its logs. Stores nothing, and works without a database."""

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

from kb.core.diagnosis.pipeline import Given, Read, diagnosed, read
from kb.core.diagnosis.reading.intake import UnreadableInputError
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Verdict
from kb.core.diagnosis.schema import as_data
from kb.core.diagnosis.terminal import as_text

STANDARD_INPUT = "-"
EXIT_CODES: dict[Verdict, int] = {HEALTHY: 0, CANCELLED: 0, FAILURE: 1, NO_EVIDENCE: 2}
BAD_INPUT = 3
CONNECT_SECONDS = 2


class Command(BaseCommand):
    """Diagnose a failed run from its logs."""

    help = (
        "Say what went wrong in a run: the lines that matter, suspect nodes and ranks, stage, likely causes. Takes one "
        "file or one per rank, plain, compressed or in archives, and Flight Recorder dumps beside them; - reads "
        "standard input. Exit code: 0 healthy or ended from outside, 1 failure found, 2 no evidence, 3 bad input."
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
            logs = _read(options["files"])
            healthy = _read(options["healthy"]) if options["healthy"] else None
        except UnreadableInputError as error:
            self._refuse(str(error))
        except OSError as error:
            self._refuse(f"{error.filename or 'A file'} can't be read: {error.strerror}. Give a log that you may read.")
        diagnosis = diagnosed(logs, healthy)
        # Search takes a while to import: input that cannot be read is refused without it.
        from kb.diagnose.knowledge import with_known, without_known

        if options["offline"]:
            data = without_known(as_data(diagnosis))
        else:
            # Nobody is to wait at a terminal for a database that is down.
            connection.settings_dict["OPTIONS"]["connect_timeout"] = CONNECT_SECONDS
            data = with_known(as_data(diagnosis))
        if options["json"]:
            self.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode())
        else:
            self.stdout.write(as_text(diagnosis, data), ending="")
        sys.exit(EXIT_CODES[diagnosis.verdict])

    def _refuse(self, why: str) -> NoReturn:
        self.stderr.write(why)
        sys.exit(BAD_INPUT)


def _read(names: Sequence[str]) -> Read:
    with ExitStack() as stack:
        return read(_open(names, stack), cores=os.cpu_count() or 1)


def _open(names: Sequence[str], stack: ExitStack) -> Iterator[Given]:
    """The files with their names; files of a folder are named relative to it."""
    for name in names:
        path = Path(name)
        if name == STANDARD_INPUT:
            yield Given("standard input", cast("Readable", sys.stdin.buffer))
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                if not file.is_dir():
                    yield Given(str(file.relative_to(path)), cast("Readable", stack.enter_context(file.open("rb"))))
        else:
            yield Given(str(path), cast("Readable", stack.enter_context(path.open("rb"))))
