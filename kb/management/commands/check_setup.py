"""`manage.py check_setup PATH...`: which known faults affect a set-up, before it runs. Nothing is stored."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

import orjson
from django.core.management.base import BaseCommand
from django.utils import timezone

from kb.check.answer import check
from kb.check.ignoring import BadIgnoreFileError, Sifted, read_ignored, sifted
from kb.check.sarif import as_sarif
from kb.check.schema import CheckData
from kb.check.terminal import as_text
from kb.check.texts import NotCheckedError, texts_at

NOTHING_AFFECTS, SOMETHING_AFFECTS, BAD_INPUT = 0, 1, 2
FORMATS = ("text", "json", "sarif")


class Command(BaseCommand):
    """Check a set-up."""

    help = (
        "Say which known faults affect a set-up: package lists, lock files, environment dumps, configurations, scripts "
        "and launch commands, recognised by content. All files and folders together are one set-up. "
        "Exit code: 0 nothing affects it, 1 something does, 2 bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file or a folder of files")
        parser.add_argument("--format", choices=FORMATS, default="text", help="what to print (default: text)")
        parser.add_argument(
            "--ignore", type=Path, metavar="FILE", help="YAML with findings to ignore, see docs/checking.md"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        try:
            entries = read_ignored(options["ignore"]) if options["ignore"] else ()
            data = check(texts_at(options["paths"]))
        except (NotCheckedError, BadIgnoreFileError) as error:
            self._refuse(str(error))
        except OSError as error:
            self._refuse(f"{error.filename or 'A file'} can't be read: {error.strerror}.")
        result = sifted(data["findings"], entries, timezone.localdate())
        self.stdout.write(_written(data, result, options["format"]), ending="")
        is_affected = any(finding["verdict"] == "affects" for finding in result.counted)
        sys.exit(SOMETHING_AFFECTS if is_affected else NOTHING_AFFECTS)

    def _refuse(self, reason: str) -> NoReturn:
        self.stderr.write(reason)
        sys.exit(BAD_INPUT)


def _written(data: CheckData, result: Sifted, form: str) -> str:
    if form == "text":
        return as_text(data, result)
    shown: object = {**data, "findings": result.counted} if form == "json" else as_sarif(result.counted, result.ignored)
    return orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode() + "\n"
