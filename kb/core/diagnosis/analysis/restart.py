"""Whether to start a failed run again: is the infrastructure or the workload at fault, and which nodes to leave out.

It follows from the causes of a diagnosis and their strength; nothing is read here. How often the fault was told right
on logs that nobody had seen is in `measured.yaml`, which `make diagnose-eval` checks.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from kb.core.diagnosis.report import CANCELLED, FAILURE, Cause, Diagnosis, Restart, RightShare, Suspect
from kb.core.yaml_files import Strict, read_yaml

MEASURED = Path(__file__).with_name("measured.yaml")
# Codes of the house codebook: what breaks though the program is right, and what comes and goes by itself.
HARDWARE = frozenset({"accelerator-fault", "network-fault", "node-fault", "storage-fault"})
INFRASTRUCTURE = HARDWARE | {"platform", "transport"}
TIMING = frozenset({"stream-race", "thread-race", "lock-order"})
# So much of the causes' strength decides; between the two it is open.
MOSTLY, HARDLY = 0.6, 0.35
# A node is left out if it is suspected so much, and as few nodes as this are.
SUSPECT, MOST_LEFT_OUT = 0.5, 4


class _Measured(Strict):
    """How often a fault was told right: `right` of `n` logs."""

    right: Annotated[int, Field(ge=0)]
    n: Annotated[int, Field(ge=1)]
    low: float
    high: float


def restart_of(diagnosis: Diagnosis) -> Restart | None:
    """Whether a restart is likely to help; None where nothing failed, or not a run of a model."""
    if diagnosis.verdict == CANCELLED and diagnosis.is_of_models:
        return Restart("none", "likely", (), "Nothing failed: resume from the last checkpoint.", None)
    if diagnosis.verdict != FAILURE or not diagnosis.is_of_models:
        return None
    if not diagnosis.causes:
        return Restart("unknown", "unknown", (), "The log names no cause.", None)
    share = strength(diagnosis.causes, INFRASTRUCTURE)
    names = [cause.code for cause in diagnosis.causes]
    if share >= MOSTLY:
        without = _left_out(diagnosis.nodes) if HARDWARE.intersection(names) else ()
        return Restart("infrastructure", "likely", without, _why_of_infrastructure(without), right("infrastructure"))
    if share > HARDLY:
        why = "The log points at the infrastructure and at the workload alike."
        return Restart("unknown", "unknown", (), why, None)
    if strength(diagnosis.causes, TIMING) >= MOSTLY:
        why = "The failure depends on timing: a restart may get past it, but it will come back."
        return Restart("workload", "unknown", (), why, right("workload"))
    why = "The cause is in the program, its settings or its data: the run will fail again until they change."
    return Restart("workload", "unlikely", (), why, right("workload"))


def strength(causes: Sequence[Cause], codes: frozenset[str]) -> float:
    """The share of the causes' likelihood that is of these codes, from 0 to 1."""
    every = sum(cause.likelihood for cause in causes)
    return sum(cause.likelihood for cause in causes if cause.code in codes) / every if every else 0.0


def right(fault: str) -> RightShare | None:
    """How often this fault was told right where it was told; None where nobody measured it."""
    measured = _measured().get(fault)
    return (
        None if measured is None else RightShare(measured.right / measured.n, measured.low, measured.high, measured.n)
    )


@cache
def _measured() -> dict[str, _Measured]:
    return {fault: _Measured.model_validate(entry) for fault, entry in read_yaml(MEASURED).items()}


def _left_out(nodes: Sequence[Suspect]) -> tuple[str, ...]:
    suspects = tuple(node.name for node in nodes if node.score >= SUSPECT)
    return suspects if len(suspects) <= MOST_LEFT_OUT else ()


def _why_of_infrastructure(without: Sequence[str]) -> str:
    if without:
        return f"The cause is in the infrastructure: resume from the last checkpoint without {', '.join(without)}."
    return "The cause is in the infrastructure, and no node is named: check the nodes, then resume."
