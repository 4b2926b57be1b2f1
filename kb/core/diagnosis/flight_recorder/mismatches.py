"""Members of a group that enqueued different operations at the same number. What follows from it is not here."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from kb.core.diagnosis.flight_recorder.progress import Group, Op, Unit, World
from kb.core.diagnosis.flight_recorder.shapes import Entry, Sizes
from kb.core.diagnosis.flight_recorder.wait_graph import plain_name

# Which side must be as large on all members. Of all-to-all, gather and scatter neither need be: parts may be uneven.
_SAME_INPUT = frozenset({
    "all_reduce", "allreduce_coalesced", "broadcast", "_broadcast_oop", "reduce", "_reduce_oop", "reduce_scatter",
    "_reduce_scatter_base", "reduce_scatter_tensor_coalesced",
})  # fmt: skip
_SAME_OUTPUT = frozenset({"all_gather", "_all_gather_base", "all_gather_into_tensor_coalesced"})

Seen = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Mismatch:
    """`odd`: those who differ from most; all members where there is no majority. `what` they differ in, in words."""

    op: Op
    unit: Unit
    odd: tuple[int, ...]
    even: bool
    what: str


def mismatches(world: World) -> Iterator[Mismatch]:
    """The first mismatch of each group. It is the cause of the others in it."""
    sightings: dict[Group, dict[int, dict[int, Unit]]] = defaultdict(lambda: defaultdict(dict))
    for rank in world.ranks.values():
        for group, track in rank.tracks.items():
            for sequence, unit in track.units.items():
                sightings[group][sequence][rank.number] = unit
    for group, by_sequence in sightings.items():
        for sequence in sorted(by_sequence):
            found = _mismatch(Op(group, sequence), by_sequence[sequence])
            if found is not None:
                yield found
                break


def _mismatch(op: Op, units: dict[int, Unit]) -> Mismatch | None:
    seen = {rank: _seen(unit) for rank, unit in units.items()}
    counts = Counter(seen.values()).most_common()
    if len(counts) < 2:
        return None
    (usual, most), (other, next_most) = counts[0], counts[1]
    even = most == next_most
    odd = tuple(rank for rank, one in seen.items() if even or one != usual)
    unit = next(units[rank] for rank, one in seen.items() if one == usual)
    return Mismatch(op, unit, odd, even, _difference(usual, other))


def _seen(unit: Unit) -> Seen:
    entries = [entry for entry in unit.entries if not entry.name.endswith("coalesced")] or unit.entries
    names = tuple(sorted(plain_name(Unit(unit.op, [entry])) for entry in entries))
    dtypes = tuple(sorted({dtype for entry in entries for dtype in (*entry.input_dtypes, *entry.output_dtypes)}))
    return names, dtypes, tuple(sorted(_elements(name, entry) for name, entry in zip(names, entries, strict=True)))


def _elements(name: str, entry: Entry) -> int:
    if name in _SAME_INPUT:
        return _count(entry.input_sizes)
    return _count(entry.output_sizes) if name in _SAME_OUTPUT else 0


def _count(sizes: Sizes) -> int:
    return sum(prod(shape) for shape in sizes)


def _difference(usual: Seen, other: Seen) -> str:
    if usual[0] != other[0]:
        return f"{_listed(other[0])} where the others enqueued {_listed(usual[0])}"
    if usual[1] != other[1]:
        return f"it with {_listed(other[1])} where the others have {_listed(usual[1])}"
    return f"it with {sum(other[2]):,} elements where the others have {sum(usual[2]):,}"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(dict.fromkeys(words)) or "nothing"
