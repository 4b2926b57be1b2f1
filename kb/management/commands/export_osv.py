"""`manage.py export_osv FOLDER [--package NAME]`: write every fault with a range in OSV's format, a file each."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from kb.core.versions import package_name
from kb.exports.osv import Exporter, osv_id
from kb.selectors.faults import issues_with_ranges

CHUNK = 500


class Command(BaseCommand):
    """Export ranges for tools that read OSV."""

    help = "Write one OSV document for each fault with versions that more than a report supports."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("folder", type=Path, help="folder to write into; it is made if it is missing")
        parser.add_argument("--package", default="", help="only faults with a range of this package")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        folder: Path = options["folder"]
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"{folder} is no folder: name another one.")
        folder.mkdir(parents=True, exist_ok=True)
        site = str(settings.SITE_URL).rstrip("/")
        exporter = Exporter(lambda path: site + path)
        written = skipped = 0
        package = package_name(options["package"]) if options["package"] else ""
        for issue in issues_with_ranges(package).iterator(chunk_size=CHUNK):
            document = exporter.document(issue)
            if document is None:
                skipped += 1
                continue
            text = json.dumps(document, indent=2, ensure_ascii=False)
            (folder / f"{osv_id(issue)}.json").write_text(text + "\n", encoding="utf-8")
            written += 1
        self.stdout.write(f"{written} faults written to {folder}; {skipped} without a bound beyond reports.")
