"""`manage.py export_client_data FILE`: write the data that the client answers from without a server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.exports.client_data import write_client_data


class Command(BaseCommand):
    """Export what is known for clients that work offline."""

    help = "Write the curated records, and what is counted of them, for the client `faultbook`."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("file", type=Path, help="file to write, usually faultbook-client.json.zst")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        path: Path = options["file"]
        try:
            records = write_client_data(path)
        except OSError as error:
            raise CommandError(
                f"{path} cannot be written ({error.strerror}). Name a file in a folder of yours."
            ) from error
        self.stdout.write(f"{records} records written to {path}: {path.stat().st_size:,} bytes.")
