"""`manage.py export_history`: write what was read of histories into the files that ship with the project."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kb.core.addresses import BadAddressError
from kb.models import History, Repository
from kb.services.repositories import resolve_repository
from kb.starter.histories import HISTORIES, dumped, history_path


class Command(BaseCommand):
    """Write the files of histories."""

    help = "Write releases and the facts of known fixes of the histories that were read, a file for each repository."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("repositories", nargs="*", metavar="OWNER/NAME", help="by default all that were read")
        parser.add_argument("--root", type=Path, default=HISTORIES, help="folder with the files")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: D102
        root: Path = options["root"]
        root.mkdir(parents=True, exist_ok=True)
        for repository in self._repositories(options["repositories"]):
            path = history_path(root, repository)
            path.write_text(dumped(repository), "utf-8")
            self.stdout.write(f"{repository}: {path}")

    def _repositories(self, names: list[str]) -> list[Repository]:
        if not names:
            return list(Repository.objects.filter(history__isnull=False))
        return [self._repository(name) for name in names]

    def _repository(self, name: str) -> Repository:
        try:
            repository = resolve_repository(url=name if "://" in name else f"https://github.com/{name}")
        except BadAddressError as error:
            raise CommandError(f"{error}.") from error
        if repository is None or not History.objects.filter(repository=repository).exists():
            raise CommandError(f"The history of {name} was not read: `read_history {name}` does it.")
        return repository
