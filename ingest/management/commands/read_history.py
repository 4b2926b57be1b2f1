"""`manage.py read_history OWNER/NAME`: read a repository's git history."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.git.running import GitError, HistoryError
from ingest.services.history import read_repository
from kb.core.addresses import BadAddressError
from kb.services.locks import LockHeldError
from kb.services.repositories import resolve_repository


class Command(BaseCommand):
    """Read one history."""

    help = (
        "Read a repository's releases, changes and fixes from its git history, and what versions faults are in. Without"
        " --from, a clone of our own is made or brought up to date. Running it again reads what is new."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("repository", help="OWNER/NAME, or the repository's address")
        parser.add_argument("--from", dest="source", default="", help="a clone's folder, or an address by https")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        began = time.monotonic()
        url = options["repository"]
        try:
            repository = resolve_repository(url=url if "://" in url else f"https://github.com/{url}")
            if repository is None:
                raise CommandError(f"Unknown repository: {url}. Add it with `add_repository` or `load_starter`.")
            report = read_repository(repository=repository, source=options["source"], tell=self.stdout.write)
        except LockHeldError as error:
            raise CommandError("Another process is reading this history right now.") from error
        except (BadAddressError, HistoryError, GitError) as error:
            raise CommandError(f"{error}.") from error
        seconds = time.monotonic() - began
        if not report.is_new:
            self.stdout.write(f"{repository}: nothing new, {seconds:.1f} s.")
            return
        self.stdout.write(
            f"{repository}: {report.commits} commits, {report.releases} releases, {report.changes} changes, of which"
            f" {report.counted} counted now; {report.fixes} fixes changed, {report.links} new links,"
            f" {report.ranges} ranges; {seconds:.1f} s."
        )
