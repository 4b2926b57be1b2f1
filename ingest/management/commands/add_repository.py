"""`manage.py add_repository URL` or `--list NAME`: mirror one repository, or those of a shipped list."""

import datetime as dt
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ingest.models import Mirror
from ingest.scope.repository_lists import Wanted, read_lists, wanted_repositories
from ingest.services.keyword_lists import ensure_keyword_list
from ingest.services.mirrors import add_mirror
from ingest.services.runs import taken_back

OF_AN_ADDRESS = ("framework", "keywords")


class Command(BaseCommand):
    """Add repositories to those that are mirrored."""

    help = (
        "Mirror a repository, or those of a shipped list. What is mirrored already stays as it is; calling again does"
        " no harm. The worker begins by itself; `manage.py sync_repo` brings one up to date at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        names = ", ".join(one.name for one in read_lists().lists)
        parser.add_argument("repository", nargs="?", metavar="URL", help="its address; OWNER/NAME is one on GitHub")
        parser.add_argument("--list", metavar="NAME", help=f"a shipped list ({names}), or all of them: all")
        parser.add_argument("--framework", metavar="SLUG", help="its framework, for a repository new to us")
        parser.add_argument("--keywords", metavar="NAME", help="keep only issues that hold a word of this list")
        parser.add_argument("--interval", type=int, metavar="MINUTES", help="how often its host is asked what is new")
        parser.add_argument("--since", metavar="DATE", help="only what was changed since this day (2024-12-31)")
        parser.add_argument("--dry-run", action="store_true", help="do everything, report everything, keep nothing")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        self._refuse_nonsense(options)
        try:
            wanted = self._wanted(options)
            since = _day(options["since"])
            with transaction.atomic(), taken_back(dry_run=options["dry_run"]):
                added = sum(self._add(one, since) for one in wanted)
        except ValueError as error:
            # Whatever is wrong with an address, a name or a wish; each says so in plain words.
            raise CommandError(f"{error}.") from error
        self.stdout.write(f"{added} added, {len(wanted) - added} there already.")
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was kept.")

    @staticmethod
    def _refuse_nonsense(options: dict[str, Any]) -> None:
        if bool(options["repository"]) == bool(options["list"]):
            raise CommandError("Give either a repository's address or --list NAME.")
        if options["list"] and any(options[name] for name in OF_AN_ADDRESS):
            raise CommandError("--framework and --keywords are for one repository; a list says them itself.")

    @staticmethod
    def _wanted(options: dict[str, Any]) -> Sequence[Wanted]:
        minutes = options["interval"]
        if options["list"]:
            return [
                Wanted(one.url, one.framework, one.interval_minutes if minutes is None else minutes, one.keywords)
                for one in wanted_repositories(name=options["list"])
            ]
        given = options["repository"]
        url = given if "://" in given else f"https://github.com/{given}"
        return [Wanted(url, options["framework"] or "", minutes, options["keywords"] or "")]

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


def _day(given: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(given) if given else None
    except ValueError as error:
        raise CommandError("--since takes a day such as 2024-12-31.") from error


def _how(mirror: Mirror) -> str:
    """How a mirror is kept, in words."""
    kept = f"keeps what holds a word of the list {mirror.keywords}" if mirror.keywords else "keeps everything"
    since = f", from {mirror.backfill_from} on" if mirror.backfill_from else ""
    return f"{mirror.repository.framework}, asked every {mirror.interval_minutes} minutes, {kept}{since}."
