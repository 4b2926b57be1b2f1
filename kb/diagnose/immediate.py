"""A diagnosis while somebody waits: for what is small enough. All else is a job's. Nothing is stored."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb.core.diagnosis.reading.intake import MIB, Intake, Limits
from kb.core.diagnosis.reading.sources import sources
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose.answer import answer
from kb.diagnose.uploads import Upload, input_files
from kb.health.numbers import DIAGNOSIS_SECONDS

# More of them take seconds however small they are.
FEW = Limits(files=6_000, entries=12_000, parts=50_000, zipped=64 * MIB)


@dataclass(frozen=True)
class Waiting:
    """What may be answered while somebody waits: bytes as they were sent, bytes of text in them, seconds of reading."""

    sent: int
    text: int
    seconds: float = 20.0


class _TooLongError(Exception):
    """Reading took longer than somebody waits."""


def answer_at_once(*, files: Sequence[Upload], waiting: Waiting) -> DiagnosisData | None:
    """The diagnosis of these files; None when it has to be a job. Raises `UnreadableInputError`."""
    deadline = time.monotonic() + waiting.seconds

    def heed_deadline(_read: int) -> None:
        if time.monotonic() > deadline:
            raise _TooLongError

    try:
        if sum(file.size for file in files) > waiting.sent or _has_more_text(files, waiting.text, heed_deadline):
            return None
        with DIAGNOSIS_SECONDS.time():
            return answer(
                files=input_files(files, healthy=False),
                healthy=input_files(files, healthy=True),
                limits=Limits(text=waiting.text + MIB),
                progress=heed_deadline,
                reopen=lambda: input_files(files, healthy=False),
            )
    except _TooLongError:
        return None


def _has_more_text(files: Sequence[Upload], most: int, progress: Callable[[int], None]) -> bool:
    """Is there more text in these files than so many bytes, or more files, entries of archives or parts than a few?

    They are unpacked no further than that.
    """
    intake = Intake(FEW, progress)
    size = 0
    for file in (*input_files(files, healthy=False), *input_files(files, healthy=True)):
        for source in sources(file.name, file.stream, intake):
            while block := source.stream.fill(MIB):
                intake.heed()
                size += len(block)
                if size > most:
                    return True
        if intake.is_cut:
            return True
    return False
