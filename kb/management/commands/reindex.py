"""`manage.py reindex`: rebuilds the search index beside the one in use, and shows the progress."""

import signal
import time
from argparse import ArgumentParser
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.models import SearchBuild
from kb.search import backends
from kb.search.backends import EngineUnavailableError
from kb.search.indexer import Indexer
from kb.search.indexing import ask_for_rebuild

TELL_SECONDS = 2.0


class Command(BaseCommand):
    """Lets the running indexer rebuild, or rebuilds itself when none runs. Interrupting it loses no work."""

    help = "Rebuild the search index. Searches keep working; changes made in the meantime are included."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether to start from scratch, and the number of processes."""
        parser.add_argument("--fresh", action="store_true", help="start over where an earlier rebuild was interrupted")
        parser.add_argument("--processes", type=int, default=0, help="how many at once; else one per core")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Request a rebuild, then do it or watch it."""
        if backends.index() is None:
            self.stdout.write("The chosen search engine needs no index.")
            return
        try:
            row = ask_for_rebuild("asked for by hand", fresh=options["fresh"])
        except EngineUnavailableError as error:
            raise CommandError(str(error)) from error
        progress = Progress(row.pk, self.stdout.write)
        indexer = Indexer(processes=options["processes"], tell=progress.tell)

        def stop(_signum: int, _frame: FrameType | None) -> None:
            indexer.stop()

        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, stop)
        while not indexer.is_stopping and not progress.is_over():
            if not indexer.run_once():
                progress.tell()
                time.sleep(0.2)
            elif indexer.problem:
                raise CommandError(indexer.problem)
        if not progress.is_over():
            raise CommandError("Stopped; `manage.py reindex` or the indexer continues from here.")
        progress.tell_end()


class Progress:
    """Prints the progress of a rebuild every few seconds."""

    def __init__(self, pk: int, write: Callable[[str], object]) -> None:
        self._pk = pk
        self._write = write
        self._told = self._started = time.monotonic()
        self._first: int | None = None

    def is_over(self) -> bool:
        """Whether the rebuild is finished or was replaced by another."""
        return not SearchBuild.objects.filter(pk=self._pk, finished_at=None).exists()

    def tell(self) -> None:
        """Print a line, unless the last one is too recent."""
        if time.monotonic() - self._told < TELL_SECONDS:
            return
        self._told = time.monotonic()
        row = SearchBuild.objects.filter(pk=self._pk).first()
        if row is None or row.started_at is None:
            self._write("Waiting for the indexer ...")
            return
        if self._first is None or row.done < self._first:
            self._first, self._started = row.done, time.monotonic()
        speed = (row.done - self._first) / max(time.monotonic() - self._started, 0.001)
        left = f", {duration((row.total - row.done) / speed)} left" if speed else ""
        self._write(f"{row.done:,} of {row.total:,} issues, {speed:,.0f} per second{left}")

    def tell_end(self) -> None:
        """Print the last line."""
        row = SearchBuild.objects.filter(pk=self._pk).first()
        if row is None:
            self._write("A newer rebuild replaced this one.")
        else:
            self._write(f"The search index is rebuilt: {row.done:,} issues.")


def duration(seconds: float) -> str:
    """Seconds as text, in seconds or minutes."""
    if seconds < 90:
        return f"{max(0, seconds):.0f} s"
    return f"{seconds / 60:.0f} min"
