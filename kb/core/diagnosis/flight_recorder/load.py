"""From a file that somebody handed in to a `Dump`, or to a refusal."""

import orjson

from kb.core.diagnosis.flight_recorder.contents import dump_of, rank_named
from kb.core.diagnosis.flight_recorder.shapes import Dump, Entry, Frame, ProcessGroup, Status
from kb.core.diagnosis.flight_recorder.unpickling import MAX_BYTES, UnreadableDump, UnsafeDump, plain_data

__all__ = [
    "MAX_BYTES", "Dump", "Entry", "Frame", "ProcessGroup", "Status", "UnreadableDump", "UnsafeDump", "rank_named",
    "read_contents", "read_dump",
]  # fmt: skip


def read_dump(data: bytes, name: str) -> Dump:
    """Read one rank's dump, a pickle or its JSON form.

    `name` is the file's: where the contents do not tell the rank, it does (`nccl_trace_rank_3`, `_dump_12`).
    The format: torch/csrc/distributed/c10d/FlightRecorder.hpp of PyTorch, versions 1.0 to 2.x; keys may be missing.

    Raises `UnsafeDump` if it is a pickle that does anything but build plain data, and `UnreadableDump` if it is no
    dump, is cut off, or exceeds what a dump can be in bytes, instructions, entries or lengths of texts.
    """
    return dump_of(read_contents(data), name)


def read_contents(data: bytes) -> object:
    """The plain data of a dump of whatever kind, a pickle or JSON. Raises what `read_dump` raises."""
    if len(data) > MAX_BYTES:
        raise UnreadableDump(f"It is larger than {MAX_BYTES >> 20} MiB.")
    if data[:64].lstrip()[:1] != b"{":
        return plain_data(data)
    try:
        contents: object = orjson.loads(data)
    except (orjson.JSONDecodeError, RecursionError) as trouble:
        raise UnreadableDump("It is not whole JSON.") from trouble
    return contents
