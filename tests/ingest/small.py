"""A small study of two axes, its mapping, a sound row of it, and ways to import it here or in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from ingest.imports.outcomes import FileOutcome, ImportOutcome
from ingest.imports.studies.load import import_study
from ingest.imports.studies.mapping import StudyMapping
from kb.models import Study
from tests.support.factories import make_axis, make_node, make_study

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")

MAPPING: dict[str, Any] = {
    "study": "small",
    "source": {
        "slug": "small-labels",
        "name": "Small labels",
        "confidence": "low",
        "url": "https://example.org/small",
        "licence": "none stated",
        "trust_note": "Made up.",
    },
    "url": "url",
    "kind": "unknown",
    "axes": [
        {"axis": "theme", "final": "final", "votes": ["v1", "v2", "v3"]},
        {"axis": "symptom", "final": "symptom", "match": "path", "split": " - ", "blank": "skip"},
    ],
    "repeats": "first",
}
HEADER = "url,v1,v2,v3,final,symptom"
ISSUE = "https://github.com/deepspeedai/DeepSpeed/issues/"
GOOD = f"{ISSUE}1,A.1,A.1,B.1,A.1,Crash - CUDA Error"

Write = Callable[..., Path]
ImportText = Callable[..., FileOutcome]


def make_small_study() -> Study:
    """The study `small`: themes A.1 and B.1, symptoms Crash > CUDA Error > Out of Memory, and Hang."""
    study = make_study("small")
    theme = make_axis("theme", scheme="small", study=study)
    symptom = make_axis("symptom", scheme="small", study=study)
    for code in ("A.1", "B.1"):
        make_node(code, axis=theme)
    crash = make_node("S1", axis=symptom, name="Crash")
    cuda = make_node("S1.1", axis=symptom, name="CUDA Error", parent=crash)
    make_node("S1.1.1", axis=symptom, name="Out of Memory", parent=cuda)
    make_node("S2", axis=symptom, name="Hang")
    return study


def small_mapping(**changes: Any) -> StudyMapping:
    return StudyMapping.model_validate(MAPPING | changes)


def run_small(files: list[Path], *, report: Path | None = None, dry_run: bool = False, **changes: Any) -> ImportOutcome:
    return import_study(mapping=small_mapping(**changes), files=files, report=report, dry_run=dry_run)


def command(*arguments: str | Path, through: str = "") -> subprocess.Popen[bytes]:
    """Start `manage.py` on the tests' database in a process of its own; `through`: a program that starts it."""
    launcher = [sys.executable, "-c", through] if through else []
    return subprocess.Popen(
        [*launcher, sys.executable, str(ROOT / "manage.py"), *map(str, arguments), "--skip-checks"],
        env=os.environ | {"DATABASE_URL": database_address()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
    )


def run_command(*arguments: str | Path) -> str:
    """Run `manage.py` to its good end and return what it said."""
    process = command(*arguments)
    said = process.communicate()[0].decode()
    assert process.returncode == 0, said
    return said


def database_address() -> str:
    """The address of the database that this test runs on."""
    address = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(address._replace(path=f"/{connection.settings_dict['NAME']}"))
