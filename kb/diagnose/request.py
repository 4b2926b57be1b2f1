"""Somebody asks for a diagnosis: answered at once if it is small, else by a job, and within their share."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from kb.diagnose import jobs
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.shares import place_of
from kb.diagnose.uploads import Handed
from kb.models import DiagnosisJob


def ask(
    *, files: Sequence[Handed], visitor: str, waiting: Waiting | None, owner: User | None = None
) -> dict[str, Any] | DiagnosisJob:
    """The diagnosis of these files, or its job. `waiting`: what may be answered at once; nothing, if None.

    Raises `UnreadableInputError`, `TooLargeError`, `BusyError` and `ShareTakenError`.
    """
    with place_of(visitor) as place:
        found = None if waiting is None else answer_at_once(files=files, waiting=waiting)
        if found is not None:
            return found
        job = jobs.start(files=files, owner=owner)
        place.keep_for(job.pk)
        return job
