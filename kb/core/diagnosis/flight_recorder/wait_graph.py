"""Who waits for whom: from each rank to what holds it up, and from there to the members that are not in it.

Following this leads to ranks that wait for nobody: the roots. What they are suspected of is told elsewhere.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kb.core.diagnosis.flight_recorder.progress import Group, Op, Rank, Unit, World

# The end that gives may complete these before the others have even begun: its completion tells nothing of them.
ONE_WAY = ("broadcast", "reduce", "scatter", "gather", "send", "recv", "coalesced")
MOST_LOOKS = 20_000_000  # beyond the operations that ranks are held up in, which are looked at in any case


def plain_name(unit: Unit) -> str:
    """The operation without the backend's name before it: all_reduce."""
    return unit.entries[-1].name.partition(":")[2] or unit.entries[-1].name or "operation"


@dataclass(eq=False)
class Standing:
    """Where the members of an operation are. `inside`: held up in it; `elsewhere`: enqueued it, but held up before it.

    `missing`: never enqueued it. `done`: completed it. `unknown`: left no dump, or one that does not tell.
    """

    op: Op
    unit: Unit
    inside: list[int] = field(default_factory=list)
    elsewhere: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    unknown: Sequence[int] = ()

    @property
    def proven(self) -> bool:
        """A member completed what nobody can complete alone: all took part, whatever their dumps say."""
        return bool(self.done) and plain_name(self.unit) not in ONE_WAY

    @property
    def laggards(self) -> list[int]:
        """Those who did not see the end of what others saw the end of, where they are not the most."""
        held_up = self.inside + self.elsewhere
        return held_up if self.proven and len(held_up) <= len(self.done) else []

    @property
    def awaited(self) -> Sequence[int]:
        """Whom those inside wait for. An unknown one is waited for only if nobody else can be."""
        if self.proven:
            return []
        return sorted(self.elsewhere + self.missing) or ([] if self.done else self.unknown)


class Waits:
    """The graph of a run. Each blocked rank waits in one operation; what it had queued behind that does not count."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._members = {group: self._parted(group) for group in world.groups}
        self.standings: dict[Op, Standing] = {}
        self._stand()
        self.laggards: dict[int, Standing] = {}
        for standing in self.standings.values():
            for number in standing.laggards:
                self.laggards.setdefault(number, standing)
        self.inside: dict[Op, list[int]] = defaultdict(list)
        for rank in world.ranks.values():
            if rank.head is not None and rank.number not in self.laggards:
                self.inside[rank.head.op].append(rank.number)
        self.wanting: dict[int, list[Op]] = defaultdict(list)
        self.targets: dict[int, tuple[int, ...]] = {}
        self._link()

    def _stand(self) -> None:
        """See where everybody is: in what holds up a rank, and in the first pending collective of each group."""
        heads = [rank.head for rank in self.world.ranks.values() if rank.head is not None]
        for unit in heads:
            if unit.op not in self.standings:
                self.standings[unit.op] = self._standing(unit)
        looks = 0
        for unit in (unit for rank in self.world.ranks.values() for unit in _first_of_each_group(rank)):
            if unit.op not in self.standings and looks < MOST_LOOKS:
                looks += len(unit.op.group.members)
                self.standings[unit.op] = self._standing(unit)

    def _link(self) -> None:
        for op, blocked in self.inside.items():
            awaited = tuple(self.standings[op].awaited)
            self.targets |= dict.fromkeys(blocked, awaited)
            for target in awaited:
                self.wanting[target].append(op)

    def blocked(self) -> set[int]:
        """All who did not complete something."""
        return {rank.number for rank in self.world.ranks.values() if rank.head is not None}

    def roots(self) -> list[int]:
        """Those who are waited for and wait for nobody themselves."""
        return sorted(rank for rank in self.wanting if rank not in self.targets)

    def full(self) -> list[Standing]:
        """Operations that hold up their members although nobody is missing from them."""
        return [self.standings[op] for op in self.inside if not self.standings[op].awaited]

    def behind(self, start: Iterable[int]) -> set[int]:
        """All who wait for one of these, directly or through others; these too."""
        seen, queue = set(start), deque(start)
        while queue:
            for op in self.wanting.get(queue.popleft(), ()):
                new = [rank for rank in self.inside[op] if rank not in seen]
                seen.update(new)
                queue.extend(new)
        return seen

    def circle(self) -> list[int]:
        """Those who wait for one another in a circle that leads to no root."""
        ends = [*self.roots(), *self.laggards, *(rank for one in self.full() for rank in one.inside)]
        left = set(self.targets) - self.behind(ends)
        waiters = dict.fromkeys(left, 0)
        for rank in left:
            for target in self.targets[rank]:
                if target in left:
                    waiters[target] += 1
        idle = deque(rank for rank in left if not waiters[rank])
        while idle:
            rank = idle.popleft()
            left.discard(rank)
            for target in self.targets[rank]:
                if target in left:
                    waiters[target] -= 1
                    if not waiters[target]:
                        idle.append(target)
        return sorted(left)

    def _standing(self, unit: Unit) -> Standing:
        standing = Standing(unit.op, unit)
        if unit.op.is_p2p:
            self._pair(standing)
            return standing
        present, absent = self._members[unit.op.group]
        untold: list[int] = []
        for rank in present:
            _place(standing, rank, untold).append(rank.number)
        standing.unknown = sorted([*untold, *absent]) if untold else absent
        return standing

    def _parted(self, group: Group) -> tuple[list[Rank], list[int]]:
        """The members that left a dump, and those that did not."""
        ranks = self.world.ranks
        present = [ranks[member] for member in group.members if member in ranks]
        return present, [member for member in group.members if member not in ranks]

    def _pair(self, standing: Standing) -> None:
        """A send or receive: its other ends are inside if they are held up in the opposite of it."""
        unit, owner = standing.unit, standing.op.owner
        standing.inside.append(owner)
        for peer in sorted(unit.peers - {owner}):
            rank = self.world.ranks.get(peer)
            if rank is None:
                standing.unknown = [*standing.unknown, peer]
            elif _answers(rank.head, unit, owner, peer):
                standing.inside.append(peer)
            elif any(_answers(one, unit, owner, peer) for one in rank.pending):
                standing.elsewhere.append(peer)
            else:
                standing.missing.append(peer)


def _first_of_each_group(rank: Rank) -> Iterator[Unit]:
    for track in rank.tracks.values():
        if track.pending:
            yield track.pending[min(track.pending)]


def _place(standing: Standing, rank: Rank, untold: list[int]) -> list[int]:
    op = standing.op
    track = rank.tracks.get(op.group)
    if track is None or track.last < 0:
        return standing.missing if rank.shows_progress else untold
    if op.sequence > track.last:
        return standing.missing
    if op.sequence not in track.pending:
        return standing.done
    return standing.inside if rank.head is not None and rank.head.op == op else standing.elsewhere


def _answers(other: Unit | None, unit: Unit, owner: int, peer: int) -> bool:
    if other is None or not other.op.is_p2p or other.op.group is not unit.op.group:
        return False
    return (peer in unit.sends and owner in other.receives) or (peer in unit.receives and owner in other.sends)
