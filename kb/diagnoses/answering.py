"""The one data of a diagnosis that every face shows: what the log says, what the knowledge base adds. No storing."""

from collections.abc import Callable, Iterable
from typing import Any

from kb.diagnosis.diagnosing import Given, diagnosed, read
from kb.diagnosis.reading.intake import Limits
from kb.diagnosis.schema import as_data


def answer(
    *,
    files: Iterable[Given],
    healthy: Iterable[Given] = (),
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Diagnose these files, beside healthy runs of the like, as JSON data (docs/diagnosing.md).

    `limits` are those of the files and, once more, of the healthy ones. `progress` is told the bytes of text read so
    far, now and then; what it raises ends the reading. Raises `UnreadableInputError`.
    """
    compared = list(healthy)
    found = read(files, limits, progress)
    usual = read(compared, limits, progress) if compared else None
    return as_data(diagnosed(found, usual))
