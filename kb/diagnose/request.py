"""Somebody asks for a diagnosis: answered at once if it is small, else by a job, and within their share."""

from collections.abc import Sequence

from django.contrib.auth.models import User

from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose import jobs
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.shares import place_of
from kb.diagnose.uploads import Upload
from kb.models import DiagnosisJob


def ask(
    *, files: Sequence[Upload], visitor: str, waiting: Waiting | None, owner: User | None = None
) -> DiagnosisData | DiagnosisJob:
    """The diagnosis of these files, or its job. `waiting`: what may be answered at once; nothing, if None.

    Raises `UnreadableInputError`, `TooLargeError`, `BusyError` and `ShareTakenError`.
    """
    with place_of(visitor) as place:
        data = answer_at_once(files=files, waiting=waiting) if waiting else None
        if data is not None:
            return data
        job = jobs.start(files=files, owner=owner)
        place.keep_for(job.pk)
        return job
