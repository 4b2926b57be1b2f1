"""`manage.py add_repository URL` or `--list NAME`: mirror one repository, or those of a shipped list."""

import datetime as dt
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ingest.imports.runs import taken_back
from ingest.models import Mirror
from ingest.scope.repository_lists import Wanted, list_names, wanted_repositories
from ingest.services.keyword_lists import ensure_keyword_list
from ingest.services.mirrors import add_mirror


class Command(BaseCommand):
    """Add repositories to those that are mirrored."""

    help = (
        "Mirror a repository, or those of a shipped list. What is mirrored already stays as it is; calling again does"
        " no harm. The worker begins by itself; `manage.py sync_repo` brings one up to date at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        names = ", ".join(list_names())
        parser.add_argument("repository", nargs="?", metavar="URL", help="its address; OWNER/NAME is one on GitHub")
        parser.add_argument("--list", metavar="NAME", help=f"a shipped list ({names}), or all of them: all")
        parser.add_argument("--framework", metavar="SLUG", help="its framework, for a repository new to us")
        parser.add_argument("--keywords", metavar="NAME", help="keep only issues that hold a word of this list")
        parser.add_argument("--interval", type=int, metavar="MINUTES", help="how often its host is checked for changes")
        parser.add_argument("--since", metavar="DATE", help="only what was changed since this day (2024-12-31)")
        parser.add_argument("--dry-run", action="store_true", help="do everything, report everything, keep nothing")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        if bool(options["repository"]) == bool(options["list"]):
            raise CommandError("Give either a repository's address or --list NAME.")
        if options["list"] and (options["framework"] or options["keywords"]):
            raise CommandError("--framework and --keywords are for one repository; a list says them itself.")
        try:
            if options["list"]:
                wanted = wanted_repositories(name=options["list"])
                if options["interval"] is not None:
                    wanted = tuple(replace(row, interval_minutes=options["interval"]) for row in wanted)
            else:
                url = options["repository"]
                if "://" not in url:
                    url = f"https://github.com/{url}"
                wanted = (Wanted(url, options["framework"] or "", options["interval"], options["keywords"] or ""),)
            since = _day(options["since"])
            with transaction.atomic(), taken_back(dry_run=options["dry_run"]):
                added = sum(self._add(row, since) for row in wanted)
        except ValueError as error:
            # Whatever is wrong with an address, a name or a wish; each says so in plain words.
            raise CommandError(f"{error}.") from error
        self.stdout.write(f"{added} added, {len(wanted) - added} there already.")
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was saved.")

    def _add(self, wanted: Wanted, since: dt.date | None) -> bool:
        keywords = ensure_keyword_list(name=wanted.keywords) if wanted.keywords else None
        mirror, is_new = add_mirror(
            url=wanted.url,
            framework=wanted.framework,
            keywords=keywords,
            interval_minutes=wanted.interval_minutes,
            backfill_from=since,
        )
        self.stdout.write(
            f"{mirror.repository.url}: {'added' if is_new else 'there already, unchanged'}; {_how(mirror)}"
        )
        return is_new


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError as error:
        raise CommandError("--since takes a day such as 2024-12-31.") from error


def _how(mirror: Mirror) -> str:
    """How a mirror is kept, in words."""
    kept = f"keeps what holds a word of the list {mirror.keywords}" if mirror.keywords else "keeps everything"
    since = f", from {mirror.backfill_from} on" if mirror.backfill_from else ""
    return f"{mirror.repository.framework}, asked every {mirror.interval_minutes} minutes, {kept}{since}."
