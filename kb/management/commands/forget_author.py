"""`manage.py forget_author HOST LOGIN`: erase a person's texts for good."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.models import Host
from kb.services.erasure import forget_author


class Command(BaseCommand):
    """Erase a person's texts."""

    help = "Erase the text of all issues and comments that an account wrote on a host; no later run restores it."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("host", choices=Host.values)
        parser.add_argument("login")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        done = forget_author(host=Host(options["host"]), login=options["login"])
        self.stdout.write(f"Emptied {done.issues} issues and pull requests and {done.comments} comments.")
