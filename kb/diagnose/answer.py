"""The diagnosis that page, API and jobs show: what the log says and what the knowledge base adds. Nothing is stored."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings

from kb.core.diagnosis.analysis.past import NO_PAST, PastJobs
from kb.core.diagnosis.context import with_context
from kb.core.diagnosis.past_runs import past_jobs
from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, read
from kb.core.diagnosis.reading.intake import Limits
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.setup import setup_of
from kb.core.diagnosis.timeline import timeline
from kb.diagnose.knowledge import with_known

log = logging.getLogger(__name__)


def answer(
    *,
    files: Iterable[InputFile],
    healthy: Iterable[InputFile] = (),
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    reopen: Callable[[], Iterable[InputFile]] | None = None,
    cores: int = 1,
) -> DiagnosisData:
    """Diagnose these files, beside healthy runs of the like.

    `limits` are those of the files and, once more, of the healthy ones. `progress` is told the bytes of text read so
    far, now and then; what it raises ends the reading. `reopen` gives the same files from their beginning once more:
    without it the lines that matter come without those around
    them, and what the log tells of the set-up is not heeded. `cores`: how many may be used.

    Raises `UnreadableInputError`.
    """
    healthy_files = list(healthy)
    failed_run = read(files, limits, progress, cores)
    healthy_run = read(healthy_files, limits, progress, cores) if healthy_files else None
    diagnosis = diagnosed(failed_run, healthy_run, past=_past())
    data = with_context(as_data(diagnosis), reopen() if reopen else (), limits, progress)
    data["timeline"] = timeline(failed_run.scan, diagnosis)
    return with_known(data, setup_of(reopen() if reopen else (), limits))


def _past() -> PastJobs:
    """The earlier jobs that this server keeps, if any."""
    if not settings.DIAGNOSE_PAST_RUNS:
        return NO_PAST
    try:
        return past_jobs(Path(settings.DIAGNOSE_PAST_RUNS))
    except OSError as error:
        log.warning("The folder of earlier jobs cannot be read: %s", error)
        return PastJobs(unread=("Earlier jobs were not compared: their folder cannot be read now.",))
