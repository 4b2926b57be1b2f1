"""`manage.py check_setup PATH...`: which known faults affect a set-up, before it runs. Nothing is stored."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand

from kb.check.answer import check
from kb.core.check import command


class Command(BaseCommand):
    """Check a set-up."""

    help = command.HELP

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        sys.exit(command.answer(Namespace(**options), check, self.stdout, self.stderr))
