"""`manage.py doctor`: shows what is wrong with the installation and how to fix it."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.backup.health import backup
from kb.health.checks import Check, all_checks
from kb.health.diagnoses import diagnoser
from kb.health.mail import mail
from kb.health.slow_queries import slow_queries
from kb.search.health import search_checks


class Command(BaseCommand):
    """Prints one line per check; the exit code is 1 when something is wrong."""

    help = "Check this installation, and say how to fix what is wrong."
    # It must work without a database, and with wrong settings.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """JSON for programs, and single checks."""
        parser.add_argument("--json", action="store_true", help="print the checks as JSON")
        parser.add_argument("--only", default="", help="run only this check")
        parser.add_argument(
            "--queries", action="store_true", help="list the statements that PostgreSQL spent most time on instead"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the checks and print their results."""
        if options["queries"]:
            self.print_queries(as_json=options["json"])
            return
        checks = [*all_checks(), mail(), diagnoser(), *search_checks(), backup()]
        if options["only"]:
            checks = [check for check in checks if check.name == options["only"]]
            if not checks:
                raise CommandError(f"No check is called {options['only']}.")
        if options["json"]:
            report = {"ok": all(check.ok for check in checks), "checks": [asdict(check) for check in checks]}
            self.stdout.write(json.dumps(report))
        else:
            self.print_plainly(checks)
        if not all(check.ok for check in checks):
            sys.exit(1)

    def print_queries(self, *, as_json: bool) -> None:
        """Print the slowest statements."""
        try:
            queries = slow_queries()
        except LookupError as error:
            raise CommandError(f"No statements are counted. {error}") from error
        if as_json:
            self.stdout.write(json.dumps([asdict(query) for query in queries]))
            return
        self.stdout.write(f"{'total':>12} {'calls':>9} {'mean':>11}  statement")
        for query in queries:
            times = f"{query.total_ms:>9,.0f} ms {query.calls:>9,} {query.mean_ms:>8,.1f} ms"
            self.stdout.write(f"{times}  {query.statement}")

    def print_plainly(self, checks: list[Check]) -> None:
        """Print the checks for people."""
        for check in checks:
            mark = self.style.SUCCESS("well ") if check.ok else self.style.ERROR("WRONG")
            self.stdout.write(f"{mark}  {check.name:<13} {check.detail}")
            if not check.ok:
                self.stdout.write(f"       {'':<13} Fix: {check.fix}")
        wrong = sum(not check.ok for check in checks)
        if wrong:
            self.stdout.write(f"\n{wrong} of {len(checks)} checks found something wrong. Fix the topmost first.")
        else:
            self.stdout.write("\nEverything is well.")
