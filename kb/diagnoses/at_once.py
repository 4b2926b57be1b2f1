"""A diagnosis while somebody waits: for what is small enough. All else is a job's. Nothing is stored."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kb.diagnoses.answering import answer
from kb.diagnoses.uploads import Handed, given
from kb.diagnosis.reading.intake import Intake, Limits
from kb.diagnosis.reading.sources import sources

MIB = 1 << 20


@dataclass(frozen=True)
class Waiting:
    """What may be answered while somebody waits: bytes as they were sent, bytes of text in them, seconds of reading."""

    sent: int
    text: int
    seconds: float = 20.0


class _TooLongError(Exception):
    """Nobody waits for so long."""


def answer_at_once(*, files: Sequence[Handed], waiting: Waiting) -> dict[str, Any] | None:
    """The diagnosis of these files; None when it has to be a job. Raises `UnreadableInputError`."""
    if sum(file.size for file in files) > waiting.sent or _weighs_more(files, waiting.text):
        return None
    try:
        return answer(
            files=given(files, healthy=False),
            healthy=given(files, healthy=True),
            limits=Limits(text=waiting.text + MIB),
            progress=_until(time.monotonic() + waiting.seconds),
            again=lambda: given(files, healthy=False),
        )
    except _TooLongError:
        return None


def _weighs_more(files: Sequence[Handed], most: int) -> bool:
    """Is there more text in these files than so many bytes? They are unpacked no further than that."""
    intake, found = Intake(Limits()), 0
    for file in (*given(files, healthy=False), *given(files, healthy=True)):
        for source in sources(file.name, file.stream, intake):
            while block := source.stream.read(MIB):
                found += len(block)
                if found > most:
                    return True
    return False


def _until(end: float) -> Callable[[int], None]:
    def tell(_read: int) -> None:
        if time.monotonic() > end:
            raise _TooLongError

    return tell
