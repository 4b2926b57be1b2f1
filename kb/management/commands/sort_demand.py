"""`manage.py sort_demand [FILES]`: add entries to the list of wanted faults, merge doubles, and sort it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.starter.demand import DEMAND, as_text, merged, read_demand


class Command(BaseCommand):
    """Sort the list of wanted faults."""

    help = "Add the entries of the files to the list of wanted faults, merge entries for the same fault, and sort it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="*", type=Path, help="files in the list's format; none: only sort")
        parser.add_argument("--list", type=Path, default=DEMAND, help="the list")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        path = options["list"]
        files = [read_demand(file) for file in (path, *options["files"])]
        problems = [str(problem) for file in files for problem in file.problems]
        if problems:
            raise CommandError("\n".join(problems))
        entries = [entry for file in files for entry in file.entries]
        sorted_entries = merged(entries)
        path.write_text(as_text(sorted_entries), encoding="utf-8")
        doubles = len(entries) - len(sorted_entries)
        self.stdout.write(f"{len(sorted_entries)} entries, {doubles} merged with another for the same fault.")
