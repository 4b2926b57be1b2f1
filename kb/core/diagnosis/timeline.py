"""What happened when and to whom, small enough to draw: ranks, nodes or files by time, or by lines without clocks.

However many ranks there are, those that matter have a row of their own and the others share one.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from kb.core.diagnosis.analysis.order import Order, order_of
from kb.core.diagnosis.analysis.spatial import behind
from kb.core.diagnosis.report import REPEAT, Diagnosis
from kb.core.diagnosis.scanning.records import Emitter, Place, Scan, Template
from kb.core.diagnosis.schema import EventRole, Pause, RowKind, Timeline, TimelineEvent, TimelineRow
from kb.core.diagnosis.topology import Topology, topology

BINS = 60
MOST_ROWS, OWN_ROWS, MOST_EVENTS = 24, 14, 400
# Where fewer of the notable lines have a time, the lines themselves are the scale.
TIMED = 0.6
MOST_PAUSES = 3
FIRST: EventRole = "first"
ROOT: EventRole = "root"
FOLLOWS: EventRole = "follows"
OTHER: EventRole = "other"
ROLES = (FIRST, ROOT, FOLLOWS, OTHER)
AS_ROLE = {
    "root": ROOT,
    "confirmation": ROOT,
    "either": ROOT,
    "cascade": FOLLOWS,
    "teardown": FOLLOWS,
    "cancel": FOLLOWS,
}
LEFT_OUT = ("noise", "advice")


@dataclass
class Mark:
    """The events of one role in one bin: where the first of them stands, and how many they are."""

    at: float
    place: Place
    count: int


@dataclass
class Row:
    """Who wrote: from where to where on the scale, how many lines, and what stands out, by bin and role."""

    kind: RowKind
    name: str
    first: float
    last: float
    lines: int = 0
    members: int = 1
    marks: dict[tuple[int, EventRole], Mark] = field(default_factory=dict)

    def add(self, number: int, role: EventRole, mark: Mark) -> None:
        """Add a mark to the bin of this number."""
        own = self.marks.setdefault((number, role), Mark(mark.at, mark.place, 0))
        own.count += mark.count
        if mark.at < own.at:
            own.at, own.place = mark.at, mark.place


@dataclass(frozen=True)
class _Event:
    at: float
    role: EventRole
    place: Place
    emitter: Emitter


def timeline(scan: Scan, diagnosis: Diagnosis) -> Timeline | None:
    """The data of a timeline; None where there is nothing to draw.

    `at` is the middle of a bin; `file` and `line` are those of the bin's first event. `onset`: where the first of the
    indicated lines stands. `first` and `last`: where it is known to have written; lines like earlier ones are only
    counted. `behind`: a rank that stopped at an earlier iteration than the others. A row without a name stands for
    `members` of them.
    """
    scale = _Scale(scan)
    events = list(_events(scan, diagnosis, scale))
    layout = topology(scan)
    rows = _rows(scan, layout, scale, events)
    if not rows:
        return None
    start, end = min(row.first for row in rows.values()), max(row.last for row in rows.values())
    if end <= start:
        return None
    width = (end - start) / BINS
    for event in events:
        number = min(max(int((event.at - start) / width), 0), BINS - 1)
        rows[_name(layout, scan, event.emitter)].add(number, event.role, Mark(event.at, event.place, 1))
    suspects = _suspects(diagnosis)
    late = {("rank", str(rank.rank)) for rank in behind(scan, layout)}
    chosen = _chosen(list(rows.values()), suspects, late)
    onset = min((event.at for event in events if event.role == FIRST), default=None)
    return {
        "unit": "seconds" if scale.is_timed else "lines",
        "from": start,
        "until": end,
        "onset": onset,
        "bins": BINS,
        "pauses": _pauses(scan, scale),
        "rows": _row_data(chosen, _event_data(scan, chosen, start, width), late, suspects),
    }


class _Scale:
    """Where a line stands: seconds where most lines that stand out have a time, else its number in its file."""

    def __init__(self, scan: Scan) -> None:
        self._order: Order = order_of(scan)
        kept = [at for template in scan.templates for at in template.occurrences]
        timed = sum(self._order.time(at.place.file, at.when) is not None for at in kept)
        dated = any(self._order.time(one.file, one.when) is not None for one in scan.emitters)
        self.is_timed = timed >= TIMED * len(kept) and dated

    def at(self, place: Place, when: str) -> float | None:
        return self._order.time(place.file, when) if self.is_timed else float(place.line)


def _events(scan: Scan, diagnosis: Diagnosis, scale: _Scale) -> Iterator[_Event]:
    first = {(line.file, line.line) for line in diagnosis.lines if line.indicated or line.role == REPEAT}
    for template in scan.templates:
        role = _role(template)
        for occurrence in template.occurrences:
            place = occurrence.place
            event_role = FIRST if (scan.names[place.file], place.line) in first else role
            if event_role is None:
                continue
            at = scale.at(place, occurrence.when)
            if at is not None:
                yield _Event(at, event_role, place, occurrence.emitter)


def _role(template: Template) -> EventRole | None:
    """What its lines are to the failure; None for what does not stand out."""
    roles = [signal.role for signal in template.signals]
    if not template.is_notable or (roles and roles[0] in LEFT_OUT):
        return None
    return AS_ROLE.get(roles[0], OTHER) if roles else OTHER


def _name(layout: Topology, scan: Scan, emitter: Emitter) -> tuple[RowKind, str]:
    rank = layout.rank(emitter)
    if rank is not None:
        return "rank", str(rank)
    node = layout.node(emitter)
    return ("node", node) if node else ("file", scan.names[emitter.file])


def _rows(scan: Scan, layout: Topology, scale: _Scale, events: Sequence[_Event]) -> dict[tuple[RowKind, str], Row]:
    """A row for each rank, node or file of which it is known when it wrote."""
    positions: defaultdict[tuple[RowKind, str], list[float]] = defaultdict(list)
    lines = Counter[tuple[RowKind, str]]()
    emitters = Counter(emitter.file for emitter in scan.emitters)
    for emitter in scan.emitters:
        name = _name(layout, scan, emitter)
        lines[name] += emitter.lines
        positions[name] += _span(scan, emitter, scale, is_alone=emitters[emitter.file] == 1)
    for event in events:
        positions[_name(layout, scan, event.emitter)].append(event.at)
    return {
        (kind, name): Row(kind, name, min(places), max(places), lines[kind, name])
        for (kind, name), places in positions.items()
        if places
    }


def _span(scan: Scan, emitter: Emitter, scale: _Scale, *, is_alone: bool) -> Iterator[float]:
    """Places on the scale where this emitter is known to have written."""
    told = [(emitter.first, emitter.began), (emitter.iteration_line, emitter.iteration_when)]
    if is_alone:
        told.append((scan.lines[emitter.file], scan.last_times[emitter.file]))
    if scale.is_timed:
        told.append((emitter.first, emitter.when))
    for line, when in told:
        at = scale.at(Place(emitter.file, line), when) if line else None
        if at is not None:
            yield at


def _suspects(diagnosis: Diagnosis) -> dict[tuple[str, str], int]:
    """The suspects' places in their order."""
    ranks = [("rank", rank.name) for rank in diagnosis.ranks[:OWN_ROWS]]
    nodes = [("node", node.name) for node in diagnosis.nodes[:OWN_ROWS]]
    return {name: place for place, name in enumerate(ranks + nodes)}


