"""`manage.py suggest_labels`: suggest issue type, symptom, stage and component by rules."""

from argparse import ArgumentParser
from typing import Any

import django.db
from django.core.management.base import BaseCommand, CommandError

from ingest.services import suggestions
from kb.models import Host
from kb.services.labels import LabelChanges
from kb.services.repositories import known_repositories


class Command(BaseCommand):
    """Suggest labels for what changed since the last time."""

    help = (
        "Suggest issue type, symptom, stage and component by rules, as labels of the source `rule`. Only issues that "
        "changed are read; safe to run again. See docs/suggestions.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--repo", help="only this repository: OWNER/NAME, as on its host; old names work")
        parser.add_argument("--all", action="store_true", help="read every issue again, changed or not")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        try:
            due = suggestions.due_issues(repository_id=_repository(options["repo"]), again=options["all"])
            changes = LabelChanges(0, 0, 0)
            for start in range(0, len(due), suggestions.CHUNK):
                chunk = due[start : start + suggestions.CHUNK]
                changes += suggestions.suggest_labels(issue_ids=chunk, again=options["all"])
                if self.stdout.isatty():
                    self.stdout.write(f"{start + len(chunk):,} of {len(due):,} issues", ending="\r")
        except django.db.Error as error:
            raise CommandError(f"{error} What was done stays done: run it again.") from error
        self.stdout.write(
            f"{len(due):,} issues read: {changes.added:,} suggestions added, {changes.reworded:,} reworded, "
            f"{changes.removed:,} removed."
        )
        for rule in suggestions.rules_without_node():
            self.stdout.write(f"The rule {rule} suggests nothing: its category is not in use.")


def _repository(name: str | None) -> int | None:
    """The repository's id, None for all. Raises `CommandError` when nobody knows it."""
    if not name:
        return None
    repositories = known_repositories()
    for host in Host.values:
        repository = repositories.find((host, name.lower()))
        if repository is not None:
            return repository.pk
    raise CommandError(f"No repository is called {name}: give OWNER/NAME, as on its host.")
