"""The diagnosis that page, API and jobs show: what the log says and what the knowledge base adds. Nothing is stored."""

from collections.abc import Callable, Iterable

from kb.core.diagnosis.context import with_context
from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, read
from kb.core.diagnosis.reading.intake import Limits
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.timeline import timeline
from kb.diagnose.knowledge import with_known


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
    without it the lines that matter come without those around them. `cores`: how many may be used.

    Raises `UnreadableInputError`.
    """
    healthy_files = list(healthy)
    failed_run = read(files, limits, progress, cores)
    healthy_run = read(healthy_files, limits, progress, cores) if healthy_files else None
    diagnosis = diagnosed(failed_run, healthy_run)
    data = with_context(as_data(diagnosis), reopen() if reopen else (), limits, progress)
    data["timeline"] = timeline(failed_run.scan, diagnosis)
    return with_known(data)
