"""Small logs of our own for the tests, and a diagnosis of them. Whole failed runs are made by the generators."""

import io
from collections.abc import Mapping

from kb.core.diagnosis.pipeline import InputFile, ReadFiles, diagnosed, read
from kb.core.diagnosis.report import FAILURE, Diagnosis, Line

STEPS = "\n".join(f"step {number} | loss: 2.{number} | step_time: 1.0s" for number in range(10, 40))
TRACE = ["Traceback (most recent call last):", '  File "train.py", line 3, in main', "    load(data)"]


def read_texts(files: Mapping[str, str | bytes]) -> ReadFiles:
    """Read these logs."""
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    return read([InputFile(name, io.BytesIO(data)) for name, data in contents.items()])


def diagnosis_of(files: Mapping[str, str | bytes] | str, healthy: str = "") -> Diagnosis:
    """The diagnosis of several files, or of one."""
    several = {"job.log": files} if isinstance(files, str) else files
    return diagnosed(read_texts(several), read_texts({"healthy.log": healthy}) if healthy else None)


def indicated(diagnosis: Diagnosis) -> list[tuple[str, int]]:
    """Files and lines that are said to be what failed first."""
    return [(line.file, line.line) for line in diagnosis.lines if line.indicated]


def best(diagnosis: Diagnosis) -> Line:
    """The line that comes first."""
    return diagnosis.lines[0]


def first_of(*lines: str) -> int:
    """The one line after some steps that is said to have failed first, counted from 1."""
    found = diagnosis_of("\n".join((STEPS, *lines)))
    assert found.verdict == FAILURE
    (place,) = indicated(found)
    return place[1] - 30
