"""`faultbook schema`: the JSON schema that an answer printed with `--json` has."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

HELP = "Print the JSON schema (draft 2020-12) of what a command prints with --json."
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def add_arguments(parser: ArgumentParser) -> None:
    """Of which command."""
    parser.add_argument("of", choices=sorted(SHAPES), help="the command whose answer it is of")


def run(options: Namespace) -> int:
    """Print it."""
    from pydantic import TypeAdapter

    shape: TypeAdapter[Any] = TypeAdapter(SHAPES[options.of]())
    json.dump({"$schema": DIALECT, **shape.json_schema()}, sys.stdout, indent=2, ensure_ascii=False)
    print()
    return 0


def _diagnosis() -> Any:
    from kb.core.diagnosis.schema import DiagnosisData

    return DiagnosisData


def _check() -> Any:
    from kb.core.check.schema import CheckData

    return CheckData


def _found() -> Any:
    from faultbook.found import FoundData

    return FoundData


def _watched() -> Any:
    from faultbook.watch.schema import WatchedDiagnosis

    return WatchedDiagnosis


def _triaged() -> Any:
    from kb.core.triage import TriageData

    return TriageData


SHAPES: dict[str, Callable[[], Any]] = {
    "diagnose": _diagnosis, "check": _check, "search": _found, "watch": _watched, "triage": _triaged,
}  # fmt: skip
