"""`manage.py allow NAME [RIGHT ...]`: give an account its rights for the whole site."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from labeling.rights import Right
from labeling.services.oversight import give_rights

RIGHTS = {right.name.lower(): right for right in Right}


class Command(BaseCommand):
    """Give an account its rights."""

    help = (
        "Let an account found projects, invite people without an account, publish, or oversee all projects. "
        "Rights you do not name are revoked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("name", help="the account's user name")
        parser.add_argument("rights", nargs="*", choices=sorted(RIGHTS), metavar="RIGHT", help=", ".join(RIGHTS))

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is no account “{options['name']}”. People make theirs at /account/signup/.")
        give_rights(user=user, rights=[RIGHTS[name] for name in options["rights"]])
        self.stdout.write(f"{user.username} may: {', '.join(options['rights']) or 'nothing beyond roles in projects'}.")