def _chosen(rows: list[Row], suspects: dict[tuple[str, str], int], late: set[tuple[str, str]]) -> list[Row]:
    """Rows in the order of their names; of too many, the telling ones and one that stands for all the others."""
    rows.sort(key=_by_name)
    if len(rows) <= MOST_ROWS:
        return rows

    def telling(row: Row) -> tuple[int, bool, int, int]:
        firsts = sum(mark.count for (_, role), mark in row.marks.items() if role == FIRST)
        name = (row.kind, row.name)
        return suspects.get(name, len(suspects)), name not in late, -firsts, -len(row.marks)

    ranked = sorted(rows, key=telling)
    return [*sorted(ranked[:OWN_ROWS], key=_by_name), _together(ranked[OWN_ROWS:])]


def _pauses(scan: Scan, scale: _Scale) -> list[Pause]:
    """The longest stretches of time in which a file that all wrote to got no line."""
    if not scale.is_timed or len(scan.names) > 1:
        return []
    pauses: list[Pause] = []
    for silence in sorted(scan.silences, key=lambda silence: (-silence.seconds, silence.place))[:MOST_PAUSES]:
        end = scale.at(silence.place, silence.when)
        if end is not None:
            pauses.append({"from": end - silence.seconds, "until": end})
    return sorted(pauses, key=lambda pause: pause["from"])


def _by_name(row: Row) -> tuple[str, int, str]:
    return row.kind, int(row.name) if row.kind == "rank" else 0, row.name


def _together(rows: Sequence[Row]) -> Row:
    """One row that stands for all of these."""
    kinds = {row.kind for row in rows}
    kind = kinds.pop() if len(kinds) == 1 else "file"
    total = Row(kind, "", min(row.first for row in rows), max(row.last for row in rows), members=len(rows))
    for row in rows:
        total.lines += row.lines
        for (number, role), mark in row.marks.items():
            total.add(number, role, mark)
    return total


def _event_data(scan: Scan, rows: Sequence[Row], start: float, width: float) -> list[list[TimelineEvent]]:
    """The events of each row in their order; of too many, those that tell most."""
    left = MOST_EVENTS
    events: list[list[TimelineEvent]] = [[] for _ in rows]
    for role in ROLES:
        for row, listed in zip(rows, events, strict=True):
            for number in sorted(number for number, marked in row.marks if marked == role):
                if not left:
                    break
                left -= 1
                mark = row.marks[number, role]
                at = start + (number + 0.5) * width
                file = scan.names[mark.place.file]
                listed.append({"at": at, "role": role, "file": file, "line": mark.place.line, "count": mark.count})
    for listed in events:
        listed.sort(key=lambda event: (event["at"], ROLES.index(event["role"])))
    return events


def _row_data(
    rows: Sequence[Row],
    events: Sequence[list[TimelineEvent]],
    late: Collection[tuple[str, str]],
    suspects: Collection[tuple[str, str]],
) -> list[TimelineRow]:
    return [
        {
            "name": row.name,
            "kind": row.kind,
            "members": row.members,
            "first": row.first,
            "last": row.last,
            "lines": row.lines,
            "events": listed,
            "behind": (row.kind, row.name) in late,
            "suspect": (row.kind, row.name) in suspects,
        }
        for row, listed in zip(rows, events, strict=True)
    ]
