"""What the generators hand over: the files of a job, and what is true of it."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["failure", "healthy", "cancelled", "no_evidence"]
Symptom = Literal["crash", "launch_failure", "hang", "slowdown", "numerical", "cancelled", "none"]
Places = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Truth:
    """What is true of a job. Empty or None: the log does not tell, or it does not apply; not to be judged.

    Lines are physical, counted from 1; only a newline ends one. `support_lines` are right too (the rest of a root's
    traceback, the launcher's word on the rank that failed first); `cascade_lines` are consequences. `nodes` are named
    as the log names them, `aliases` has all the names of each. `iteration` is the last one that was reported before
    the fault or, for numbers that went wrong, the first one that shows them.
    """

    verdict: Verdict
    root_lines: Places
    support_lines: Places
    cascade_lines: Places
    nodes: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]
    stage: str
    iteration: int | None
    symptom: Symptom


@dataclass(frozen=True)
class Job:
    """Files by name, and for every physical line the true second at which it came about (clocks may lie)."""

    files: dict[str, bytes]
    truth: Truth
    healthy: bool
    times: dict[str, tuple[float, ...]]
