"""`manage.py load_starter`: load the curated records that ship with the project."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.services.cause_links import follow_labels
from kb.starter.load import RECORDS, load_starter


class Command(BaseCommand):
    """Load the starter knowledge base; running it again changes nothing."""

    help = "Load the curated records. Every rejected record is listed with file, line and what to correct."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--root", type=Path, default=RECORDS, help="folder with the records")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        report = load_starter(options["root"])
        links = follow_labels()
        self.stdout.write(
            f"{report.records} records: {report.changes.created} rows created, {report.changes.changed} changed; "
            f"labels: {report.labels.added} added, {report.labels.reworded} reworded, {report.labels.removed} removed; "
            f"{links} cause links changed."
        )
        if report.rejections:
            listing = "\n".join(str(rejection) for rejection in report.rejections)
            raise CommandError(f"{len(report.rejections)} problems; the other records were loaded:\n{listing}")
