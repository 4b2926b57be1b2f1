"""`manage.py record_agreement [FILE]`: write how far both passes over the curated records agree."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.core.quality.figures import keep
from kb.starter.circumstances import read_readings
from kb.starter.passes import read_passes, read_pilot
from labeling.agreement.figures import as_figures
from labeling.agreement.records import document


class Command(BaseCommand):
    """Write the report."""

    help = "Write how far two independent passes over the curated records agree (docs/agreement.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("file", nargs="?", type=Path, help="where to; shown when none is named")
        parser.add_argument(
            "--figures", action="store_true", help="write the figures that the site shows at /about/quality/, too"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        parents = parents_of(read_house(CODEBOOK / "house.yaml"))
        passes = list(read_passes().values())
        if options["figures"]:
            keep(as_figures(passes, parents))
        text = document(passes, parents, read_pilot(), read_readings())
        if options["file"] is None:
            self.stdout.write(text)
        else:
            options["file"].write_text(text, encoding="utf-8")
