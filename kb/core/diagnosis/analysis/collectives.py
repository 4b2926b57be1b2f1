"""What the watchdogs of all ranks say together, judged as Flight Recorder dumps are: who is behind, unlike or silent.

Ranks are those of the job. Whom that makes suspect beside other evidence is not decided here.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.core.diagnosis.analysis import spatial
from kb.core.diagnosis.flight_recorder.analysis import Analysis, analyse
from kb.core.diagnosis.flight_recorder.findings import WATCHDOGS, Suspect, ranks_text
from kb.core.diagnosis.flight_recorder.shapes import Dump, Entry, ProcessGroup, Status
from kb.core.diagnosis.scanning.watchdogs import CollectiveReport
from kb.core.diagnosis.topology import Topology

# PyTorch's name of the group of all ranks.
EVERYBODY = "0"
MOST_MEMBERS = 100_000
# Of a group so few may be silent for their silence to tell; a group that so many of all ranks are in is that of all.
FEW = 0.25
# All wait in the same collective, but some enqueued less behind it than the others.
BEHIND = 0.6
# The log's names of operations are those of dumps in capitals, but for these.
OPERATIONS = {"allreduce": "all_reduce", "allgather": "all_gather", "alltoall": "all_to_all"}
# Of what one member gives, all take as many times as the group has members.
GATHERS = ("ALLGATHER", "_ALLGATHER_BASE", "REDUCE_SCATTER", "_REDUCE_SCATTER_BASE")


@dataclass
class _Standing:
    """How far one rank came in one group. `sequence`: of the collective that it waits in, if it waits."""

    member: int | None = None
    sequence: int | None = None
    operation: str = ""
    elements: tuple[int | None, int | None] = (None, None)
    enqueued: int | None = None
    completed: int | None = None

    def learn(self, report: CollectiveReport) -> None:
        """Take over what a line says besides. What the rank waits in is the first that did not complete."""
        if self.member is None:
            self.member = report.member
        if report.sequence is not None and (self.sequence is None or report.sequence <= self.sequence):
            self.sequence = report.sequence
            if report.operation:
                self.operation, self.elements = report.operation, report.elements
        if report.enqueued is not None:
            self.enqueued = max(report.enqueued, -1 if self.enqueued is None else self.enqueued)
        if report.completed is not None:
            self.completed = report.completed


_Group = dict[int, _Standing]


def rank_of(report: CollectiveReport, topology: Topology) -> int | None:
    """The rank that wrote it; failing that its rank in the group, where that is the group of all."""
    rank = topology.rank(report.emitter)
    if rank is None and report.group in (None, EVERYBODY):
        return report.member
    return rank


def waiting(reports: Iterable[CollectiveReport], topology: Topology) -> frozenset[int]:
    """Ranks whose collectives did not end: they waited for another."""
    ranks = {rank_of(report, topology) for report in reports if report.waits}
    return frozenset(rank for rank in ranks if rank is not None)


def watched(reports: Sequence[CollectiveReport], topology: Topology) -> Analysis | None:
    """Who holds up the others by what the watchdogs of several ranks say; None if they say too little."""
    groups, descriptions = _groups(reports, topology)
    if len(set[int]().union(*groups.values())) < spatial.FEWEST_WRITERS:
        return None
    analysis = analyse(_dumps(groups, descriptions, topology), words=WATCHDOGS)
    if analysis.suspects:
        return analysis
    behind = tuple(_behind(groups, descriptions))
    if not behind:
        return analysis
    sentence = f"Look at {ranks_text([suspect.rank for suspect in behind])} first. {behind[0].why}"
    return Analysis(sentence, behind, analysis.findings, analysis.waits)


def _groups(reports: Sequence[CollectiveReport], topology: Topology) -> tuple[dict[str, _Group], dict[str, str]]:
    """How far each rank came in each group, by the group's name; empty for one that no line names. And descriptions."""
    placed: list[tuple[int, CollectiveReport]] = []
    for report in reports:
        rank = rank_of(report, topology)
        if rank is not None and (report.sequence is not None or report.enqueued is not None):
            placed.append((rank, report))
    named = [(rank, report) for rank, report in placed if report.group is not None]
    names = {(rank, report.sequence): report.group or "" for rank, report in named}
    unnamed = _name_of_unnamed(placed, named)
    groups: defaultdict[str, _Group] = defaultdict(lambda: defaultdict(_Standing))
    for rank, report in placed:
        name = names.get((rank, report.sequence), unnamed) if report.group is None else report.group
        groups[name][rank].learn(report)
    told: dict[str, _Group] = {}
    for name, group in groups.items():
        is_waited_in = any(own.sequence is not None for own in group.values())
        if is_waited_in and not _is_of_several(group):
            told[name] = group
    return told, {report.group or "": report.description for _, report in named if report.description}


def _name_of_unnamed(
    placed: Iterable[tuple[int, CollectiveReport]], named: Iterable[tuple[int, CollectiveReport]]
) -> str:
    """The name of the only group that lines name, if what a rank waits in may be of it by the rank's counters."""
    only = {report.group or "" for _, report in named}
    if len(only) != 1:
        return ""
    waits_in = {rank: report.sequence for rank, report in placed if report.sequence is not None}
    for rank, report in named:
        sequence, enqueued = waits_in.get(rank), report.enqueued
        if sequence is not None and enqueued is not None:
            completed = -1 if report.completed is None else report.completed
            if not completed < sequence <= enqueued:
                return ""
    return min(only)


