"""`manage.py load_codebook`: load the house codebook and the published studies' schemes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.codebook.load import HERE, CodebookInvalidError, load_codebook


class Command(BaseCommand):
    """Load the codebook; running it again changes nothing."""

    help = "Load the house codebook and the published studies' schemes. Safe to run again."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--root", type=Path, default=HERE, help="folder with house.yaml, playbooks/ and studies/")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        try:
            report = load_codebook(options["root"])
        except CodebookInvalidError as error:
            raise CommandError("The codebook was not loaded:\n" + "\n".join(error.problems)) from error
        self.stdout.write(
            f"Codebook {report.version} and {report.studies} studies: {report.changes.created} created, "
            f"{report.changes.changed} changed, {report.changes.unchanged} unchanged, {report.changes.removed} removed."
        )
