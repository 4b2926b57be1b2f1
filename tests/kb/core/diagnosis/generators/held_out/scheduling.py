"""Held out: jobs that end from outside."""

from tests.kb.core.diagnosis.generators import acts
from tests.kb.core.diagnosis.generators.entries import Part
from tests.kb.core.diagnosis.generators.faults.networks import limit_reached
from tests.kb.core.diagnosis.generators.faults.scheduling import ended, node_failure, told_to_stop
from tests.kb.core.diagnosis.generators.script import Script

NODE_FAILURE = node_failure(
    "srun: error: Node {short} has been set DOWN (NODE_FAIL), step {job}.0 lost",
    "node {host} lost, status is unknown: pod failed",
    "node {ip} is dead: health check failed 5 times",
    "watchdog: BUG: soft lockup - CPU#31 stuck for 67s! [python3.11:{pid}]",
)
PREEMPTION = ended(
    "slurmstepd: error: *** STEP {job}.0 ON {short} CANCELLED AT {stamp} DUE to PREEMPTION ***",
    "evicted: node {host} was reclaimed for a job of a higher priority class",
    "node {ip} drains: reclaimed by its owner",
)
USER_CANCEL = ended(
    "scancel: Terminating job {job} on request of its owner",
    "pods deleted: the owner scaled the job to zero",
    "job {job}: stop requested from the dashboard",
)


def TIME_LIMIT(s: Script) -> None:  # noqa: N802 - one of a table of plays
    """The limit comes amid a checkpoint."""
    acts.opening(s)
    acts.iterate(s, s.stop_at)
    s.fails("train", "cancelled", "cancelled")
    s.log(s.rank(0), f"writing checkpoint of iteration {s.step}", where="checkpointer.py:60:write")
    limit_reached(s, Part.ROOT)
    told_to_stop(s)
