"""`manage.py check_frameworks`: check the list of frameworks without a database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.scope.frameworks_check import check_frameworks
from kb.core.frameworks import FRAMEWORKS


class Command(BaseCommand):
    """Check the list of frameworks."""

    help = "Check kb/core/frameworks.yaml: form, names used twice, and the lists and groups that entries name."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--file", type=Path, default=FRAMEWORKS, help="another list in the same form")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        frameworks, rejections = check_frameworks(options["file"])
        if rejections:
            raise CommandError("\n".join(map(str, rejections)))
        self.stdout.write(f"{frameworks} frameworks are fine.")