def _is_of_several(group: _Group) -> bool:
    """Whether several groups share the name: two ranks have the same place in it."""
    members = Counter(standing.member for standing in group.values() if standing.member is not None)
    return any(count > 1 for count in members.values())


def _dumps(groups: Mapping[str, _Group], descriptions: Mapping[str, str], topology: Topology) -> list[Dump]:
    """What each rank's watchdog says, in the shape of a Flight Recorder dump."""
    own_groups: defaultdict[int, list[ProcessGroup]] = defaultdict(list)
    statuses: defaultdict[int, dict[int, Status]] = defaultdict(dict)
    entries: defaultdict[int, list[Entry]] = defaultdict(list)
    for number, (name, group) in enumerate(groups.items()):
        label = descriptions.get(name) or (f"group {name}" if name else "their group")
        shape = ProcessGroup(str(number), label, _members(name, group, topology))
        operations = {own.sequence: own for own in group.values() if own.operation}
        for rank, own in group.items():
            own_groups[rank].append(shape)
            statuses[rank][number] = Status(own.enqueued, own.completed)
            entry = _entry(own, operations, number)
            if entry is not None:
                entries[rank].append(entry)
    return [Dump("", rank, tuple(own), statuses[rank], tuple(entries[rank])) for rank, own in own_groups.items()]


def _entry(own: _Standing, operations: Mapping[int | None, _Standing], group: int) -> Entry | None:
    """The collective that the rank waits in, or that its counters show it to wait in; None if they show none."""
    sequence = own.sequence
    if sequence is None and own.completed is not None and own.enqueued is not None and own.completed < own.enqueued:
        sequence = own.completed + 1
    if sequence is None:
        return None
    shown = own if own.operation else operations.get(sequence, own)
    name = shown.operation.lower()
    into, out = (() if count is None else ((count,),) for count in shown.elements)
    return Entry(
        record_id=None, group_id=group, group=str(group), group_description="", collective=sequence, p2p=None,
        op_id=None, name=f"nccl:{OPERATIONS.get(name, name) or 'collective'}", input_sizes=into, output_sizes=out,
        input_dtypes=(), output_dtypes=(), state=None, started_ns=None, is_p2p=name in ("send", "recv"), frames=(),
    )  # fmt: skip


def _members(name: str, group: _Group, topology: Topology) -> tuple[int, ...]:
    """The members of a group: those who wrote, and those whose silence tells."""
    wrote, world = set(group), topology.world
    is_whole = name == EVERYBODY or all(own.member in (None, rank) for rank, own in group.items())
    if world >= max(_size(group), 1) and is_whole and (name in (EVERYBODY, "") or len(wrote) >= (1 - FEW) * world):
        return tuple(sorted(wrote.union(spatial.lacking(wrote, topology))))
    whole = set(_range_of(group))
    silent = whole - wrote
    return tuple(sorted(whole if len(silent) <= max(FEW * len(whole), 1) else wrote))


def _range_of(group: _Group) -> Collection[int]:
    """All that lie between the members, where their places and ranks go up evenly; the members where they do not.

    As many as the sizes of what they gather show, if they show it.
    """
    places = sorted((rank if own.member is None else own.member, rank) for rank, own in group.items())
    (first, start), (last, end) = places[0], places[-1]
    steps, rest = divmod(end - start, max(last - first, 1))
    is_even = last > first and not rest and steps > 0
    if not is_even or any(rank != start + (place - first) * steps for place, rank in places):
        return group
    count = max(last + 1, _size(group))
    return range(start - first * steps, start + (count - first) * steps, steps) if count <= MOST_MEMBERS else group


def _size(group: _Group) -> int:
    """How many members gather or scatter, by the sizes that go in and come out; 0 where they do not tell."""
    sizes = set[int]()
    for own in group.values():
        into, out = own.elements
        if own.operation in GATHERS and into and out:
            sizes.add(max(into, out) // min(into, out))
    return min(sizes) if len(sizes) == 1 else 0


def _behind(groups: Mapping[str, _Group], descriptions: Mapping[str, str]) -> Iterable[Suspect]:
    """Those of a group that waits in one collective who enqueued fewer behind it than all others."""
    for name, group in groups.items():
        counts = Counter(own.enqueued for own in group.values() if own.enqueued is not None)
        if len({own.sequence for own in group.values()}) > 1 or len(counts) < 2:
            continue
        usual, least = max(counts), min(counts)
        late = [rank for rank, own in group.items() if own.enqueued == least]
        if len(late) > max(FEW * len(group), 1) or len(group) < len(late) + spatial.FEWEST_WRITERS:
            continue
        label = descriptions.get(name) or f"group {name}"
        why = f"All wait in the same collective of {label}, but it enqueued no further than {least}, others {usual}."
        for rank in late:
            yield Suspect(rank, BEHIND / len(late), why)
