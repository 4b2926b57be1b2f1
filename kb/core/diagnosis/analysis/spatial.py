"""Who is unlike the others: who says what others do not, who lacks what nearly all have, who is slower, who is gone.

Ranks and nodes are compared by how often they wrote which kinds of lines (L4, study P4, step 3), without a trained
model: what tells them apart can be shown to the reader.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.analysis.candidates import FOLLOWS, Candidate
from kb.core.diagnosis.analysis.order import CLOCKS_APART, Order
from kb.core.diagnosis.scanning.records import Emitter, Scan
from kb.core.diagnosis.topology import Topology

# As many as L4 shows.
MOST = 8
MOST_RANKS = 100_000
# Of all ranks, so many at least have something for the lack of it to tell; a whole node may lack it together.
FEW, FEW_OF_NODE = 0.25, 0.5
FEWEST_WRITERS, FEWEST_STEPS, FEWEST_FILES = 2, 3, 3
# Slower than the others by so much.
SLOWER = 1.25
QUOTED = 60


@dataclass(frozen=True)
class Unlike:
    """A rank or a node that is unlike the others: how much, from 0 to 1, and in what."""

    rank: int | None
    node: str
    share: float
    why: str


def unlike(ranked: Sequence[Candidate], scan: Scan, topology: Topology) -> tuple[list[Unlike], list[Unlike]]:
    """Nodes and ranks by how much they wrote that others did not, weighted by how alarming it is."""
    chosen = [one for one in ranked if one.role not in FOLLOWS]
    nodes = _outliers(chosen, scan, topology.node)
    ranks = _outliers(chosen, scan, lambda emitter: _name(topology.rank(emitter)))
    return (
        [Unlike(None, name, share, why) for name, share, why in nodes],
        [Unlike(int(name), "", share, why) for name, share, why in ranks],
    )


def _name(rank: int | None) -> str:
    return "" if rank is None else str(rank)


def _outliers(
    chosen: Sequence[Candidate], scan: Scan, name_of: Callable[[Emitter], str]
) -> Iterator[tuple[str, float, str]]:
    """The names whose vectors of events stand out, with their share of the most that one stands out."""
    names: dict[str, int] = {}
    row_of = np.full(len(scan.emitters), -1, dtype=np.int64)
    for emitter in scan.emitters:
        if name := name_of(emitter):
            row_of[emitter.id] = names.setdefault(name, len(names))
    if len(names) < 2 or not chosen:
        return
    rows, columns, counts = _events(chosen, row_of)
    cells, place = np.unique(columns * len(names) + rows, return_inverse=True)
    summed = np.bincount(place, weights=counts, minlength=len(cells))
    rows, columns = cells % len(names), cells // len(names)
    having = np.bincount(columns, minlength=len(chosen))
    rarity = np.log((1 + len(names)) / (1 + having))
    weight = np.array([one.score for one in chosen]) * rarity
    worth = np.log1p(summed) * weight[columns]
    total = np.bincount(rows, weights=worth, minlength=len(names))
    above = total - np.sort(total)[(len(names) - 1) // 2]
    most = float(above.max())
    by_row = list(names)
    for row in np.argsort(-above, kind="stable")[:MOST] if most > 0 else ():
        if above[row] > 0:
            mine = np.flatnonzero(rows == row)
            best = chosen[int(columns[mine[np.argmax(worth[mine])]])]
            text = best.first.text.strip()[:QUOTED]
            yield by_row[int(row)], float(above[row]) / most, f"It wrote what few others did, such as “{text}”."


_Numbers = npt.NDArray[np.int64]


def _events(chosen: Sequence[Candidate], row_of: _Numbers) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Rows, columns and counts of all that was written by somebody with a row."""
    sizes = [len(one.template.counts) for one in chosen]
    writers = np.fromiter((number for one in chosen for number in one.template.counts), np.int64, sum(sizes))
    counts = np.fromiter((count for one in chosen for count in one.template.counts.values()), np.int64, sum(sizes))
    columns = np.repeat(np.arange(len(chosen), dtype=np.int64), sizes)
    rows = row_of[writers]
    known = rows >= 0
    return rows[known], columns[known], counts[known]


def lacking(wrote: frozenset[int], topology: Topology) -> list[int]:
    """Ranks that lack what nearly all wrote; none where it is not known how many ranks there are."""
    world = topology.world
    if len(wrote) < FEWEST_WRITERS or world > MOST_RANKS:
        return []
    without = [rank for rank in range(world) if rank not in wrote]
    if len(without) <= max(FEW * world, 1):
        return without
    nodes = {topology.rank_node.get(rank, "") for rank in without}
    is_one_node = len(nodes) == 1 and "" not in nodes
    return without if is_one_node and len(without) <= FEW_OF_NODE * world else []


def followers(ranked: Sequence[Candidate], topology: Topology) -> frozenset[int]:
    """Ranks that wrote what is only written because another failed or did not come."""
    writers = (number.emitter for one in ranked if one.role == "cascade" for number in one.template.occurrences)
    return frozenset(rank for emitter in writers if (rank := topology.rank(emitter)) is not None)


def never_came(scan: Scan, topology: Topology) -> list[int]:
    """Ranks that should exist and never said that they were there, where nearly all did."""
    said = frozenset(one.rank for one in scan.introduced)
    return [rank for rank in lacking(said, topology) if rank not in topology.rank_node]


def slower(scan: Scan, topology: Topology) -> list[tuple[int, float]]:
    """Ranks whose own steps take longer than the others', with how many times as long; the slowest first."""
    paces: dict[int, list[float]] = {}
    for emitter in scan.emitters:
        if emitter.paces and (rank := topology.rank(emitter)) is not None:
            paces.setdefault(rank, []).extend(emitter.paces)
    usual = {rank: median(took) for rank, took in paces.items() if len(took) >= FEWEST_STEPS}
    if len(usual) < FEWEST_FILES:
        return []
    middle = median(usual.values())
    found = [(rank, pace / middle) for rank, pace in usual.items() if pace >= SLOWER * middle]
    return sorted(found, key=lambda one: -one[1]) if len(found) <= max(FEW * len(usual), 1) else []


def fell_silent(scan: Scan, topology: Topology, order: Order) -> list[tuple[int | None, str, float]]:
    """Ranks and nodes with files of their own that ended well before the others', with the seconds between."""
    # A file in which steps are told would go on; others may have had nothing to tell.
    telling = {emitter.file for emitter in scan.emitters if emitter.iteration >= 0}
    ends: dict[tuple[int | None, str], float] = {}
    for file, when in enumerate(scan.ends):
        rank, node = topology.told.files.get(file), topology.file_node.get(file, "")
        time = order.time(file, when)
        if file in telling and time is not None and (rank is not None or node):
            ends[rank, node] = max(time, ends.get((rank, node), time))
    if len(ends) < FEWEST_FILES:
        return []
    middle = median(ends.values())
    found = [(*who, middle - time) for who, time in ends.items() if middle - time > CLOCKS_APART]
    return sorted(found, key=lambda one: -one[2]) if len(found) <= max(FEW * len(ends), 1) else []
