"""The diagnosis that page, API and jobs show, beside the earlier jobs that this server keeps. Nothing is stored."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings

from kb.core.diagnosis import answer as core
from kb.core.diagnosis.analysis.past import NO_PAST, PastJobs
from kb.core.diagnosis.past_runs import past_jobs
from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.intake import Limits
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose.knowledge import with_known
from kb.http.spans import spanned

log = logging.getLogger(__name__)


@spanned("diagnosis")
def answer(
    *,
    files: Iterable[InputFile],
    healthy: Iterable[InputFile] = (),
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    reopen: core.Reopen = tuple,
    cores: int = 1,
) -> DiagnosisData:
    """Diagnose these files, as `kb.core.diagnosis.answer` says. Raises `UnreadableInputError`."""
    return core.answer(
        files=files,
        healthy=healthy,
        past=_past(),
        limits=limits,
        progress=progress,
        reopen=reopen,
        cores=cores,
        add_known=with_known,
    )


def _past() -> PastJobs:
    """The earlier jobs that this server keeps, if any."""
    if not settings.DIAGNOSE_PAST_RUNS:
        return NO_PAST
    try:
        return past_jobs(Path(settings.DIAGNOSE_PAST_RUNS))
    except OSError as error:
        log.warning("The folder of earlier jobs cannot be read: %s", error)
        return PastJobs(unread=("Earlier jobs were not compared: their folder cannot be read now.",))
