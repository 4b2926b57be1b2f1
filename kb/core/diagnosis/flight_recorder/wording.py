"""The words for ranks, operations and places. Nothing is decided here."""

from collections.abc import Sequence

from kb.core.diagnosis.flight_recorder.progress import Unit
from kb.core.diagnosis.flight_recorder.wait_graph import plain_name

MOST_NAMED = 8


def ranks(numbers: Sequence[int]) -> str:
    """rank 3; ranks 3, 4 and 7; 40 ranks (0, 1, 2, ...)."""
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    if len(numbers) <= MOST_NAMED:
        return f"ranks {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}" if numbers else "no rank"
    return f"{len(numbers):,} ranks ({', '.join(map(str, numbers[:3]))}, ...)"


def upper(text: str) -> str:
    """The sentence with a capital letter."""
    return text[:1].upper() + text[1:]


def operation(unit: Unit) -> str:
    """all_reduce number 7 of TENSOR_MODEL_PARALLEL_GROUP; send 0->1 of PIPELINE_MODEL_PARALLEL_GROUP."""
    number = "" if unit.op.is_p2p else f" number {unit.op.sequence}"
    return f"{plain_name(unit)}{number} of {unit.op.group.label}"


def where(unit: Unit) -> str | None:
    """The top frame of whoever enqueued it, if the dump has frames."""
    return next((str(entry.frames[0]) for entry in unit.entries if entry.frames), None)
