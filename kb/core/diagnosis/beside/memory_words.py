"""What snapshots of memory come to, in sentences: what held the memory, and whether it was in pieces too small."""

from collections.abc import Sequence

from kb.core.diagnosis.beside.memory import DeviceMemory, Holder, Snapshot
from kb.core.diagnosis.flight_recorder.shapes import Frame

MOST_TOLD, MOST_HOLDERS = 4, 3
KIB = 1 << 10
EXPANDABLE = (
    "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: free memory lies in pieces smaller than the request."
)
POOLS = "Capture fewer or smaller CUDA graphs: their private pools keep memory that the failed request needed."
RECORD = "Call torch.cuda.memory._record_memory_history() before the run, so that snapshots tell who holds the memory."


def failed(snapshots: Sequence[Snapshot]) -> list[tuple[Snapshot, DeviceMemory]]:
    """Devices on which an allocation failed, the fullest first."""
    all_devices = [(snapshot, memory) for snapshot in snapshots for memory in snapshot.devices]
    return sorted((pair for pair in all_devices if pair[1].failure), key=lambda pair: -pair[1].reserved)


def sentences_of(snapshots: Sequence[Snapshot]) -> list[str]:
    """Where allocations failed, else of the fullest devices: how full each was, and what held the memory."""
    told = failed(snapshots)
    if not told:
        told = [(snapshot, memory) for snapshot in snapshots for memory in snapshot.devices if memory.reserved]
        told.sort(key=lambda pair: -pair[1].reserved)
    sentences: list[str] = []
    for snapshot, memory in told[:MOST_TOLD]:
        sentences += [_fullness(snapshot, memory), *_held(memory)]
    if len(told) > MOST_TOLD:
        sentences.append(f"Snapshots of {len(told) - MOST_TOLD} more devices are alike or smaller and are not told.")
    return sentences


def checks_of(snapshots: Sequence[Snapshot]) -> list[str]:
    """What to do where snapshots show it."""
    memories = [memory for snapshot in snapshots for memory in snapshot.devices]
    checks: list[str] = []
    if any(is_fragmented(memory) for memory in memories):
        checks.append(EXPANDABLE)
    if any(_is_short_for_pools(memory) for memory in memories):
        checks.append(POOLS)
    if memories and not any(holder.frame for memory in memories for holder in memory.holders):
        checks.append(RECORD)
    return checks


def is_fragmented(memory: DeviceMemory) -> bool:
    """Whether what failed would have fitted into what was free, had that been in one piece."""
    if memory.failure is None or memory.is_expandable:
        return False
    return memory.largest_free < memory.failure.size <= memory.free


def _is_short_for_pools(memory: DeviceMemory) -> bool:
    return memory.failure is not None and memory.largest_free < memory.failure.size <= memory.pooled


def _fullness(snapshot: Snapshot, memory: DeviceMemory) -> str:
    whose = f"GPU {memory.device}" if snapshot.rank is None else f"rank {snapshot.rank}, GPU {memory.device}"
    reserved, allocated = in_bytes(memory.reserved), in_bytes(memory.allocated)
    sentence = f"Memory of {whose} ({snapshot.name}): {reserved} reserved, {allocated} of it allocated."
    failure = memory.failure
    if failure is not None:
        left = "" if failure.left is None else f" with {in_bytes(failure.left)} left on the device"
        sentence += f" A request for {in_bytes(failure.size)} failed{left};"
        free, largest = in_bytes(memory.free), in_bytes(memory.largest_free)
        sentence += f" {free} was reserved but free for it, the largest block of {largest}."
        if is_fragmented(memory):
            sentence += " The memory is fragmented."
    if memory.pooled:
        sentence += f" {in_bytes(memory.pooled)} is free in private pools (CUDA graphs), for nothing else."
    return sentence


def _held(memory: DeviceMemory) -> list[str]:
    """Who held the memory, by code: those who held most."""
    known = [holder for holder in memory.holders if holder.frame is not None]
    if not memory.holders:
        return []
    if not known:
        return ["Who held it was not recorded."]
    return [f"Most was held by {'; '.join(map(_holder, known[:MOST_HOLDERS]))}."]


def _holder(holder: Holder) -> str:
    inner = "" if holder.inner is None else f" (in {_frame(holder.inner)})"
    blocks = "1 block" if holder.blocks == 1 else f"{holder.blocks:,} blocks"
    return f"{_frame(holder.frame)}{inner}: {in_bytes(holder.size)} in {blocks}"


def _frame(frame: Frame | None) -> str:
    """The frame, its file without the folders that are the same for everything."""
    if frame is None:
        return "?"
    name = frame.file.replace("\\", "/").rpartition("-packages/")[2]
    return str(Frame("/".join(name.split("/")[-3:]), frame.line, frame.function))


def in_bytes(size: int) -> str:
    """A number of bytes as PyTorch writes it: 512.25 MiB."""
    amount, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < KIB:
            break
        amount, unit = amount / KIB, larger
    return f"{size} bytes" if unit == "bytes" else f"{amount:.2f} {unit}"
