"""`manage.py import_issues`: import issue dumps in the shape of GitHub's REST API."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import django.db
from django.core.management.base import BaseCommand, CommandError

from ingest.imports.issues.load import import_issues
from ingest.services.locks import BusyError


class Command(BaseCommand):
    """Import issue dumps; running it again changes nothing."""

    help = "Import issue dumps in the shape of GitHub's REST API. Safe to run again; see docs/importing.md."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="+", type=Path, help="JSON arrays or JSON lines, plain or gzip")
        parser.add_argument("--report", type=Path, help="write every rejection to this .csv or .json file")
        parser.add_argument("--dry-run", action="store_true", help="do everything, then take all of it back")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        try:
            outcome = import_issues(
                files=options["files"],
                report=options["report"],
                dry_run=options["dry_run"],
                tell=self.stdout.write,
            )
        except (BusyError, ValueError, OSError, django.db.Error) as error:
            raise CommandError(str(error)) from error
        for line in outcome.total.lines():
            self.stdout.write(line)
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was kept.")
        if not outcome.succeeded:
            raise CommandError("Not everything was imported; see above.")
