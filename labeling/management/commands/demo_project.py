"""`manage.py demo_project`: a project with three accounts to try labeling in; `--remove` takes it away again."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.demo import ACCOUNTS, FIRST, LEAD, SECOND, SLUG
from labeling.demo.create import LEFT, make_demo
from labeling.demo.delete import remove_demo
from labeling.refusals import RefusedError

PASSWORD_BYTES = 9
DOES = {
    LEAD: "leads the project and settles disagreements",
    FIRST: "has labelled all of the pilot round",
    SECOND: f"has {LEFT} issues left to label: begin with this one",
}


class Command(BaseCommand):
    """Make or remove the demo project."""

    help = "Make a project to try labeling in, with three accounts whose passwords are shown once; or remove it."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--remove", action="store_true", help="remove the demo project with all its votes")
        parser.add_argument(
            "--password", default="", help="one password for the three accounts, instead of random ones"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        try:
            if options["remove"]:
                self.stdout.write(f"The demo project is gone: {remove_demo():,} rows.")
                return
            passwords = {name: options["password"] or secrets.token_urlsafe(PASSWORD_BYTES) for name in ACCOUNTS}
            make_demo(passwords=passwords)
        except RefusedError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("The demo project is ready. Its accounts, whose passwords are not shown again:\n")
        for name in ACCOUNTS:
            self.stdout.write(f"  {name:10} {passwords[name]:14} {DOES[name]}")
        self.stdout.write(f"\nLog in at /account/login/ and open /labeling/{SLUG}/. docs/tour.md walks you through it.")
