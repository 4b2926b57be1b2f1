"""Earlier jobs of the same place: what those like a run that ended well say, and whether a failure came before.

How they are read is `kb.core.diagnosis.past_runs`.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from kb.core.diagnosis.report import FAILURE, HEALTHY, Diagnosis, Recurrence, Verdict
from kb.core.diagnosis.scanning.records import Scan

# A job is like another if so many of the kinds of lines of the one that has fewer are the other's, too.
ALIKE = 0.3


@dataclass(frozen=True)
class PastJob:
    """An earlier job. `signature`: version and key; `kinds`: its lines' masked texts; `iterations`: how far it came."""

    name: str
    verdict: Verdict
    signature: tuple[int, str] | None
    kinds: frozenset[str]
    iterations: int


@dataclass(frozen=True)
class PastJobs:
    """Earlier jobs, the newest first. `unread`: those that were passed over, in sentences."""

    jobs: tuple[PastJob, ...] = ()
    unread: tuple[str, ...] = ()

    def healthy_like(self, scan: Scan) -> list[PastJob]:
        """The jobs like this one that ended well."""
        # What only a failure has says nothing of the kind of job.
        kinds = {template.text for template in scan.templates if not (template.is_notable or template.is_frame)}
        return [job for job in self.jobs if job.verdict == HEALTHY and _is_like(kinds, job.kinds)]

    def recurrence(self, signature: tuple[int, str]) -> Recurrence | None:
        """How many of the jobs that failed had a failure of this signature; None where none failed."""
        failed = [job for job in self.jobs if job.verdict == FAILURE and job.signature is not None]
        same = [job.name for job in failed if job.signature == signature]
        return Recurrence(len(failed), len(same), same[0] if same else None) if failed else None


NO_PAST = PastJobs()


def iterations_of(jobs: Collection[PastJob]) -> int:
    """How many iterations all of the jobs had; 0 where they differ, since such jobs may be shorter or longer."""
    lengths = {job.iterations for job in jobs}
    return lengths.pop() if len(lengths) == 1 else 0


def with_recurrence(diagnosis: Diagnosis, recurrence: Recurrence | None) -> Diagnosis:
    """The diagnosis whose advice on a restart also says whether the failure came before."""
    if recurrence is None or diagnosis.restart is None:
        return diagnosis
    why = f"{diagnosis.restart.why} {_sentence(recurrence)}"
    return replace(diagnosis, restart=replace(diagnosis.restart, why=why, recurs=recurrence))


def _is_like(kinds: Collection[str], others: frozenset[str]) -> bool:
    smaller = min(len(kinds), len(others))
    return bool(smaller) and len(others.intersection(kinds)) >= ALIKE * smaller


def _sentence(recurrence: Recurrence) -> str:
    jobs = "1 earlier failed job" if recurrence.of == 1 else f"{recurrence.of} earlier failed jobs"
    if recurrence.last is None:
        return f"New: none of {jobs} failed this way."
    return f"Seen before: {recurrence.same} of {jobs} failed this way, most recently {recurrence.last}."
