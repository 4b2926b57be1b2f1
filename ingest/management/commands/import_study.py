"""`manage.py import_study`: import a labelled data set of a published study."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from ingest.imports.outcomes import ImportOutcome
from ingest.imports.studies.load import import_study
from ingest.imports.studies.mapping import read_mapping
from ingest.management.imports import ImportCommand


class Command(ImportCommand):
    """Import a labelled data set; running it again changes nothing."""

    help = "Import a labelled data set of a published study. Safe to run again; see docs/importing.md."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("mapping", help="a mapping's path, or the name of a shipped one")
        parser.add_argument("files", nargs="+", type=Path, help="the set's files: CSV, JSON or JSON lines, also gzip")
        super().add_arguments(parser)

    def import_files(self, options: dict[str, Any]) -> ImportOutcome:  # noqa: D102
        return import_study(
            mapping=read_mapping(options["mapping"]),
            mapping_name=options["mapping"],
            files=options["files"],
            report=options["report"],
            dry_run=options["dry_run"],
            tell=self.stdout.write,
        )
