"""What happened when and to whom, small enough to draw: ranks, nodes or files by time, or by lines without clocks.

However many ranks there are, those that matter have a row of their own and the others share one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from kb.core.diagnosis.analysis.order import Order, order_of
from kb.core.diagnosis.analysis.spatial import behind
from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.scanning.records import Emitter, Place, Scan, Template
from kb.core.diagnosis.topology import Topology, topology

BINS = 60
MOST_ROWS, OWN_ROWS, MOST_EVENTS = 24, 14, 400
# Where fewer of the notable lines have a time, the lines themselves are the scale.
TIMED = 0.6
MOST_PAUSES = 3
FIRST, ROOT, FOLLOWS, OTHER = "first", "root", "follows", "other"
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
Kind: TypeAlias = Literal["rank", "node", "file"]


@dataclass
class Row:
    """Who wrote: from where to where on the scale, how many lines, and what stands out, by bin and role."""

    kind: Kind
    name: str
    first: float
    last: float
    lines: int = 0
    members: int = 1
    events: dict[tuple[int, str], list[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Event:
    at: float
    role: str
    place: Place
    emitter: Emitter


def timeline(scan: Scan, diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The data of a timeline; None where there is nothing to draw.

    `{unit: "seconds"|"lines", from, until, onset, bins, pauses: [{from, until}], rows: [{name, kind, members, first,
    last, lines, behind, suspect, events: [{at, role, file, line, count}]}]}`. `at` is the middle of a bin; `file` and
    `line` are those of the bin's first event. `onset`: where the first of the indicated lines stands. `first` and
    `last`: where it is known to have written; lines like earlier ones are only counted. `behind`: a rank that stopped
    at an earlier iteration than the others. A row without a name stands for `members` of them.
    """
    clock = _Scale(scan)
    events = list(_events(scan, diagnosis, clock))
    who = topology(scan)
    rows = _rows(scan, who, clock, events)
    if not rows:
        return None
    start, end = min(row.first for row in rows.values()), max(row.last for row in rows.values())
    if end <= start:
        return None
    width = (end - start) / BINS
    for event in events:
        _put(rows[_name(who, scan, event.emitter)], event, min(max(int((event.at - start) / width), 0), BINS - 1))
    suspects = _suspects(diagnosis)
    late = {("rank", str(one.rank)) for one in behind(scan, who)}
    chosen = _chosen(list(rows.values()), suspects, late)
    onset = min((event.at for event in events if event.role == FIRST), default=None)
    return {
        "unit": "seconds" if clock.is_timed else "lines",
        "from": start,
        "until": end,
        "onset": onset,
        "bins": BINS,
        "pauses": _pauses(scan, clock),
        "rows": [
            {**row, "behind": (row["kind"], row["name"]) in late, "suspect": (row["kind"], row["name"]) in suspects}
            for row in _as_data(scan, chosen, start, width)
        ],
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
    indicated = {(line.file, line.line) for line in diagnosis.lines if line.indicated}
    for template in scan.templates:
        role = _role(template)
        for one in template.occurrences:
            is_first = (scan.names[one.place.file], one.place.line) in indicated
            at = scale.at(one.place, one.when) if is_first or role else None
            if at is not None:
                yield _Event(at, FIRST if is_first else role, one.place, one.emitter)


def _role(template: Template) -> str:
    """What its lines are to the failure; empty for what does not stand out."""
    roles = [signal.role for signal in template.signals]
    if not template.is_notable or (roles and roles[0] in LEFT_OUT):
        return ""
    return AS_ROLE.get(roles[0], OTHER) if roles else OTHER


def _name(who: Topology, scan: Scan, emitter: Emitter) -> tuple[Kind, str]:
    rank = who.rank(emitter)
    if rank is not None:
        return "rank", str(rank)
    node = who.node(emitter)
    return ("node", node) if node else ("file", scan.names[emitter.file])


def _rows(scan: Scan, who: Topology, scale: _Scale, events: Sequence[_Event]) -> dict[tuple[Kind, str], Row]:
    """Everybody who wrote, by what is known of when."""
    known: defaultdict[tuple[Kind, str], list[float]] = defaultdict(list)
    lines = Counter[tuple[Kind, str]]()
    alone = Counter(emitter.file for emitter in scan.emitters)
    for emitter in scan.emitters:
        name = _name(who, scan, emitter)
        lines[name] += emitter.lines
        known[name] += _span(scan, emitter, scale, is_alone=alone[emitter.file] == 1)
    for event in events:
        known[_name(who, scan, event.emitter)].append(event.at)
    return {
        name: Row(name[0], name[1], min(places), max(places), lines[name]) for name, places in known.items() if places
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


def _put(row: Row, event: _Event, place: int) -> None:
    known = row.events.get((place, event.role))
    if known is None:
        row.events[place, event.role] = [event.at, event.place, 1]
        return
    known[2] += 1
    if event.at < known[0]:
        known[0], known[1] = event.at, event.place


def _suspects(diagnosis: Diagnosis) -> dict[tuple[str, str], int]:
    ranks = (("rank", one.name) for one in diagnosis.ranks[:OWN_ROWS])
    nodes = (("node", one.name) for one in diagnosis.nodes[:OWN_ROWS])
    return {name: place for place, name in enumerate((*ranks, *nodes))}


def _chosen(rows: list[Row], suspects: dict[tuple[str, str], int], late: set[tuple[str, str]]) -> list[Row]:
    """Rows in the order of their names; of too many, the telling ones and one that stands for all the others."""
    rows.sort(key=_by_name)
    if len(rows) <= MOST_ROWS:
        return rows

    def telling(row: Row) -> tuple[int, bool, int, int]:
        firsts = sum(count for (_, role), (_, _, count) in row.events.items() if role == FIRST)
        name = (row.kind, row.name)
        return suspects.get(name, len(suspects)), name not in late, -firsts, -len(row.events)

    ranked = sorted(rows, key=telling)
    return [*sorted(ranked[:OWN_ROWS], key=_by_name), _together(ranked[OWN_ROWS:])]


def _pauses(scan: Scan, scale: _Scale) -> list[dict[str, float]]:
    """The longest stretches of time in which a file that all wrote to got no line."""
    if not scale.is_timed or len(scan.names) > 1:
        return []
    longest = sorted(scan.silences, key=lambda one: (-one.seconds, one.place))[:MOST_PAUSES]
    ends = [(scale.at(one.place, one.when), one.seconds) for one in longest]
    return sorted(
        ({"from": end - seconds, "until": end} for end, seconds in ends if end is not None),
        key=lambda pause: pause["from"],
    )


def _by_name(row: Row) -> tuple[str, int, str]:
    return row.kind, int(row.name) if row.kind == "rank" else 0, row.name


def _together(rows: Sequence[Row]) -> Row:
    kinds = {row.kind for row in rows}
    kind = kinds.pop() if len(kinds) == 1 else "file"
    found = Row(kind, "", min(row.first for row in rows), max(row.last for row in rows), members=len(rows))
    for row in rows:
        found.lines += row.lines
        for key, (at, place, count) in row.events.items():
            known = found.events.setdefault(key, [at, place, 0])
            known[2] += count
            if at < known[0]:
                known[0], known[1] = at, place
    return found


def _as_data(scan: Scan, rows: Iterable[Row], start: float, width: float) -> Iterator[dict[str, Any]]:
    left = MOST_EVENTS
    kept: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    listed = list(rows)
    # What is left out, when there is too much, is what tells least.
    for role in ROLES:
        for number, row in enumerate(listed):
            for (place, own), (_, first, count) in sorted(row.events.items()):
                if own == role and left:
                    left -= 1
                    at = start + (place + 0.5) * width
                    names = {"file": scan.names[first.file], "line": first.line}
                    kept[number].append({"at": at, "role": role, **names, "count": count})
    for number, row in enumerate(listed):
        yield {
            "name": row.name,
            "kind": row.kind,
            "members": row.members,
            "first": row.first,
            "last": row.last,
            "lines": row.lines,
            "events": sorted(kept[number], key=lambda event: (event["at"], ROLES.index(event["role"]))),
        }
