"""Who stopped talking, who never started, who is behind: what no line says, but the missing lines do."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.scanning.records import Emitter, Occurrence, Place, Scan, Silence, Told
from kb.core.diagnosis.topology import Topology

# A pause that is many times the usual step, and minutes long, is a hang and not a slow step.
STEPS, SECONDS = 8.0, 240.0
LONGEST = 30 * 86_400.0
FEWEST = 2
# Who tells of steps tells of so large a part of those that any rank tells of.
REGULAR = 0.3


@dataclass(frozen=True)
class Behind:
    """A rank that is behind the others: its last iteration, the others' last, and its last line."""

    rank: int | None
    node: str
    iteration: int
    others: int
    place: Place
    text: str


@dataclass(frozen=True)
class Quiet:
    """The run fell silent, although it did not end: for so many seconds at least, after this line."""

    seconds: float
    after: Place
    text: str


def behind(scan: Scan, topology: Topology) -> list[Behind]:
    """Ranks that began fewer iterations than most others, those furthest behind first."""
    by_rank: defaultdict[int, list[Emitter]] = defaultdict(list)
    for emitter in scan.emitters:
        rank = topology.rank(emitter)
        if rank is not None and emitter.iteration >= 0:
            by_rank[rank].append(emitter)
    best = {rank: max(emitters, key=lambda one: one.iteration) for rank, emitters in by_rank.items()}
    # Who mentions a step now and then is not behind for not having mentioned the last one.
    told = max((one.steps for one in best.values()), default=0)
    best = {rank: one for rank, one in best.items() if one.steps >= REGULAR * told}
    if len(best) < FEWEST:
        return []
    common = Counter(emitter.iteration for emitter in best.values())
    most = max(common, key=lambda iteration: (common[iteration], iteration))
    found = [
        Behind(rank, topology.node(one), one.iteration, most, Place(one.file, one.iteration_line), one.iteration_text)
        for rank, one in best.items()
        if one.iteration < most
    ]
    if 2 * len(found) >= len(best):
        return []
    return sorted(found, key=lambda one: (one.iteration, one.rank or 0))


def quiet(scan: Scan, progress: Progress, order: Order, end: Occurrence | None) -> Quiet | None:
    """The pause at the end of the run, if it is far longer than its steps take. `end`: what ended it from outside."""
    paces = [told.step.seconds for told in progress.done if told.step.seconds]
    usual = median(paces) if paces else 0.0
    least = max(SECONDS, STEPS * usual)
    last = progress.done[-1] if progress.done else None
    for silence in scan.silences:
        if silence.seconds < least:
            continue
        if last is None or _is_long_after(silence, last, order, least):
            return Quiet(silence.seconds, Place(silence.place.file, silence.place.line - 1), silence.before)
    return _before_end(scan, order, end, least) if end is not None else None


def _is_long_after(silence: Silence, last: Told, order: Order, least: float) -> bool:
    """Did the silence last for long after the last step too, and not only since something else was written?"""
    ended, stepped = order.time(silence.place.file, silence.when), order.time(last.place.file, last.when)
    if ended is None or stepped is None:
        return order.key(silence.place, silence.when) > order.key(last.place, last.when)
    return ended - stepped >= least


def _before_end(scan: Scan, order: Order, end: Occurrence, least: float) -> Quiet | None:
    """The pause before what ended the run, by the time that its text tells, or else its head in a file of its own."""
    ended = order.moment(end)
    lasts = [
        (time, file)
        for file, when in enumerate(scan.ends)
        if (end.said or file != end.place.file) and (time := order.time(file, when)) is not None
    ]
    if ended is None or not lasts:
        return None
    time, file = max(lasts)
    # Clocks that are so far apart do not tell of the same thing.
    if not least <= ended - time <= LONGEST:
        return None
    number, text = next((line for line in reversed(scan.tails[file]) if Place(file, line[0]) != end.place), (1, ""))
    return Quiet(ended - time, Place(file, number), text)
