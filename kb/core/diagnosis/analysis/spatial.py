"""Ranks and nodes that are unlike the others: in what they write or lack, in pace, in progress, in when they stopped.

Ranks and nodes are compared by how often they wrote which kinds of lines (L4, study P4, step 3), without a trained
model: what tells them apart can be shown to the reader.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.analysis.candidates import Candidate
from kb.core.diagnosis.analysis.context import FOLLOWS
from kb.core.diagnosis.analysis.order import CLOCKS_APART, Order
from kb.core.diagnosis.scanning.records import Emitter, Place, Scan
from kb.core.diagnosis.topology import Topology

# As many as L4 shows.
MOST = 8
MOST_RANKS = 100_000
# Of all ranks, so many at least have something for the lack of it to tell; a whole node may lack it together.
FEW, FEW_OF_NODE = 0.25, 0.5
FEWEST_WRITERS, FEWEST_STEPS, FEWEST_FILES = 2, 3, 3
# Slower than the others by so much; so much that a job is slow for it.
SLOWER, FAR_SLOWER = 1.25, 3.0
# Who reports steps at all reports so large a part of those that any rank reports.
REGULAR = 0.3
QUOTED = 60
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Outlier:
    """A rank or a node that is unlike the others: how much, from 0 to 1, and in what."""

    name: str
    share: float
    why: str


@dataclass(frozen=True)
class Laggard:
    """A rank that is behind the others: its last iteration, the others' last, and its last line."""

    rank: int
    node: str
    iteration: int
    others: int
    place: Place
    text: str


@dataclass(frozen=True)
class Straggler:
    """A rank whose steps take so many times as long as the others', with its last step."""

    rank: int
    times: float
    place: Place
    text: str


def outlying_nodes(ranked: Sequence[Candidate], scan: Scan, topology: Topology) -> list[Outlier]:
    """Nodes by how much they wrote that others did not, weighted by how alarming it is."""
    return _outliers(ranked, scan, topology.node)


def outlying_ranks(ranked: Sequence[Candidate], scan: Scan, topology: Topology) -> list[Outlier]:
    """The same of ranks."""

    def name_of(emitter: Emitter) -> str:
        rank = topology.rank(emitter)
        return "" if rank is None else str(rank)

    return _outliers(ranked, scan, name_of)


