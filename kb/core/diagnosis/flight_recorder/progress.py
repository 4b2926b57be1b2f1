"""All dumps of a run side by side: how far each rank came in each group, and what it did not complete. No blame here.

Ranks are compared by sequence numbers alone; within a rank, the order of its records counts. Clocks do not matter.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.core.diagnosis.flight_recorder.findings import DUMPS, Words
from kb.core.diagnosis.flight_recorder.shapes import Dump, Entry, Status

_PEERS = re.compile(r"\b(send|recv) (\d+)(?:->|<-)(\d+)")


@dataclass(eq=False)
class Group:
    """A process group, the same object for all members. `has_p2p`: it also sends and receives."""

    name: str
    description: str
    members: tuple[int, ...]
    has_p2p: bool = False

    @property
    def label(self) -> str:
        """A name for readers: the description, which says more than the name."""
        return self.description or f"group {self.name}"


class Op(NamedTuple):
    """A collective of a group, or a send, receive or batch of both by `owner`."""

    group: Group
    sequence: int
    owner: int = -1

    @classmethod
    def of(cls, entry: Entry, group: Group, rank: int, index: int) -> "Op":
        """The operation of an entry of this rank; `index`: the entry's place, which counts where no number is told."""
        if entry.is_p2p:
            return cls(group, index if entry.p2p is None else entry.p2p, rank)
        sequence = entry.op_id if entry.collective is None else entry.collective
        return cls(group, index if sequence is None else sequence)

    @property
    def is_p2p(self) -> bool:
        """Whether it is a send or receive, counted by its owner alone."""
        return self.owner >= 0


@dataclass(eq=False)
class Unit:
    """One operation as one rank recorded it: several entries if it was coalesced. `sends`, `receives`: global ranks."""

    op: Op
    entries: list[Entry]
    sends: frozenset[int] = frozenset()
    receives: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        """The operation, such as all_reduce."""
        return self.entries[-1].operation

    @property
    def title(self) -> str:
        """Such as all_reduce number 7 of TENSOR_MODEL_PARALLEL_GROUP, or send 0->1 of PIPELINE_MODEL_PARALLEL_GROUP."""
        number = "" if self.op.is_p2p else f" number {self.op.sequence}"
        return f"{self.name}{number} of {self.op.group.label}"

    @property
    def top_frame(self) -> str | None:
        """The top frame of whoever enqueued it, if the dump has frames."""
        return next((str(entry.frames[0]) for entry in self.entries if entry.frames), None)

    @property
    def completed(self) -> bool:
        """Whether it completed. The entry of a coalesced batch speaks for its parts, which never learn of it."""
        whole = [entry for entry in self.entries if entry.name.endswith("coalesced")]
        return all(entry.state == "completed" for entry in whole or self.entries)

    @property
    def started(self) -> bool:
        """Whether it was seen to start on the GPU."""
        return any(entry.state == "started" or entry.started_ns for entry in self.entries)

    @property
    def peers(self) -> frozenset[int]:
        """The other ends."""
        return self.sends | self.receives

    def find_peers(self) -> None:
        """Read whom it sends to and receives from off the names, which tell ranks within the group."""
        peers: dict[str, set[int]] = {"send": set(), "recv": set()}
        members = self.op.group.members
        for entry in self.entries:
            for direction, _, other in _PEERS.findall(entry.name):
                if len(other) < 8 and int(other) < len(members):
                    peers[direction].add(members[int(other)])
        self.sends, self.receives = frozenset(peers["send"]), frozenset(peers["recv"])


@dataclass(eq=False)
class Track:
    """One rank in one group: the last collective known to be enqueued, and the last known to be completed; -1: none."""

    last: int = -1
    completed: int = -1
    units: dict[int, Unit] = field(default_factory=dict)
    pending: dict[int, Unit] = field(default_factory=dict)

    def enter(self, unit: Unit) -> None:
        """Collectives of a group run one after the other: what comes before a completed one has completed too."""
        sequence = unit.op.sequence
        self.units[sequence] = unit
        self.last = max(self.last, sequence)
        if unit.completed:
            self.completed = max(self.completed, sequence)

    def believe(self, status: Status, furthest: int) -> None:
        """Take over how far the rank came, unless the number cannot be one of collectives of this group."""
        enqueued, completed = status.last_enqueued, status.last_completed
        if enqueued is None or enqueued < self.last or (self.last < 0 and enqueued > furthest):
            return
        self.last = enqueued
        if completed is not None and completed <= enqueued:
            self.completed = max(self.completed, completed)


