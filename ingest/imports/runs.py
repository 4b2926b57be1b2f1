"""Running an import: one transaction per file, a run with its counts, every rejection kept and reported."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import django.db
import pghistory
from django.db import transaction
from django.utils import timezone

from ingest.imports.outcomes import FileOutcome, ImportOutcome
from ingest.imports.report import Report, open_report
from ingest.models import AnnotatorVote, ImportedAnswer, ImportedRow, ImportRejection, ImportRun
from ingest.rejections import Effect, FileUnreadableError, Reason, Rejection, shown
from kb.models import Issue, Label, Source
from kb.services.bulk import copy_rows, refresh_statistics
from kb.services.locks import session_lock

# Long enough for the server to notice that the importer which held the lock was killed.
WAIT_SECONDS = 15.0
MESSAGE_LIMIT = 2_000
MAX_EXAMPLES = 5
WRITTEN = (Issue, Label, ImportedRow, ImportedAnswer, AnnotatorVote)
WORTH_SHOWING = {Effect.LEFT_OUT, Effect.CELL_LEFT_OUT}

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
        rejection = replace(rejection, message=shown(rejection.message, limit=MESSAGE_LIMIT))
        self._outcome.reasons[f"{rejection.reason.value}: {rejection.effect.value}"] += 1
        self._outcome.left_out += rejection.effect == Effect.LEFT_OUT
        if rejection.effect in WORTH_SHOWING and len(self._outcome.examples) < MAX_EXAMPLES:
            self._outcome.examples.append(f"line {rejection.line}: {rejection.message}")
        self._report.write(file=self._outcome.name, rejection=rejection)
        self._waiting.append(rejection)

    def flush(self) -> None:
        """Keep what was taken down since the last time."""
        run, file = self._run.pk, self._outcome.name
        copy_rows(
            table=ImportRejection._meta.db_table,
            columns=("run_id", "file", "line", "reason", "effect", "message", "value"),
            rows=((run, file, r.line, r.reason.value, r.effect.value, r.message, r.value) for r in self._waiting),
        )
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

    Raises `LockHeldError` when another import holds the lock, `ValueError` when two files bear the same name or the
    report's name is wrong or one of theirs, `OSError` when the report cannot be written.
    """
    twice = [name for name, times in Counter(path.name for path in files).items() if times > 1]
    if twice:
        raise ValueError(f"a file is known by its name, but two are called {', '.join(sorted(twice))}")
    if report is not None and report.exists() and any(path.exists() and report.samefile(path) for path in files):
        raise ValueError(f"the report would overwrite the file '{report.name}' that is to be imported")
    # The lock first: the report of the import that runs already may bear the same name.
    with session_lock(spec.lock, wait_seconds=WAIT_SECONDS), open_report(report) as sink:
        # We hold the lock: whoever is still marked as running was killed.
        killed = ImportRun.objects.filter(kind=spec.kind, source=spec.source, status=ImportRun.Status.RUNNING)
        killed.update(status=ImportRun.Status.INTERRUPTED, finished_at=timezone.now())
        run = ImportRun.objects.create(kind=spec.kind, source=spec.source, mapping=spec.mapping)
        outcomes: list[FileOutcome] = []
        with pghistory.context(import_run=run.pk):
            for path in files:
                outcomes.append(_one_file(path, run, sink, import_file))
                for line in outcomes[-1].lines():
                    tell(line)
        outcome = ImportOutcome(run.pk, tuple(outcomes))
        run.status = ImportRun.Status.DONE if outcome.succeeded else ImportRun.Status.FAILED
        run.finished_at = timezone.now()
        run.files = [file.as_dict() for file in outcomes]
        run.save(update_fields=["status", "finished_at", "files"])
        refresh_statistics(tables=WRITTEN)
        sink.finish(files=outcomes)
        return outcome


@contextmanager
def taken_back(*, dry_run: bool) -> Iterator[None]:
    """Take back whatever is written within, if this is a dry run."""
    if not dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


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
