"""`manage.py second_pass FILES`: store labels of a second, independent pass, and show where they differ."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pydantic
import yaml
from django.core.management.base import BaseCommand, CommandError

from kb.core.yaml_faults import problems_of
from kb.core.yaml_files import read_yaml
from kb.starter.format import Record, read_record, record_path
from kb.starter.load import RECORDS
from kb.starter.passes import PASSES, SecondPass, apart, first_and_second, write


class Command(BaseCommand):
    """Store second passes."""

    help = "Store a second pass's labels (url, labels, read; as in a record) beside the first, and show what differs."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("files", nargs="+", type=Path, help="one file of each record")
        parser.add_argument(
            "--pilot", action="store_true", help="it belongs to the pilot, before the rules were corrected"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: D102
        refused = []
        for file in options["files"]:
            try:
                second = SecondPass.model_validate(read_yaml(file))
            except (pydantic.ValidationError, yaml.YAMLError, OSError, UnicodeDecodeError) as error:
                refused += [f"{file}:{line}: {reason}" for line, reason in problems_of(error, file, SecondPass)]
                continue
            path = record_path(RECORDS, second.url)
            try:
                record = read_record(path)
            except (pydantic.ValidationError, yaml.YAMLError, OSError, UnicodeDecodeError) as error:
                refused += [f"{path}:{line}: {reason}" for line, reason in problems_of(error, path, Record)]
                continue
            if record_path(PASSES, record.url).exists():
                refused.append(f"{file}: {record.url} already has its second pass")
                continue
            passes = first_and_second(record, second, is_pilot=options["pilot"])
            self.stdout.write(f"{write(passes, PASSES)}: {', '.join(apart(passes)) or 'the same on every axis'}")
        if refused:
            raise CommandError("\n".join(refused))
