"""An import that is killed leaves nothing of the file it was at; the next one ends where an undisturbed one would."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model

from ingest.models import AnnotatorVote, ImportedRow, ImportRun
from kb.models import Issue, Label
from tests.ingest.small import HEADER, ISSUE, MAPPING, Write, command, make_small_study

pytestmark = pytest.mark.django_db(transaction=True)

State = dict[str, list[tuple[Any, ...]]]
FIRST, SECOND = range(1, 100), range(100, 2_000)


def rows(numbers: range) -> list[str]:
    return [HEADER, *(f"{ISSUE}{n},A.1,B.1,A.1,A.1,Crash - CUDA Error" for n in numbers)]


def state() -> State:
    """Every row with its id; history and times aside."""
    fields: dict[type[Model], tuple[str, ...]] = {
        Issue: ("pk", "url"),
        Label: ("pk", "issue", "node__code"),
        ImportedRow: ("pk", "issue", "occurrence", "line", "gives_labels"),
        ImportedRow.answers.through: ("pk", "row", "node__code"),
        AnnotatorVote: ("pk", "row", "annotator", "node__code"),
    }
    return {model.__name__: list(model._default_manager.order_by("pk").values_list(*f)) for model, f in fields.items()}


def waited_for(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def waiting_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def empty_database() -> None:
    """Nothing but the small study, with ids from 1 on."""
    names = [name for name in connection.introspection.table_names() if name.startswith(("kb_", "ingest_"))]
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(names)} RESTART IDENTITY CASCADE")
    make_small_study()


@pytest.fixture
def mapping(write: Write) -> Path:
    return write(yaml.safe_dump(MAPPING).encode(), "mapping.yaml")


@pytest.fixture
def files(write: Write) -> list[Path]:
    return [write(rows(FIRST), "first.csv"), write(rows(SECOND), "second.csv")]


known: list[State] = []


@pytest.fixture
def undisturbed(mapping: Path, files: list[Path]) -> State:
    """What an import that nobody disturbs leaves in an empty database; the database is empty again afterwards."""
    if not known:
        empty_database()
        call_command("import_study", mapping, *files)
        known.append(state())
    empty_database()
    return known[0]


def test_killed_while_it_reads(undisturbed: State, mapping: Path, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    pipe = tmp_path / "pipe" / "second.csv"
    os.mkfifo(pipe)
    process = command("import_study", mapping, files[0], pipe)
    half = "\n".join(rows(SECOND)).encode()[:120_000]
    with pipe.open("wb", buffering=0) as stream:  # opening waits for the reader, writing for what it has read
        stream.write(half)
        assert waited_for(lambda: ImportedRow.objects.count() == len(FIRST))
        kill(process)
    assert ImportedRow.objects.count() == len(FIRST)
    assert ImportRun.objects.get().status == ImportRun.Status.RUNNING

    call_command("import_study", mapping, *files)
    assert state() == undisturbed
    assert list(ImportRun.objects.order_by("pk").values_list("status", flat=True)) == ["interrupted", "done"]


@pytest.mark.parametrize("table", ["kb_issue", "ingest_importedrow", "kb_label"])
def test_killed_while_it_writes(table: str, undisturbed: State, mapping: Path, files: list[Path]) -> None:
    call_command("import_study", mapping, files[0])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE")  # the importer gets as far as this table
        process = command("import_study", mapping, *files)
        assert waited_for(waiting_for_a_lock)
        kill(process)
    assert ImportedRow.objects.count() == len(FIRST)

    call_command("import_study", mapping, *files)
    assert state() == undisturbed


def test_killed_at_any_moment(undisturbed: State, mapping: Path, files: list[Path]) -> None:
    for delay in (0.6, 0.8, 1.0):
        process = command("import_study", mapping, *files)
        time.sleep(delay)
        kill(process)
    call_command("import_study", mapping, *files)
    assert state() == undisturbed
