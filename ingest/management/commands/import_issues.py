"""`manage.py import_issues`: import issue dumps in the shape of GitHub's REST API."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from ingest.imports.issues.load import import_issues
from ingest.imports.outcomes import ImportOutcome
from ingest.management.imports import ImportCommand


class Command(ImportCommand):
    """Import issue dumps; running it again changes nothing."""

    help = "Import issue dumps in the shape of GitHub's REST API. Safe to run again; see docs/importing.md."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="+", type=Path, help="JSON arrays or JSON lines, plain or gzip")
        super().add_arguments(parser)

    def import_files(self, options: dict[str, Any]) -> ImportOutcome:  # noqa: D102
        return import_issues(
            files=options["files"], report=options["report"], dry_run=options["dry_run"], tell=self.stdout.write
        )
