"""`manage.py export_starter`: write the curated issues back as records."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from kb.starter.export import export_starter
from kb.starter.load import RECORDS


class Command(BaseCommand):
    """Write one YAML record per curated issue."""

    help = "Write the curated issues as records, one file each; loading them again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--root", type=Path, default=RECORDS, help="folder to write below")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        self.stdout.write(f"{export_starter(options['root'])} records written below {options['root']}.")
