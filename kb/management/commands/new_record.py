"""`manage.py new_record URL [--long]`: start a curated record with what mirror and git history know."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from kb.selectors.record_facts import RecordFacts, record_facts
from kb.starter.format import record_path
from kb.starter.load import RECORDS
from kb.starter.public_ids import next_id
from kb.starter.template import new_record


class Command(BaseCommand):
    """Write the template of a new record to its path."""

    help = "Start a record: writes a commented template for the issue and says where it is."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("url", help="the issue's address")
        parser.add_argument("--long", action="store_true", help="with every key that a record may have")
        parser.add_argument("--root", type=Path, default=RECORDS, help="folder with the records")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        url = options["url"].split("#")[0].split("?")[0].rstrip("/")
        try:
            text = new_record(
                url=url,
                today=timezone.localdate(),
                public_id=next_id(options["root"]),
                facts=self._facts(url),
                is_long=options["long"],
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        path = record_path(options["root"], url)
        if path.exists():
            raise CommandError(f"{path} already exists: edit it.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        self.stdout.write(f"Written: {shown}\nFill it in, then check it with: ./manage.py check_records {shown}")

    def _facts(self, url: str) -> RecordFacts | None:
        """What the database knows; a record can be begun without one."""
        try:
            return record_facts(url=url)
        except DatabaseError:
            self.stderr.write("The database does not answer: state, dates and fixes are left to you.")
            return None
