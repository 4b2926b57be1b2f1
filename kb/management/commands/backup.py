"""`manage.py backup [FOLDER]`: write the whole database as a backup that `restore` takes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from kb.backup.dump import make
from kb.backup.manifest import BackupError, read
from kb.services.locks import LockHeldError


class Command(BaseCommand):
    """Make a backup."""

    help = "Write the whole database, with a manifest and checksums, into a new folder below FOLDER."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("folder", nargs="?", default=settings.BACKUP_DIR, help="default: BACKUP_DIR")
        parser.add_argument("--keep", type=int, help="delete all but so many of the newest backups there")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        if not options["folder"]:
            raise CommandError("Name a folder for the backup, or set BACKUP_DIR.")
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be 1 or more: the backup that is made stays.")
        try:
            folder = make(Path(options["folder"]), keep=options["keep"])
            manifest = read(folder)
        except LockHeldError as error:
            raise CommandError("A backup is being made already: wait until it is done.") from error
        except (BackupError, Error) as error:
            raise CommandError(str(error)) from error
        size = sum(file.bytes for file in manifest.files.values())
        rows = sum(manifest.tables.values())
        self.stdout.write(f"Written: {folder} ({size:,} bytes, {rows:,} rows of {len(manifest.tables)} tables)")
        self.stdout.write(manifest.left_out)
