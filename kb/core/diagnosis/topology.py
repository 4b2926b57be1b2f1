"""Who is who: which rank ran on which node, as far as the log says so, and which line came from whom.

Nothing is guessed: a local rank is a rank only where the log maps it, and a file is a node's only where its name is
that of a host that the log names. What processes say of themselves is put together in `introductions`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.core.diagnosis.introductions import Introduced, introduced, stems
from kb.core.diagnosis.scanning.records import Emitter, Scan

LONGEST = 7
# Names that stand before a good part of all lines are those of nodes, even where no line says so.
BELIEVED = 0.2
MOST_LOCAL = 1024


@dataclass
class Topology:
    """`nodes`: host names that the log is sure of, in its order; `rank_node` and `gpu_rank`: what it maps.

    `addresses`: other names of nodes. `sole`: the node that every process ran on, if there is just one.
    """

    nodes: list[str] = field(default_factory=list)
    rank_node: dict[int, str] = field(default_factory=dict)
    gpu_rank: dict[tuple[str, int], int] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    file_node: dict[int, str] = field(default_factory=dict)
    world: int = 0
    sole: str = ""
    told: Introduced = field(default_factory=Introduced)

    def node_named(self, name: str) -> str:
        """The node that a host name or an address stands for; empty if it is none that is known."""
        name = self.addresses.get(name, name)
        return name if name in self._known else self._known_short.get(name.partition(".")[0], "")

    def node(self, emitter: Emitter) -> str:
        """The node that this came from, if the log says so."""
        fields = emitter.fields
        for key in ("node", "ip"):
            if (name := fields.get(key)) and (found := self.node_named(name)):
                return found
        rank = self.told.rank(emitter)
        if rank is not None and rank in self.rank_node:
            return self.rank_node[rank]
        return self.file_node.get(emitter.file, "") or self.sole

    def rank(self, emitter: Emitter) -> int | None:
        """The rank that this came from, if the log says so."""
        own = self.told.rank(emitter)
        if own is not None:
            return own
        local = emitter.fields.get("local") or emitter.fields.get("gpu")
        return self.gpu_rank.get((self.node(emitter), int(local))) if local and len(local) <= LONGEST else None

    def ranks_on(self, node: str) -> list[int]:
        """The ranks that the log maps to this node, in order."""
        return sorted(rank for rank, name in self.rank_node.items() if name == node)

    def __post_init__(self) -> None:
        self._known = set(self.nodes)
        self._known_short = {name.partition(".")[0]: name for name in self.nodes if not name[:1].isdigit()}


def topology(scan: Scan) -> Topology:
    """Put together what the log says."""
    told = introduced(scan)
    found = Topology(_nodes(scan, told), addresses=scan.addresses | told.aliases, told=told)
    found.world = max(scan.world, len(scan.ranks))
    _place_files(scan, found)
    _place_ranks(scan, found)
    _place_devices(scan, found)
    _count_ranks(scan, found)
    if len(found.nodes) == 1 and 0 < found.world <= max(len(found.ranks_on(found.nodes[0])), *scan.per_node, 0):
        found.sole = found.nodes[0]
    return found


def _nodes(scan: Scan, told: Introduced) -> list[str]:
    """Hosts that lines name, then those before lines that are built alike or stand before a good part of all lines."""
    aliases = scan.addresses | told.aliases
    hosts = [name for name in scan.hosts if name not in aliases]
    headed, addresses = Counter[str](), dict.fromkeys(told.addresses)
    for emitter in scan.emitters:
        fields = emitter.fields
        if (name := fields.get("node")) and name not in aliases:
            headed[name] += emitter.lines
        if ip := fields.get("ip"):
            addresses.setdefault(ip)
    short = {name.partition(".")[0] for name in hosts}
    shapes = {_shape(name) for name in hosts} - {""}
    # Where it is known of every rank where it ran, no other name is a node's.
    is_complete = 0 < scan.world <= len(scan.ranks)
    is_believed = not is_complete and headed.total() >= BELIEVED * sum(scan.lines)
    hosts += [
        name
        for name, lines in headed.items()
        if lines > 1 and name not in scan.hosts and name.partition(".")[0] not in short
        if is_believed or _shape(name) in shapes
    ]
    return [*hosts, *(ip for ip in addresses if ip not in aliases)]


def _place_files(scan: Scan, found: Topology) -> None:
    found.file_node |= told if len(told := found.told.file_nodes) > 1 else {}
    for number, name in enumerate(scan.names):
        if node := next((node for stem in stems(name) if (node := found.node_named(stem))), ""):
            found.file_node[number] = node


def _place_ranks(scan: Scan, found: Topology) -> None:
    places = found.rank_node
    for rank, name in (*scan.ranks.items(), *found.told.rank_hosts.items(), *_claimed(scan, found.told)):
        if node := found.node_named(name):
            places.setdefault(rank, node)
    for emitter in scan.emitters:
        own = found.told.rank(emitter)
        if own is not None and own not in places:
            name = emitter.fields.get("node") or emitter.fields.get("ip") or ""
            if node := found.node_named(name) or found.file_node.get(emitter.file, ""):
                places[own] = node


def _claimed(scan: Scan, told: Introduced) -> Iterator[tuple[int, str]]:
    """Ranks and hosts that launchers name when a process ends."""
    for claim in scan.claims:
        if claim.kind == "task":
            yield from ((rank, claim.node) for rank in told.ranks_of_tasks(claim.task))
        elif claim.kind in ("mpi_exited", "report_rank") and claim.rank is not None:
            yield claim.rank, claim.node


def _place_devices(scan: Scan, found: Topology) -> None:
    """Ranks by device and by local rank, as told."""
    for rank, device in scan.gpus.items():
        if rank in found.rank_node:
            found.gpu_rank.setdefault((found.rank_node[rank], device), rank)
    for claim in scan.claims:
        node = found.node_named(claim.node)
        if claim.kind == "report_rank" and node and claim.rank is not None and claim.local is not None:
            found.gpu_rank.setdefault((node, claim.local), claim.rank)


def _count_ranks(scan: Scan, found: Topology) -> None:
    """Ranks are counted node by node: known where a node's number and that of its processes are told."""
    size = next(iter(scan.per_node)) if len(scan.per_node) == 1 else MOST_LOCAL + 1
    if size > MOST_LOCAL:
        return
    numbered: dict[str, set[int]] = {}
    for emitter, numbers in scan.node_ranks.items():
        if node := found.node(scan.emitters[emitter]):
            numbered.setdefault(node, set()).update(numbers)
    for node, numbers in numbered.items():
        for local in range(size) if len(numbers) == 1 else ():
            rank = min(numbers) * size + local
            if found.rank_node.setdefault(rank, node) == node:
                found.gpu_rank.setdefault((node, local), rank)


def _shape(name: str) -> str:
    """How a name that ends in a number is built; one that does not is like no other."""
    return name.rstrip("0123456789") if name[-1:].isdigit() else ""
