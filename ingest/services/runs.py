"""Running an import: one transaction per file, a run with its counts, every rejection kept and reported."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django.db
import pghistory
from django.db import transaction
from django.utils import timezone

from ingest.imports.outcomes import FileOutcome, ImportOutcome
from ingest.imports.rejections import Effect, FileUnreadableError, Reason, Rejection, shown
from ingest.imports.report import Report, open_report
from ingest.models import AnnotatorVote, ImportedAnswer, ImportedRow, ImportRejection, ImportRun
from ingest.services.locks import hold_alone
from kb.models import Issue, Label, Source
from kb.services.bulk import copy_rows, refresh_statistics

MESSAGE_LIMIT = 2_000
MAX_EXAMPLES = 5
WRITTEN = (Issue, Label, ImportedRow, ImportedAnswer, AnnotatorVote)
WORTH_SHOWING = {Effect.LEFT_OUT, Effect.CELL_LEFT_OUT}
COLUMNS = ("run_id", "file", "line", "reason", "effect", "message", "value")

Tell = Callable[[str], None]


def say_nothing(_line: str) -> None:
    """A `Tell` for those who want no progress."""


class RejectionLog:
    """Collects one file's rejections: counted at once, kept in the database in batches, written to the report."""

    def __init__(self, *, run: ImportRun, outcome: FileOutcome, report: Report) -> None:
        self._run = run
        self._outcome = outcome
        self._report = report
        self._waiting: list[Rejection] = []

    def add(self, rejection: Rejection) -> None:
        """Take a rejection down."""
        rejection = rejection.told(shown(rejection.message, limit=MESSAGE_LIMIT))
        self._outcome.reasons[f"{rejection.reason.value}: {rejection.effect.value}"] += 1
        self._outcome.left_out += rejection.effect == Effect.LEFT_OUT
        if rejection.effect in WORTH_SHOWING and len(self._outcome.examples) < MAX_EXAMPLES:
            self._outcome.examples.append(f"line {rejection.line}: {rejection.message}")
        self._report.write(file=self._outcome.name, rejection=rejection)
        self._waiting.append(rejection)

    def flush(self) -> None:
        """Keep what was taken down since the last time."""
        rows = (
            (self._run.pk, self._outcome.name, r.line, r.reason.value, r.effect.value, r.message, r.value)
            for r in self._waiting
        )
        copy_rows(table=ImportRejection._meta.db_table, columns=COLUMNS, rows=rows)
        self._waiting.clear()


@dataclass(frozen=True)
class RunSpec:
    """Which importer runs, under which lock and for which source."""

    kind: ImportRun.Kind
    lock: str
    source: Source | None = None
    mapping: str = ""


ImportFile = Callable[[Path, RejectionLog, FileOutcome, ImportRun], None]


def run_import(
    *, spec: RunSpec, files: Sequence[Path], import_file: ImportFile, report: Path | None, tell: Tell
) -> ImportOutcome:
    """Import every file by `import_file`, each in a transaction of its own; a bad file does not stop the others.

    Raises `BusyError` when another import holds the lock, `ValueError` when two files bear the same name or the
    report's name is wrong or one of theirs, `OSError` when the report cannot be written.
    """
    _refuse_equal_names(files)
    if report is not None and any(_is_same_file(report, path) for path in files):
        raise ValueError(f"the report would overwrite the file '{report.name}' that is to be imported")
    # The lock first: the report of the import that runs already may bear the same name.
    with hold_alone(name=spec.lock), open_report(report) as sink:
        run = _start(spec)
        outcomes: list[FileOutcome] = []
        with pghistory.context(import_run=run.pk):
            for path in files:
                outcomes.append(_one_file(path, run, sink, import_file))
                for line in outcomes[-1].lines():
                    tell(line)
        outcome = ImportOutcome(run.pk, tuple(outcomes))
        _finish(run, outcome)
        refresh_statistics(tables=WRITTEN)
        sink.finish(files=[file.as_dict() for file in outcomes])
        return outcome


def _refuse_equal_names(files: Sequence[Path]) -> None:
    names = [path.name for path in files]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"a file is known by its name, but two are called {', '.join(twice)}")


def _is_same_file(report: Path, path: Path) -> bool:
    return report.exists() and path.exists() and report.samefile(path)


@contextmanager
def taken_back(*, dry_run: bool) -> Iterator[None]:
    """Take back whatever is written within, if this is a dry run."""
    if not dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _start(spec: RunSpec) -> ImportRun:
    # We hold the lock: whoever is still marked as running was killed.
    stale = ImportRun.objects.filter(kind=spec.kind, source=spec.source, status=ImportRun.Status.RUNNING)
    stale.update(status=ImportRun.Status.INTERRUPTED, finished_at=timezone.now())
    return ImportRun.objects.create(kind=spec.kind, source=spec.source, mapping=spec.mapping)


def _finish(run: ImportRun, outcome: ImportOutcome) -> None:
    run.status = ImportRun.Status.DONE if outcome.succeeded else ImportRun.Status.FAILED
    run.finished_at = timezone.now()
    run.files = [file.as_dict() for file in outcome.files]
    run.save(update_fields=["status", "finished_at", "files"])


def _one_file(path: Path, run: ImportRun, report: Report, import_file: ImportFile) -> FileOutcome:
    outcome = FileOutcome(path.name)
    started = time.monotonic()
    try:
        with transaction.atomic():
            log = RejectionLog(run=run, outcome=outcome, report=report)
            import_file(path, log, outcome, run)
            log.flush()
    except FileUnreadableError as error:
        outcome = _failed(path, run, report, str(error))
    except django.db.Error as error:
        outcome = _failed(path, run, report, f"the database refused it: {str(error).splitlines()[0]}")
    outcome.seconds = round(time.monotonic() - started, 2)
    return outcome


def _failed(path: Path, run: ImportRun, report: Report, error: str) -> FileOutcome:
    """Nothing of the file stays but the reason."""
    outcome = FileOutcome(path.name, error=shown(error, limit=MESSAGE_LIMIT))
    log = RejectionLog(run=run, outcome=outcome, report=report)
    log.add(Rejection(0, Reason.FILE, error))
    log.flush()
    return outcome