def _outliers(ranked: Sequence[Candidate], scan: Scan, name_of: Callable[[Emitter], str]) -> list[Outlier]:
    """The names whose vectors of events stand out, with their share of the most that one stands out."""
    events = [candidate for candidate in ranked if candidate.role not in FOLLOWS]
    numbers: dict[str, int] = {}
    row_of = np.full(len(scan.emitters), -1, dtype=np.int64)
    for emitter in scan.emitters:
        name = name_of(emitter)
        if name:
            row_of[emitter.id] = numbers.setdefault(name, len(numbers))
    if len(numbers) < 2 or not events:
        return []
    names = list(numbers)
    rows, columns, counts = _event_counts(events, row_of)
    cells, place = np.unique(columns * len(names) + rows, return_inverse=True)
    summed = np.bincount(place, weights=counts, minlength=len(cells))
    rows, columns = cells % len(names), cells // len(names)
    # An event is worth more the fewer have it.
    rarity = np.log((1 + len(names)) / (1 + np.bincount(columns, minlength=len(events))))
    weight = np.array([event.score for event in events]) * rarity
    worth = np.log1p(summed) * weight[columns]
    total = np.bincount(rows, weights=worth, minlength=len(names))
    above = total - np.sort(total)[(len(names) - 1) // 2]
    most = float(above.max())
    outliers: list[Outlier] = []
    for row in np.argsort(-above, kind="stable")[:MOST].tolist():
        if above[row] > 0:
            own = np.flatnonzero(rows == row)
            best = events[int(columns[own[np.argmax(worth[own])]])]
            text = best.first.text.strip()[:QUOTED]
            why = f"It logged what few others did, such as “{text}”."
            outliers.append(Outlier(names[row], float(above[row]) / most, why))
    return outliers


def _event_counts(events: Sequence[Candidate], row_of: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Rows, columns and counts of all that was written by somebody with a row."""
    counters = [event.template.counts for event in events]
    writers = np.concatenate([np.fromiter(counter, np.int64, len(counter)) for counter in counters])
    counts = np.concatenate([np.fromiter(counter.values(), np.int64, len(counter)) for counter in counters])
    columns = np.repeat(np.arange(len(events), dtype=np.int64), [len(counter) for counter in counters])
    rows = row_of[writers]
    known = rows >= 0
    return rows[known], columns[known], counts[known]


def lacking(wrote: Collection[int], topology: Topology) -> list[int]:
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


def is_one_sided(scan: Scan, topology: Topology) -> bool:
    """Whether one rank or, where no rank is known, one node alone is heard."""
    ranks, nodes = set[int | None](), set[str]()
    for emitter in scan.emitters:
        ranks.add(topology.rank(emitter))
        nodes.add(topology.node(emitter))
    ranks.discard(None)
    return len(ranks) < 2 and len(nodes - {""}) < 2


def never_came(scan: Scan, topology: Topology) -> list[int]:
    """Ranks that should exist and never said that they were there, where nearly all did."""
    introduced = {introduction.rank for introduction in scan.introductions}
    return [rank for rank in lacking(introduced, topology) if rank not in topology.rank_node]


def slower(scan: Scan, topology: Topology) -> list[tuple[int, float]]:
    """Ranks whose own steps take longer than the others', with how many times as long; the slowest first."""
    durations: defaultdict[int, list[float]] = defaultdict(list)
    for emitter in scan.emitters:
        rank = topology.rank(emitter) if emitter.paces else None
        if rank is not None:
            durations[rank].extend(emitter.paces)
    usual = {rank: median(seconds) for rank, seconds in durations.items() if len(seconds) >= FEWEST_STEPS}
    if len(usual) < FEWEST_FILES:
        return []
    middle = median(usual.values())
    slow = [(rank, pace / middle) for rank, pace in usual.items() if pace >= SLOWER * middle]
    if len(slow) > max(FEW * len(usual), 1):
        return []
    return sorted(slow, key=lambda entry: -entry[1])


def stragglers(scan: Scan, topology: Topology) -> list[Straggler]:
    """Ranks that take so many times as long for their steps that the job is slow for them, the slowest first."""
    last: dict[int, Emitter] = {}
    for emitter in scan.emitters:
        rank = topology.rank(emitter) if emitter.paces else None
        if rank is not None and (rank not in last or emitter.iteration > last[rank].iteration):
            last[rank] = emitter
    return [
        Straggler(rank, times, Place(last[rank].file, last[rank].iteration_line), last[rank].iteration_text)
        for rank, times in slower(scan, topology)
        if times >= FAR_SLOWER
    ]


def behind(scan: Scan, topology: Topology) -> list[Laggard]:
    """Ranks that began fewer iterations than most others, those furthest behind first."""
    furthest: dict[int, Emitter] = {}
    for emitter in scan.emitters:
        rank = topology.rank(emitter) if emitter.iteration >= 0 else None
        if rank is not None and (rank not in furthest or emitter.iteration > furthest[rank].iteration):
            furthest[rank] = emitter
    # Who mentions a step now and then is not behind for not having mentioned the last one.
    most_steps = max((emitter.steps for emitter in furthest.values()), default=0)
    regular = {rank: emitter for rank, emitter in furthest.items() if emitter.steps >= REGULAR * most_steps}
    if len(regular) < 2:
        return []
    common = Counter(emitter.iteration for emitter in regular.values())
    usual = max(common, key=lambda iteration: (common[iteration], iteration))
    laggards: list[Laggard] = []
    for rank, emitter in regular.items():
        if emitter.iteration < usual:
            place = Place(emitter.file, emitter.iteration_line)
            node = topology.node(emitter)
            laggards.append(Laggard(rank, node, emitter.iteration, usual, place, emitter.iteration_text))
    if 2 * len(laggards) >= len(regular):
        return []
    return sorted(laggards, key=lambda laggard: (laggard.iteration, laggard.rank))


def fell_silent(scan: Scan, topology: Topology, order: Order) -> list[tuple[int | None, str, float]]:
    """Ranks and nodes with files of their own that ended well before the others', with the seconds between."""
    # A file that reports steps would go on; others may have had nothing to tell.
    with_steps = {emitter.file for emitter in scan.emitters if emitter.iteration >= 0}
    ends: dict[tuple[int | None, str], float] = {}
    for file, when in enumerate(scan.last_times):
        rank, node = topology.identities.files.get(file), topology.file_node.get(file, "")
        time = order.time(file, when)
        if file in with_steps and time is not None and (rank is not None or node):
            ends[rank, node] = max(time, ends.get((rank, node), time))
    if len(ends) < FEWEST_FILES:
        return []
    middle = median(ends.values())
    silent = [(rank, node, middle - time) for (rank, node), time in ends.items() if middle - time > CLOCKS_APART]
    if len(silent) > max(FEW * len(ends), 1):
        return []
    return sorted(silent, key=lambda entry: -entry[2])
