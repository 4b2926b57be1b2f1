"""`manage.py check_records [FILES] [--coverage] [--demand]`: check records without a database; show what is wanted."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.codebook.format import read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.starter.check import answered_threads, check_records
from kb.starter.claims import summary
from kb.starter.coverage import coverage, table
from kb.starter.demand import DEMAND, demand_table, read_demand
from kb.starter.lines import ISSUES, read_issues
from kb.starter.load import RECORDS, read_records
from kb.starter.passes import PASSES


class Command(BaseCommand):
    """Check records' form, codes and wording."""

    help = "Check records: form, codes of the codebook, and sentences shared between records."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="*", type=Path, help="records to report on; all when none is named")
        parser.add_argument("--coverage", action="store_true", help="show how much of the field they cover")
        parser.add_argument("--demand", action="store_true", help="show which faults people ask about without a record")
        parser.add_argument(
            "--issues", type=Path, default=ISSUES, help="folder with mirrored issues, which few recognise lines may fit"
        )
        parser.add_argument("--root", type=Path, default=RECORDS, help="folder with the records")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        records = {path.resolve(): record for path, record in read_records(options["root"])[0]}
        if options["coverage"]:
            rows = coverage(list(records.values()), read_house(CODEBOOK / "house.yaml"))
            self.stdout.write("\n".join(table(rows)))
        if options["demand"]:
            entries = read_demand(options["root"].with_name(DEMAND.name)).entries
            self.stdout.write("\n".join(demand_table(entries, answered_threads(records.values()))))
        files = {path.resolve() for path in options["files"]}
        root = options["root"].resolve()
        for path in sorted(files):
            if path.suffix != ".yaml" or not path.is_file() or not path.is_relative_to(root):
                raise CommandError(f"{path} is no record below {root}, so it cannot be checked.")
        problems = check_records(options["root"], issues=list(read_issues(options["issues"]))).problems
        if files:
            # A file's two passes must agree with it, so their errors are the file's.
            theirs = files | {PASSES.resolve() / path.relative_to(root) for path in files}
            problems = tuple(problem for problem in problems if problem.path.resolve() in theirs)
            records = {path: record for path, record in records.items() if path in files}
        if problems:
            raise CommandError("\n".join(str(problem) for problem in problems))
        self.stdout.write(f"{len(records)} record{'s are' if len(records) != 1 else ' is'} fine.")
        self.stdout.write(summary(records.values()))
