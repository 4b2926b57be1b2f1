"""`manage.py check_signals [FILES]`: check the files of log signals without a database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.core.diagnosis.signals.catalogue import FOLDER
from kb.core.diagnosis.signals.check import check_signals


class Command(BaseCommand):
    """Check the form, codes, patterns and examples of log signals."""

    help = "Check log signals: form, codes of the codebook, patterns on their examples and on lines of healthy runs."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="*", type=Path, help="files to check; default: all")
        parser.add_argument("--root", type=Path, default=FOLDER, help="folder with the files")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        root = options["root"].resolve()
        files = [path.resolve() for path in options["files"]]
        for path in files:
            if path.suffix != ".yaml" or not path.is_file() or path.parent != root:
                raise CommandError(f"{path} is not a signal file in {root}, so it cannot be checked.")
        known = parents_of(read_house(CODEBOOK / "house.yaml"))
        # A signal is held against all others, so all files are read whichever are named.
        report = check_signals(known, root)
        problems = [problem for problem in report.problems if not files or problem.path in files]
        if problems:
            raise CommandError("\n".join(map(str, problems)))
        number = sum(count for path, count in report.signals.items() if not files or path in files)
        self.stdout.write(f"{number} signal{'s are' if number != 1 else ' is'} fine.")
