"""The one data of a diagnosis that every face shows: what the log says, what the knowledge base adds. No storing."""

from collections.abc import Callable, Iterable
from typing import Any

from kb.core.diagnosis.context import with_context
from kb.core.diagnosis.pipeline import Given, diagnosed, read
from kb.core.diagnosis.reading.intake import Limits
from kb.core.diagnosis.schema import as_data
from kb.core.diagnosis.timeline import timeline
from kb.diagnose.knowledge import with_known


def answer(
    *,
    files: Iterable[Given],
    healthy: Iterable[Given] = (),
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    again: Callable[[], Iterable[Given]] | None = None,
    cores: int = 1,
) -> dict[str, Any]:
    """Diagnose these files, beside healthy runs of the like, as JSON data (docs/diagnosing.md).

    `limits` are those of the files and, once more, of the healthy ones. `progress` is told the bytes of text read so
    far, now and then; what it raises ends the reading. `again` gives the same files from their beginning once more:
    without it the lines that matter come without those around them. `cores`: how many may be used.

    Raises `UnreadableInputError`.
    """
    compared = list(healthy)
    found = read(files, limits, progress, cores)
    usual = read(compared, limits, progress, cores) if compared else None
    diagnosis = diagnosed(found, usual)
    data = with_context(as_data(diagnosis), again() if again is not None else (), limits, progress)
    return with_known({**data, "timeline": timeline(found.scan, diagnosis)})
