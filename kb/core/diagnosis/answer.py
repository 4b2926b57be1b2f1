"""The whole diagnosis that page, API, command and client show: what the log says, its timeline, and what is known."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kb.core.diagnosis.analysis.past import NO_PAST, PastJobs
from kb.core.diagnosis.context import with_context
from kb.core.diagnosis.pipeline import InputFile, ReadFiles, as_data, diagnosed, read
from kb.core.diagnosis.reading.intake import Limits
from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.setup import setup_of
from kb.core.diagnosis.timeline import timeline
from kb.core.setups.facts import Setup

# Adds what the knowledge base knows to the data of a diagnosis, for the set-up that the log tells of.
AddKnown: TypeAlias = Callable[[DiagnosisData, Setup], DiagnosisData]
# Gives the files of the failed run from their beginning once more.
Reopen: TypeAlias = Callable[[], Iterable[InputFile]]


def answer(
    *,
    files: Iterable[InputFile],
    add_known: AddKnown,
    healthy: Iterable[InputFile] = (),
    past: PastJobs = NO_PAST,
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    reopen: Reopen = tuple,
    cores: int = 1,
) -> DiagnosisData:
    """Diagnose these files, beside healthy runs of the like and earlier jobs.

    `limits` are those of the files and, once more, of the healthy ones. `progress` is told the bytes of text read so
    far, now and then; what it raises ends the reading. Without `reopen` the lines that matter come without those around
    them, and what the log tells of the set-up is not heeded. `cores`: how many may be used.

    Raises `UnreadableInputError`.
    """
    healthy_files = list(healthy)
    failed_run = read(files, limits, progress, cores)
    healthy_run = read(healthy_files, limits, progress, cores) if healthy_files else None
    data = data_of(failed_run, diagnosed(failed_run, healthy_run, past=past), reopen, limits, progress)
    return add_known(data, setup_of(reopen(), limits))


def data_of(
    failed_run: ReadFiles,
    diagnosis: Diagnosis,
    reopen: Reopen,
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> DiagnosisData:
    """What the log alone says, with the lines around those that matter, and the timeline."""
    data = with_context(as_data(diagnosis), reopen(), limits, progress)
    data["timeline"] = timeline(failed_run.scan, diagnosis)
    return data
