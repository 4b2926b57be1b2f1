"""The graph of waits: from each rank to what holds it up, and from there to the members that are not in it.

Following this leads to ranks that wait for nobody: the roots. What they are suspected of is told elsewhere.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kb.core.diagnosis.flight_recorder.progress import Group, Op, Rank, Unit, World

# The end that gives may complete these before the others have even begun: its completion tells nothing of them.
ONE_WAY = ("broadcast", "reduce", "scatter", "gather", "send", "recv", "coalesced")
MOST_LOOKS = 20_000_000  # beyond the operations that ranks are held up in, which are looked at in any case


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
        """Whether a member completed what nobody can complete alone: all took part, whatever their dumps say."""
        return bool(self.done) and self.unit.name not in ONE_WAY

    @property
    def laggards(self) -> list[int]:
        """Those who did not see the end of what others saw the end of, where they are not the most."""
        held_up = self.inside + self.elsewhere
        return held_up if self.proven and len(held_up) <= len(self.done) else []

    @property
    def awaited(self) -> Sequence[int]:
        """The members that those inside wait for. An unknown one is waited for only if nobody else can be."""
        if self.proven:
            return []
        return sorted(self.elsewhere + self.missing) or ([] if self.done else self.unknown)


class Waits:
    """The graph of a run. Each blocked rank waits in one operation; what it had queued behind that does not count."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._members: dict[Group, tuple[list[Rank], list[int]]] = {}
        for group in world.groups:
            present = [world.ranks[member] for member in group.members if member in world.ranks]
            self._members[group] = present, [member for member in group.members if member not in world.ranks]
        self.standings: dict[Op, Standing] = {}
        self._find_standings()
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
        for op, blocked in self.inside.items():
            awaited = tuple(self.standings[op].awaited)
            self.targets |= dict.fromkeys(blocked, awaited)
            for target in awaited:
                self.wanting[target].append(op)

    def _find_standings(self) -> None:
        """See where everybody is: in what holds up a rank, and in the first pending collective of each group."""
        for rank in self.world.ranks.values():
            if rank.head is not None and rank.head.op not in self.standings:
                self.standings[rank.head.op] = self._standing(rank.head)
        looks = 0
        for rank in self.world.ranks.values():
            for track in rank.tracks.values():
                unit = track.pending[min(track.pending)] if track.pending else None
                if unit is not None and unit.op not in self.standings and looks < MOST_LOOKS:
                    looks += len(unit.op.group.members)
                    self.standings[unit.op] = self._standing(unit)

    def blocked(self) -> set[int]:
        """All who did not complete something."""
        return {rank.number for rank in self.world.ranks.values() if rank.head is not None}

    def roots(self) -> list[int]:
        """Those who are waited for and wait for nobody themselves."""
        return sorted(rank for rank in self.wanting if rank not in self.targets)

    def full(self) -> list[Standing]:
        """Operations that hold up their members although nobody is missing from them."""
        return [self.standings[op] for op in self.inside if not self.standings[op].awaited]

    def directly_behind(self, rank: int) -> set[int]:
        """All who wait for this rank itself."""
        return set[int]().union(*(self.inside[op] for op in self.wanting.get(rank, ())))

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
        ends = [*self.roots(), *self.laggards]
        for standing in self.full():
            ends += standing.inside
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
            self._place_peers(standing)
            return standing
        present, absent = self._members[unit.op.group]
        unknown: list[int] = []
        for rank in present:
            _list_of(standing, rank, unknown).append(rank.number)
        standing.unknown = sorted([*unknown, *absent]) if unknown else absent
        return standing

    def _place_peers(self, standing: Standing) -> None:
        """A send or receive: its other ends are inside if they are held up in the opposite of it."""
        unit, owner = standing.unit, standing.op.owner
        standing.inside.append(owner)
        for peer in sorted(unit.peers - {owner}):
            rank = self.world.ranks.get(peer)
            if rank is None:
                standing.unknown = [*standing.unknown, peer]
            elif rank.head is not None and _is_opposite(rank.head, unit, owner, peer):
                standing.inside.append(peer)
            elif any(_is_opposite(other, unit, owner, peer) for other in rank.pending):
                standing.elsewhere.append(peer)
            else:
                standing.missing.append(peer)


def _list_of(standing: Standing, rank: Rank, unknown: list[int]) -> list[int]:
    """The list of the standing that the rank belongs in."""
    track = rank.tracks.get(standing.op.group)
    if track is None or track.last < 0:
        return standing.missing if rank.shows_progress else unknown
    if standing.op.sequence > track.last:
        return standing.missing
    if standing.op.sequence not in track.pending:
        return standing.done
    return standing.inside if rank.head is not None and rank.head.op == standing.op else standing.elsewhere


def _is_opposite(other: Unit, unit: Unit, owner: int, peer: int) -> bool:
    """Whether the other operation, of `peer`, receives what `owner` sends in the first, or sends what it receives."""
    if not other.op.is_p2p or other.op.group is not unit.op.group:
        return False
    return (peer in unit.sends and owner in other.receives) or (peer in unit.receives and owner in other.sends)
