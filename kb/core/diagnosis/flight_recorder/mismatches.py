"""Members of a group that enqueued different operations at the same number. What follows from it is not here."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from kb.core.diagnosis.flight_recorder.progress import Group, Op, Unit, World
from kb.core.diagnosis.flight_recorder.shapes import Entry

# Which side must be as large on all members. Of all-to-all, gather and scatter neither need be: parts may be uneven.
_SAME_INPUT = frozenset({
    "all_reduce", "allreduce_coalesced", "broadcast", "_broadcast_oop", "reduce", "_reduce_oop", "reduce_scatter",
    "_reduce_scatter_base", "reduce_scatter_tensor_coalesced",
})  # fmt: skip
_SAME_OUTPUT = frozenset({"all_gather", "_all_gather_base", "all_gather_into_tensor_coalesced"})


class Signature(NamedTuple):
    """What all members must have in common: names of operations, types of data, numbers of elements."""

    names: tuple[str, ...]
    dtypes: tuple[str, ...]
    elements: tuple[int, ...]


@dataclass(frozen=True)
class Mismatch:
    """`odd`: those who differ from most; all members where there is no majority. `difference`: in words."""

    op: Op
    unit: Unit
    odd: tuple[int, ...]
    is_even: bool
    difference: str


def mismatches(world: World) -> Iterator[Mismatch]:
    """The first mismatch of each group. It is the cause of the others in it."""
    units: defaultdict[Group, defaultdict[int, dict[int, Unit]]] = defaultdict(lambda: defaultdict(dict))
    for rank in world.ranks.values():
        for group, track in rank.tracks.items():
            for sequence, unit in track.units.items():
                units[group][sequence][rank.number] = unit
    for group, by_sequence in units.items():
        for sequence in sorted(by_sequence):
            mismatch = _mismatch(Op(group, sequence), by_sequence[sequence])
            if mismatch is not None:
                yield mismatch
                break


def _mismatch(op: Op, units: dict[int, Unit]) -> Mismatch | None:
    signatures = {rank: _signature(unit) for rank, unit in units.items()}
    counts = Counter(signatures.values()).most_common()
    if len(counts) < 2:
        return None
    (usual, most), (other, next_most) = counts[0], counts[1]
    usual_ranks = [rank for rank, signature in signatures.items() if signature == usual]
    unit = units[usual_ranks[0]]
    if most == next_most:
        return Mismatch(op, unit, tuple(units), is_even=True, difference=_difference(usual, other))
    odd = tuple(rank for rank, signature in signatures.items() if signature != usual)
    return Mismatch(op, unit, odd, is_even=False, difference=_difference(usual, other))


def _signature(unit: Unit) -> Signature:
    entries = [entry for entry in unit.entries if not entry.name.endswith("coalesced")] or unit.entries
    names = tuple(sorted(entry.operation for entry in entries))
    dtypes = set[str]()
    for entry in entries:
        dtypes.update(entry.input_dtypes, entry.output_dtypes)
    elements = sorted(_elements(name, entry) for name, entry in zip(names, entries, strict=True))
    return Signature(names, tuple(sorted(dtypes)), tuple(elements))


def _elements(name: str, entry: Entry) -> int:
    """How many elements the side has that must be as large on all members."""
    if name in _SAME_INPUT:
        return sum(map(prod, entry.input_sizes))
    return sum(map(prod, entry.output_sizes)) if name in _SAME_OUTPUT else 0


def _difference(usual: Signature, other: Signature) -> str:
    if usual.names != other.names:
        return f"{_listed(other.names)} where the others enqueued {_listed(usual.names)}"
    if usual.dtypes != other.dtypes:
        return f"it with {_listed(other.dtypes)} where the others have {_listed(usual.dtypes)}"
    return f"it with {sum(other.elements):,} elements where the others have {sum(usual.elements):,}"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(dict.fromkeys(words)) or "nothing"
