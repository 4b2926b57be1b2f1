"""What a dump holds, as frozen dataclasses."""

from collections.abc import Sequence
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
    """How far a group had come on this rank. In a group that also sends and receives, the numbers may count those."""

    last_enqueued: int | None
    last_completed: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded operation.

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
    started_ns: int | None
    is_p2p: bool
    frames: tuple[Frame, ...]

    @property
    def operation(self) -> str:
        """The operation without the backend's name before it, such as all_reduce."""
        return self.name.partition(":")[2] or self.name or "operation"


@dataclass(frozen=True, slots=True)
class Dump:
    """What one rank recorded. `rank` is None if neither the contents nor the file's name tell.

    `statuses`: by the rank's own number of the group (`Entry.group_id`).
    """

    name: str
    rank: int | None
    groups: tuple[ProcessGroup, ...]
    statuses: dict[int, Status]
    entries: tuple[Entry, ...]

    @property
    def extent(self) -> tuple[int, int]:
        """How much was recorded: the number of the last record, and how many are kept."""
        return max((entry.record_id or 0 for entry in self.entries), default=-1), len(self.entries)

    @property
    def in_order(self) -> Sequence[Entry]:
        """The entries in the order in which they were recorded, as far as they tell it."""
        if any(entry.record_id is None for entry in self.entries):
            return self.entries
        return sorted(self.entries, key=lambda entry: entry.record_id or 0)
