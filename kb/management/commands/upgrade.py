"""`manage.py upgrade PACKAGE FROM TO [--setup FILE ...]`: what an upgrade fixes, brings and leaves open."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from packaging.version import Version

from kb.core.check.texts import NotCheckedError, texts_at
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup
from kb.core.versions import as_version
from kb.exports.upgrades import upgrade_document, upgrade_text
from kb.selectors.releases import find_package
from kb.selectors.upgrades import upgrade


class Command(BaseCommand):
    """Compare two versions of a package."""

    help = "Show which known faults an upgrade of a package fixes, which come with it, and which stay."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("package", help="its name on PyPI, or OWNER/NAME")
        parser.add_argument("start", metavar="FROM", help="the version you have")
        parser.add_argument("target", metavar="TO", help="the version you think of")
        parser.add_argument(
            "--setup", nargs="+", type=Path, default=(), help="files of your set-up: exclude what it rules out"
        )
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        package = find_package(options["package"])
        if package is None:
            raise CommandError(f"No history of {options['package']} was read, and no record names its versions.")
        first, second = _version(options["start"]), _version(options["target"])
        if first > second:
            self.stderr.write("This is a downgrade: shown is the upgrade back.")
        changes = upgrade(package, min(first, second), max(first, second), _setup(options["setup"]))
        if options["format"] == "json":
            site = str(settings.SITE_URL).rstrip("/")
            document = upgrade_document(changes, lambda path: site + path)
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(upgrade_text(changes), ending="")


def _setup(paths: Sequence[Path]) -> Setup | None:
    try:
        return read_setup(texts_at(paths)) if paths else None
    except NotCheckedError as error:
        raise CommandError(str(error)) from error


def _version(text: str) -> Version:
    version = as_version(text)
    if version is None:
        raise CommandError(f"'{text}' is no version: write it as 0.15.4.")
    return version