@dataclass(eq=False)
class Rank:
    """One rank that left a dump. `pending`: what it had enqueued and not completed, in its own order."""

    number: int
    dump: Dump
    tracks: dict[Group, Track] = field(default_factory=lambda: defaultdict(Track))
    pending: list[Unit] = field(default_factory=list)

    @property
    def shows_progress(self) -> bool:
        """Whether its entries include completed ones. Else it may have left them out, and silence says nothing."""
        return any(entry.state == "completed" for entry in self.dump.entries)

    @property
    def head(self) -> Unit | None:
        """What this rank is held up in: the first that it did not complete."""
        return self.pending[0] if self.pending else None

    def settle(self) -> None:
        """Leave only what is pending in `pending`, of the rank and of its groups."""
        pending: list[Unit] = []
        for unit in self.pending:
            if unit.op.is_p2p:
                unit.find_peers()
            else:
                track = self.tracks[unit.op.group]
                if unit.op.sequence <= track.completed:
                    continue
                track.pending[unit.op.sequence] = unit
            pending.append(unit)
        self.pending = pending


@dataclass
class World:
    """All ranks that left a dump.

    `absent`: members of groups of which there is no dump; `unread`: members whose dump could not be read. `unplaced`:
    how many dumps do not say whose they are.
    """

    ranks: dict[int, Rank]
    groups: list[Group]
    absent: tuple[int, ...]
    unread: tuple[int, ...]
    unplaced: int
    words: Words = DUMPS

    @classmethod
    def of(cls, dumps: Sequence[Dump], unread: Collection[int] = (), words: Words = DUMPS) -> "World":
        """Put the dumps side by side. Of two of the same rank, the one that recorded more counts.

        `unread`: ranks whose dump could not be read.
        """
        placed: dict[int, Dump] = {}
        for dump in dumps:
            if dump.rank is None:
                continue
            other = placed.get(dump.rank)
            if other is None or dump.extent > other.extent:
                placed[dump.rank] = dump
        ranks = {number: Rank(number, placed[number]) for number in sorted(placed)}
        groups = _Groups(ranks)
        for rank in ranks.values():
            groups.enter_rank(rank)
        groups.settle()
        lacking = set[int]()
        for group in groups.all:
            lacking.update(member for member in group.members if member not in ranks)
        absent = lacking.difference(unread)
        unplaced = sum(dump.rank is None for dump in dumps)
        return cls(ranks, groups.all, tuple(sorted(absent)), tuple(sorted(lacking - absent)), unplaced, words)


class _Groups:
    """Makes groups of what each dump says of its own, and enters each rank's operations in them."""

    def __init__(self, ranks: dict[int, Rank]) -> None:
        self._ranks = ranks
        self._made: dict[tuple[str, tuple[int, ...]], Group] = {}
        self._met: dict[Group, set[int]] = defaultdict(set)
        self._numbers: dict[Rank, dict[int, Group]] = {}

    @property
    def all(self) -> list[Group]:
        return list(self._made.values())

    def enter_rank(self, rank: Rank) -> None:
        """Sort the rank's entries into operations of its groups."""
        own = {group.name: self.group(group.name, group.description, group.ranks) for group in rank.dump.groups}
        numbers: dict[int, Group] = {}
        units: dict[Op, Unit] = {}
        for index, entry in enumerate(rank.dump.in_order):
            group = own.get(entry.group) or self.group(entry.group, entry.group_description, ())
            self._met[group].add(rank.number)
            if entry.group_id is not None:
                numbers[entry.group_id] = group
            op = Op.of(entry, group, rank.number, index)
            units.setdefault(op, Unit(op, [])).entries.append(entry)
        for unit in units.values():
            if unit.op.is_p2p:
                unit.op.group.has_p2p = True
            else:
                rank.tracks[unit.op.group].enter(unit)
        rank.pending = [unit for unit in units.values() if not unit.completed]
        self._numbers[rank] = _group_numbers(rank.dump, numbers, own)

    def settle(self) -> None:
        """What only all ranks together tell: the members of unconfigured groups, and what to believe of a status."""
        for group in self.all:
            if not group.members:
                group.members = tuple(sorted(self._ranks if group.name == "0" else self._met[group]))
        furthest: dict[Group, int] = defaultdict(lambda: -1)
        for rank in self._ranks.values():
            for group, track in rank.tracks.items():
                furthest[group] = max(furthest[group], track.last)
        for rank in self._ranks.values():
            for number, group in self._numbers[rank].items():
                status = rank.dump.statuses.get(number)
                if status is not None and not group.has_p2p:
                    rank.tracks[group].believe(status, furthest[group])
            rank.settle()

    def group(self, name: str, description: str, members: tuple[int, ...]) -> Group:
        """The group of this name and these members."""
        return self._made.setdefault((name, members), Group(name, description, members))


def _group_numbers(dump: Dump, numbers: dict[int, Group], own: dict[str, Group]) -> dict[int, Group]:
    """The rank's own numbers of its groups, by which alone `pg_status` calls them.

    Entries tell some. For the others, both count up as the groups were made, so that the order tells where all names
    are numbers, none is left over, and no entry contradicts.
    """
    names = [name for name in own if name.isdecimal()]
    if len(names) == len(own) == len(dump.statuses):
        guess = dict(zip(sorted(dump.statuses), (own[name] for name in sorted(names, key=int)), strict=True))
        if all(guess.get(number) is group for number, group in numbers.items()):
            return guess
    return numbers
