"""What makes a style of log."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.kb.core.diagnosis.generators.entries import At, Lines, Metrics

Launcher = Literal["elastic", "slurm", "mpi", "deepspeed", "ray", "vllm"]
Scheduler = Literal["slurm", "kubernetes", "ray"]


@dataclass(frozen=True)
class Style:
    """Functions that put words into the shape of one system.

    `log` formats a message of a logger; `trace` the lines of an uncaught exception; `report` an iteration's numbers;
    `wrap` adds what the transport adds to every line; `file` says where the line is written.
    """

    name: str
    log: Callable[[At, str], str]
    trace: Callable[[At, Lines], Lines]
    report: Callable[[At, Metrics], tuple[str, ...]]
    wrap: Callable[[At, str], str]
    file: Callable[[At], str]
    launcher: Launcher = "elastic"
    scheduler: Scheduler = "slurm"
    reporters: Literal["first", "last", "all"] = "first"
    # The progress bar of the one who reports is written again and again over the same line.
    bar: bool = False
    nccl: bool = False
