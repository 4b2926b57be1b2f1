"""`manage.py export_issues`: mirrored issues as JSON lines."""

import sys
from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ingest.selectors.export import exported_issues
from kb.core.addresses import BadAddressError
from kb.models import Repository
from kb.services.repositories import resolve_repository


class Command(BaseCommand):
    """Write mirrored issues as JSON lines."""

    help = (
        "Write the mirrored issues and pull requests to standard output, one JSON object a line. Passwords, tokens and "
        "e-mail addresses that people pasted are hidden."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument(
            "--repo", action="append", default=[], metavar="OWNER/NAME", help="only this one; again for more"
        )
        parser.add_argument(
            "--as-written",
            action="store_true",
            help="hide nothing: to compare a mirror with its host, not to be shared",
        )

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        repositories: list[Repository | None] = [self._repository(name) for name in options["repo"]]
        out = sys.stdout.buffer
        for repository in repositories or [None]:
            with transaction.atomic():
                for row in exported_issues(repository=repository, as_written=options["as_written"]):
                    out.write(orjson.dumps(row) + b"\n")
        out.flush()

    def _repository(self, name: str) -> Repository:
        try:
            repository = resolve_repository(url=name if "://" in name else f"https://github.com/{name}")
        except BadAddressError as error:
            raise CommandError(str(error)) from error
        if repository is None:
            raise CommandError(f"There is no repository {name} here.")
        return repository
