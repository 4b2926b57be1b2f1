"""`diagnose` among Django's commands. `manage.py` goes without them, to `kb.core.diagnosis.command`."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand

from kb.core.diagnosis import command
from kb.diagnose.knowledge import with_known_at_terminal


class Command(BaseCommand):
    """Diagnose a failed run from its logs."""

    help = command.HELP
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        sys.exit(command.answer(Namespace(**options), with_known_at_terminal, self.stdout, self.stderr))
