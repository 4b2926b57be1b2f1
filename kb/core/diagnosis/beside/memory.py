"""Snapshots of CUDA memory that PyTorch dumped: what they hold, per device, as frozen dataclasses. No judgement.

The format: `torch.cuda.memory._snapshot` and torch/csrc/cuda/memory_snapshot.cpp of PyTorch, 2.0 and later; keys may
be missing. Only the paths of the format are walked, each value once, so that values shared over and over do no harm.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kb.core.diagnosis.flight_recorder.contents import REPLACEMENT, Json
from kb.core.diagnosis.flight_recorder.shapes import Frame
from kb.core.diagnosis.flight_recorder.unpickling import UnreadableDump

MOST_DEVICES, MOST_SEGMENTS, MOST_BLOCKS, MOST_FRAMES = 64, 200_000, 500_000, 64
# Requests of more than so much are served from the large pool.
SMALL = 1 << 20
SHARED_POOL = (0, 0)
LONGEST_TEXT = 200
RANK = re.compile(r"rank[_-]?(\d{1,7})(?!\d)", re.IGNORECASE)
# Frames of the interpreter's own, of C++ and of PyTorch; and those of any library.
TORCH = re.compile(r"(?:^|/)(?:torch|contextlib|threading|runpy)(?:/|\.py$)|^<|\.(?:cpp|cc|cu|h|hpp|so)$|^\?\?$|^$")
LIBRARY = re.compile(r"/(?:site|dist)-packages/|/lib/python\d")


@dataclass(frozen=True, slots=True)
class Holder:
    """Code that holds memory. `frame`: the user's own that asked for it; `inner`: whom it called, if that is another's.

    `frame` is None where no stack was recorded.
    """

    frame: Frame | None
    inner: Frame | None
    size: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Failure:
    """An allocation that failed: the bytes that were asked for, and those that the device had left."""

    size: int
    left: int | None


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """A device's memory, in bytes. `largest_free`: the largest free block that a request like the failed one can get.

    `free`: what is reserved and free for such a request; `pooled`: what is free in private pools, such as those of
    CUDA graphs, and can serve no other request. `holders`: the largest first.
    """

    device: int
    reserved: int
    allocated: int
    free: int
    largest_free: int
    pooled: int
    is_expandable: bool
    failure: Failure | None
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One process's snapshot. `rank`: as its file's name tells."""

    name: str
    rank: int | None
    devices: tuple[DeviceMemory, ...]


@dataclass(slots=True)
class _Tally:
    """What is added up of one device's blocks."""

    reserved: int = 0
    allocated: int = 0
    is_expandable: bool = False
    free: defaultdict[tuple[bool, bool], list[int]] = field(default_factory=lambda: defaultdict(list))
    held: defaultdict[tuple[Frame | None, Frame | None], list[int]] = field(default_factory=lambda: defaultdict(list))


def is_snapshot(content: object) -> bool:
    """Whether plain data is a snapshot of memory."""
    return isinstance(content, Mapping) and "segments" in content


def snapshot_of(content: object, name: str) -> Snapshot:
    """What the snapshot says. Raises `UnreadableDump` if it holds more devices or blocks than any."""
    if not isinstance(content, Mapping):
        raise UnreadableDump("It is not a snapshot of memory.")
    stacks, tallies = _Stacks(), dict[int, _Tally]()
    blocks = 0
    for segment in _mappings(content.get("segments"), MOST_SEGMENTS):
        device = _size(segment.get("device"))
        if device >= MOST_DEVICES:
            raise UnreadableDump("It names more devices than any machine has.")
        tally = tallies.setdefault(device, _Tally())
        blocks += _add_segment(tally, segment, stacks)
        if blocks > MOST_BLOCKS:
            raise UnreadableDump("It has more blocks than any snapshot.")
    failures = _failures(content.get("device_traces"))
    for device in failures:
        tallies.setdefault(device, _Tally())
    settings = content.get("allocator_settings")
    is_expandable = isinstance(settings, Mapping) and settings.get("expandable_segments") is True
    devices = [_memory(device, tally, failures.get(device), is_expandable) for device, tally in sorted(tallies.items())]
    file_name = name.replace("\\", "/").rpartition("/")[2]
    ranks = RANK.findall(file_name) or RANK.findall(name)
    return Snapshot(name, int(ranks[-1]) if ranks else None, tuple(devices))


