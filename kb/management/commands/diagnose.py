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
        command.add_offline(parser)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        add_known = None if options["offline"] else with_known_at_terminal
        sys.exit(command.answer(Namespace(**options), add_known, self.stdout, self.stderr))
