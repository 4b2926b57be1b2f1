"""What the two commands that import files have in common."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import django.db
from django.core.management.base import BaseCommand, CommandError

from ingest.imports.outcomes import ImportOutcome
from kb.services.locks import LockHeldError


class ImportCommand(BaseCommand):
    """Imports files and prints what came of it."""

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--report", type=Path, help="write every rejection to this .csv or .json file")
        parser.add_argument("--dry-run", action="store_true", help="run everything, then roll it back")

    def import_files(self, options: dict[str, Any]) -> ImportOutcome:
        """Do the import. Raises `ValueError` or `OSError` for options that cannot be used."""
        raise NotImplementedError

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        try:
            outcome = self.import_files(options)
        except LockHeldError as error:
            raise CommandError(
                f"another import of '{error.name}' is running; wait for it to finish and start again"
            ) from error
        except (ValueError, OSError, django.db.Error) as error:
            raise CommandError(str(error)) from error
        for line in outcome.total.lines():
            self.stdout.write(line)
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was saved.")
        if not outcome.succeeded:
            raise CommandError("Not everything was imported; see above.")