def _add_segment(tally: _Tally, segment: Json, stacks: "_Stacks") -> int:
    """Add a segment's blocks; returns how many it has."""
    tally.reserved += _size(segment.get("total_size"))
    tally.is_expandable |= segment.get("is_expandable") is True
    pool = segment.get("segment_pool_id")
    is_shared = not isinstance(pool, list | tuple) or tuple(pool[:2]) == SHARED_POOL
    free = tally.free[is_shared, segment.get("segment_type") == "small"]
    count = 0
    for block in _mappings(segment.get("blocks"), MOST_BLOCKS):
        count += 1
        size = _size(block.get("size"))
        state = block.get("state")
        if isinstance(state, str) and state.startswith("active_"):
            tally.allocated += size
            tally.held[stacks.ends(_frames_of(block))].append(size)
        else:
            free.append(size)
    return count


def _frames_of(block: Json) -> object:
    """The stack of a block; PyTorch 2.0 keeps it in the block's history."""
    if "frames" in block:
        return block["frames"]
    for past in _mappings(block.get("history"), 1):
        return past.get("frames")
    return None


def _memory(device: int, tally: _Tally, failure: Failure | None, is_expandable: bool) -> DeviceMemory:
    is_small = failure is not None and failure.size <= SMALL
    free = tally.free[True, is_small]
    pooled = sum(sum(sizes) for (is_shared, _), sizes in tally.free.items() if not is_shared)
    holders = [Holder(*frames, sum(sizes), len(sizes)) for frames, sizes in tally.held.items()]
    holders.sort(key=lambda holder: -holder.size)
    return DeviceMemory(
        device=device,
        reserved=tally.reserved,
        allocated=tally.allocated,
        free=sum(free),
        largest_free=max(free, default=0),
        pooled=pooled,
        is_expandable=tally.is_expandable or is_expandable,
        failure=failure,
        holders=tuple(holders),
    )


def _failures(traces: object) -> dict[int, Failure]:
    """The last allocation that failed on each device, by its trace."""
    failures: dict[int, Failure] = {}
    for device, trace in enumerate(_list(traces)[:MOST_DEVICES]):
        for event in reversed(_list(trace)):
            if isinstance(event, Mapping) and event.get("action") == "oom":
                left = event.get("device_free")
                failures[device] = Failure(_size(event.get("size")), _size(left) if left is not None else None)
                break
    return failures


class _Stacks:
    """Reads each stack once, however often it is shared. Stacks are known by their `id`: the contents outlive this."""

    def __init__(self) -> None:
        self._ends: dict[int, tuple[Frame | None, Frame | None]] = {}

    def ends(self, frames: object) -> tuple[Frame | None, Frame | None]:
        """The user's own innermost frame, and what it called outside of PyTorch; the innermost where nothing is own."""
        if id(frames) not in self._ends:
            called = [
                (text, raw) for raw in _mappings(frames, MOST_FRAMES, is_cut=True)
                if not TORCH.search(text := _text(raw.get("filename")))
            ]  # fmt: skip
            own = [(text, raw) for text, raw in called if not LIBRARY.search(text)]
            outer = (own or called or [("", raw) for raw in _mappings(frames, 1, is_cut=True)])[:1]
            inner = called[:1] if called[:1] != outer else []
            self._ends[id(frames)] = (_frame(outer), _frame(inner))
        return self._ends[id(frames)]


def _frame(frames: list[tuple[str, Json]]) -> Frame | None:
    for text, raw in frames:
        return Frame(text, _size(raw.get("line")) or None, _text(raw.get("name")))
    return None


def _text(value: object) -> str:
    text = value[-LONGEST_TEXT:] if isinstance(value, str) else ""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)


def _size(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else 0


def _list(value: object) -> list[object] | tuple[object, ...]:
    return value if isinstance(value, list | tuple) else ()


def _mappings(value: object, most: int, *, is_cut: bool = False) -> Iterator[Json]:
    """The dicts in a list. Raises `UnreadableDump` where there are more than `most`, unless they are cut."""
    values = _list(value)
    if len(values) > most and not is_cut and most > 1:
        raise UnreadableDump("It has more parts than any snapshot.")
    return (each for each in values[:most] if isinstance(each, Mapping))
