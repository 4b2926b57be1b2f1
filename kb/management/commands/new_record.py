"""`manage.py new_record URL`: start a curated record from a template."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from kb.starter.format import record_path
from kb.starter.load import RECORDS
from kb.starter.template import new_record


class Command(BaseCommand):
    """Write the template of a new record to its path."""

    help = "Start a record: writes a commented template for the issue and says where it is."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("url", help="the issue's address")
        parser.add_argument("--root", type=Path, default=RECORDS, help="folder with the records")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        url = options["url"].split("#")[0].split("?")[0].rstrip("/")
        try:
            text = new_record(url=url, today=timezone.localdate())
        except ValueError as error:
            raise CommandError(str(error)) from error
        path = record_path(options["root"], url)
        if path.exists():
            raise CommandError(f"{path} already exists: edit it.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        self.stdout.write(f"Written: {shown}\nFill it in, then check it with: ./manage.py check_records {shown}")
