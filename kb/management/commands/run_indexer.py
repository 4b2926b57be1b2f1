"""`manage.py run_indexer`: feeds the search index until it is stopped."""

import signal
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from kb.search.indexer import Indexer


class Command(BaseCommand):
    """Runs this host's indexer; a second one waits until the first has ended."""

    help = "Feed the search index with what changes, and rebuild it when it is missing, damaged or out of date."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether to end when the index is up to date."""
        parser.add_argument("--once", action="store_true", help="bring the index up to date and exit")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until a signal comes."""
        indexer = Indexer()

        def stop(_signum: int, _frame: FrameType | None) -> None:
            indexer.stop()

        if not options["once"]:
            for signum in (signal.SIGTERM, signal.SIGINT):
                signal.signal(signum, stop)
            indexer.run()
        elif not indexer.run_once():
            self.stdout.write("Another indexer is already running.")
        elif indexer.problem:
            # No error: the database answers searches meanwhile.
            self.stderr.write(indexer.problem)
