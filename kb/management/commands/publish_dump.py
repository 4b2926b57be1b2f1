"""`manage.py publish_dump [FOLDER]`: write the public knowledge base as files that anybody may load."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from kb.exports.dumps.publishing import publish
from kb.services.locks import LockHeldError


class Command(BaseCommand):
    """Publish a dump."""

    help = "Write a version of the dump: JSON lines, Parquet, SQLite, OSV. Unchanged knowledge makes no new version."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("folder", nargs="?", type=Path, default=settings.DUMPS_DIR, help="default: DUMPS_DIR")
        parser.add_argument("--keep", type=int, default=settings.DUMPS_KEPT, help="how many versions stay")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        folder: Path = options["folder"]
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"{folder} is no folder: name another one.")
        if options["keep"] < 1:
            raise CommandError("--keep must be 1 or more: the version that is made stays.")
        try:
            published = publish(folder, today=timezone.localdate(), keep=options["keep"])
        except LockHeldError as error:
            raise CommandError("A dump is being made already: wait until it is done.") from error
        self.stdout.write(f"{'Written' if published.is_new else 'Unchanged since'}: {published.folder}")
