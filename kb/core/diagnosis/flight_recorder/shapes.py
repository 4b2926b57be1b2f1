"""What a dump holds, as frozen dataclasses. Nothing is read or judged here."""

from dataclasses import dataclass
from typing import Literal

State = Literal["scheduled", "started", "completed"]
Sizes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of the Python stack that enqueued an operation."""

    file: str
    line: int | None
    function: str

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line} {self.function}".strip()


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """A group that this rank belongs to. `ranks`: global ranks in the order of the group; empty if not told."""

    name: str
    description: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Status:
    """How far a group had come on this rank. In a group that also sends and receives, the numbers may be of those."""

    last_enqueued: int | None
    last_started: int | None
    last_completed: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded operation. Times are of this rank's clock: never compare them between ranks.

    `collective`: the sequence number in the group, which all members count alike; `p2p`: this rank's own count.
    `state` is None where the dump does not tell; starts are seen only with TORCH_NCCL_ENABLE_TIMING.
    """

    record_id: int | None
    group_id: int | None
    group: str
    group_description: str
    collective: int | None
    p2p: int | None
    op_id: int | None
    name: str
    input_sizes: Sizes
    output_sizes: Sizes
    input_dtypes: tuple[str, ...]
    output_dtypes: tuple[str, ...]
    state: State | None
    created_ns: int | None
    started_ns: int | None
    completed_ns: int | None
    duration_ms: float | None
    timeout_ms: int | None
    retired: bool
    is_p2p: bool
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Dump:
    """What one rank recorded. `rank` is None if neither the contents nor the file's name tell.

    `statuses`: by the rank's own number of the group (`Entry.group_id`).
    """

    name: str
    rank: int | None
    version: str
    groups: tuple[ProcessGroup, ...]
    statuses: dict[int, Status]
    entries: tuple[Entry, ...]
