"""`manage.py restore FOLDER`: put a backup back, or say why it does not fit."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from kb.backup.manifest import BackupError
from kb.backup.restore import check, restore


class Command(BaseCommand):
    """Restore a backup."""

    help = "Put a backup back into an empty database, all or nothing, and bring it up to this version of Faultbook."
    # The database may be empty.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("folder", type=Path, help="the folder of one backup")
        parser.add_argument("--replace", action="store_true", help="delete what is in the database now")
        parser.add_argument("--dry-run", action="store_true", help="only look whether it is whole and fits")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        do = check if options["dry_run"] else restore
        try:
            manifest = do(options["folder"], replace=options["replace"])
        except (BackupError, Error) as error:
            raise CommandError(str(error)) from error
        result = "Whole, and it fits" if options["dry_run"] else "Restored"
        rows = f"{sum(manifest.tables.values()):,} rows of {len(manifest.tables)} tables"
        made = f"a backup of {manifest.made_at:%Y-%m-%d %H:%M} UTC by Faultbook {manifest.program}"
        self.stdout.write(f"{result}: {made}, {rows}.")
