"""`manage.py sync_repo OWNER/NAME --once`: bring one repository's mirror up to date, without Celery."""

import math
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ingest.hosts.connections import PATIENCE_SECONDS, connect
from ingest.models import Mirror, SyncRun
from ingest.selectors.mirrors import find_mirror
from ingest.services.mirrors import add_mirror
from ingest.sync.mirror_run import bring_up_to_date, is_quickly_seen, sweep_all
from ingest.sync.runs import Outcome
from ingest.sync.session import Progress
from kb.core.addresses import BadAddressError
from kb.services.locks import LockHeldError
from kb.services.repositories import UnknownFrameworkError

# The exit status for "try again later" of BSD's sysexits.h.
TRY_AGAIN_LATER = 75
# The database needs a moment to notice that a run was killed.
BUSY_SECONDS = 5.0
BAR = 24


class Command(BaseCommand):
    """Mirror one repository."""

    help = (
        "Bring the mirror of one repository up to date. Exit status 0: complete and true; 75: the host's limit is"
        " reached, run the command again later to continue; 1: anything else, explained in plain words."
    )
    # The checks of pages take longer than a poll does.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("repository", help="OWNER/NAME, or the repository's address")
        parser.add_argument("--once", action="store_true", help="return when the mirror is complete (the default)")
        parser.add_argument(
            "--every", type=int, metavar="SECONDS", help="repeat after this many seconds, until stopped"
        )
        parser.add_argument(
            "--sweep", action="store_true", help="recheck every issue afterwards, even in a large repository"
        )
        parser.add_argument("--wait", action="store_true", help="wait for the host's rate limits instead of stopping")
        parser.add_argument("--framework", default="", help="slug of its framework, for a repository new to us")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        mirror = self._mirror(options["repository"], options["framework"])
        while True:
            self._once(mirror, sweep=options["sweep"], patience=math.inf if options["wait"] else PATIENCE_SECONDS)
            if options["once"] or not options["every"]:
                return
            time.sleep(options["every"])

    def _mirror(self, url: str, framework: str) -> Mirror:
        if "://" not in url:
            url = f"https://github.com/{url}"
        try:
            return find_mirror(url=url) or add_mirror(url=url, framework=framework)[0]
        except (BadAddressError, UnknownFrameworkError) as error:
            raise CommandError(str(error)) from error

    def _once(self, mirror: Mirror, *, sweep: bool, patience: float) -> None:
        watch = _Watch(self)
        began = time.monotonic()
        host = connect(repository=mirror.repository, patience=patience)
        sweep = sweep or is_quickly_seen(mirror=mirror, host=host)
        try:
            outcome = bring_up_to_date(mirror=mirror, host=host, tell=watch.tell, wait_seconds=BUSY_SECONDS)
            self._summary(outcome, time.monotonic() - began, watch)
            if sweep:
                began = time.monotonic()
                outcome = sweep_all(
                    mirror=mirror, host=connect(repository=mirror.repository, patience=patience), tell=watch.tell
                )
                self._summary(outcome, time.monotonic() - began, watch)
        except LockHeldError as error:
            raise CommandError("Another process is mirroring this repository right now.") from error

    def _summary(self, outcome: Outcome, seconds: float, watch: "_Watch") -> None:
        watch.end()
        run = outcome.run
        self.stdout.write(
            f"{run.mirror}: {run.created} new, {run.updated} changed, {run.unchanged} unchanged, {run.deleted} deleted,"
            f" {run.moved} moved; comments and fixes of {run.detailed}; {run.requests} requests"
            f" ({run.not_modified} free of charge), {seconds:.1f} s."
        )
        if outcome.resume_at is not None:
            seconds_left = max(0, math.ceil((outcome.resume_at - timezone.now()).total_seconds()))
            self.stderr.write(
                f"{run.problem} It may continue at {outcome.resume_at:%Y-%m-%d %H:%M:%S} UTC, in {seconds_left} s;"
                " what was read so far is kept."
            )
            raise SystemExit(TRY_AGAIN_LATER)
        if run.status == SyncRun.Status.FAILED or not outcome.is_complete:
            problem = run.problem or "The comments or fixes of some issues could not be read."
            raise CommandError(f"{problem} {run.advice or 'Run it again to retry them.'}")


class _Watch:
    """Shows how far a run has come, on a terminal in one line, else now and then."""

    def __init__(self, command: Command) -> None:
        self._out = command.stdout
        self._live = command.stdout.isatty()
        self._began = time.monotonic()
        self._shown = False

    def tell(self, progress: Progress) -> None:
        """Show the progress."""
        if not self._live:
            return
        bar = left = ""
        if progress.expected:
            share = min(1.0, progress.listed / progress.expected)
            bar = f"[{'#' * round(share * BAR):<{BAR}}] {share:4.0%} "
            if 0 < share < 1:
                spent = time.monotonic() - self._began
                left = f", about {spent / share - spent:.0f} s of listing left"
        self._out.write(
            f"\r{bar}{progress.listed} listed, comments and fixes of {progress.detailed} of"
            f" {progress.pending or '?'}{left}\x1b[K",
            ending="",
        )
        self._out.flush()
        self._shown = True

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            self._out.write("")
