"""The job's topology: which rank ran on which node, as far as the log says so, and where each line came from.

Nothing is guessed: a local rank is a rank only where the log maps it, and a file is a node's only where its name is
that of a host that the log names. What processes say of themselves is put together in `introductions`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.core.diagnosis.introductions import Identities, bus_key, identities, machine_of, stems
from kb.core.diagnosis.parsing.hosts import is_typical_host
from kb.core.diagnosis.scanning.records import Emitter, Scan

LONGEST = 7
# Names that stand before a good part of all lines are those of nodes, even where no line says so.
BELIEVED = 0.2
MOST_LOCAL = 1024
# Few nodes run more ranks.
MOST_USUAL = 8


@dataclass
class Topology:
    """`nodes`: host names that the log is sure of, in its order; `rank_node` and `gpu_rank`: what it maps.

    `bus_rank`: ranks by node and the place of their device on the PCI bus, see `bus_key`. `addresses`: other names of
    nodes. `world`: how many ranks there are, at least; `is_single_node`: no second node is heard of. `sole`: the node
    that every process ran on, if it is just one.
    """

    nodes: list[str] = field(default_factory=list)
    rank_node: dict[int, str] = field(default_factory=dict)
    gpu_rank: dict[tuple[str, int], int] = field(default_factory=dict)
    bus_rank: dict[tuple[str, str], int] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    file_node: dict[int, str] = field(default_factory=dict)
    world: int = 0
    is_world_told: bool = False
    is_single_node: bool = False
    sole: str = ""
    identities: Identities = field(default_factory=Identities)

    def __post_init__(self) -> None:
        self._known = set(self.nodes)
        self._known_short = {name.partition(".")[0]: name for name in self.nodes if not name[:1].isdigit()}

    def node_named(self, name: str) -> str:
        """The node that a host name or an address stands for; empty if it is none that is known.

        What a name stands for may itself be the address of a node with a name.
        """
        name = self.addresses.get(name, name)
        name = self.addresses.get(name, name)
        return name if name in self._known else self._known_short.get(name.partition(".")[0], "")

    def node(self, emitter: Emitter) -> str:
        """The node that this came from, if the log says so; else empty."""
        for key in ("node", "ip"):
            name = emitter.fields.get(key)
            node = self.node_named(name) if name else ""
            if node:
                return node
        rank = self.identities.rank(emitter)
        if rank is not None and rank in self.rank_node:
            return self.rank_node[rank]
        return self.file_node.get(emitter.file, "") or self.sole

    def rank(self, emitter: Emitter) -> int | None:
        """The rank that this came from, if the log says so."""
        rank = self.identities.rank(emitter)
        if rank is not None:
            return rank
        local = emitter.fields.get("local") or emitter.fields.get("gpu")
        return self.gpu_rank.get((self.node(emitter), int(local))) if local and len(local) <= LONGEST else None

    def may_be(self, rank: int) -> bool:
        """Whether there may be such a rank, as far as the log says how many there are."""
        return not self.is_world_told or rank < self.world

    def ranks_on(self, node: str) -> list[int]:
        """The ranks that the log maps to this node, in order."""
        return sorted(rank for rank, name in self.rank_node.items() if name == node)


def topology(scan: Scan) -> Topology:
    """Put together what the log says."""
    own = identities(scan)
    aliases = scan.addresses | own.aliases
    job = Topology(_nodes(scan, own, aliases), addresses=aliases, identities=own)
    job.is_world_told = scan.world > 0
    # Where nothing tells how many ranks there are, there are as many as the highest one that is heard of.
    heard = {own.rank(emitter) for emitter in scan.emitters} | set(scan.ranks)
    job.world = max(scan.world, 0, *(rank + 1 for rank in heard if rank is not None))
    _place_files(scan, job)
    _place_ranks(scan, job)
    _place_devices(scan, job)
    _count_ranks(scan, job)
    _place_buses(scan, job)
    highest = max((number for numbers in scan.node_ranks.values() for number in numbers), default=0)
    job.is_single_node = len(job.nodes) < 2 and highest == 0 and scan.world <= max({MOST_USUAL, *scan.per_node})
    if len(job.nodes) == 1 and 0 < job.world <= max(len(job.ranks_on(job.nodes[0])), *scan.per_node, 0):
        job.sole = job.nodes[0]
    return job


def _nodes(scan: Scan, own: Identities, aliases: dict[str, str]) -> list[str]:
    """Hosts that lines name, then those in prefixes that look like them or stand before a good part of all lines."""
    machines = [machine_of(name) for name in scan.names]
    hosts = [name for name in dict.fromkeys((*scan.hosts, *machines)) if name and name not in aliases]
    lines, addresses = Counter[str](), dict.fromkeys(own.addresses)
    surely_hosts = set[str]()
    for emitter in scan.emitters:
        name, ip = emitter.fields.get("node"), emitter.fields.get("ip")
        # In a machine's own log, what stands in the place of a host is a part of it.
        if name and name not in aliases and not machines[emitter.file]:
            lines[name] += emitter.lines
            if not emitter.is_bare or emitter.dated > 1 or is_typical_host(name):
                surely_hosts.add(name)
        if ip:
            addresses.setdefault(ip)
    short = {name.partition(".")[0] for name in hosts}
    shapes = {_shape(name) for name in hosts} - {""}
    # Where it is known of every rank where it ran, no other name is a node's.
    is_complete = 0 < scan.world <= len(scan.ranks)
    is_believed = not is_complete and lines.total() >= BELIEVED * sum(scan.lines)
    for name, count in lines.items():
        is_new = count > 1 and name not in scan.hosts and name.partition(".")[0] not in short
        if is_new and ((is_believed and name in surely_hosts) or _shape(name) in shapes):
            hosts.append(name)
    return [*hosts, *(ip for ip in addresses if ip not in aliases)]


def _shape(name: str) -> str:
    """A host name without the number at its end; empty for one without a number, which is like no other."""
    return name.rstrip("0123456789") if name[-1:].isdigit() else ""


def _place_files(scan: Scan, job: Topology) -> None:
    if len(job.identities.file_nodes) > 1:
        job.file_node |= job.identities.file_nodes
    for number, name in enumerate(scan.names):
        for stem in stems(name):
            node = job.node_named(stem) or job.node_named(machine_of(name))
            if node:
                job.file_node[number] = node
                break


def _place_ranks(scan: Scan, job: Topology) -> None:
    places, own = job.rank_node, job.identities
    for rank, name in (*scan.ranks.items(), *own.rank_hosts.items(), *_ended_processes(scan, own)):
        node = job.node_named(name)
        if node:
            places.setdefault(rank, node)
    for emitter in scan.emitters:
        own_rank = own.rank(emitter)
        if own_rank is not None and own_rank not in places:
            name = emitter.fields.get("node") or emitter.fields.get("ip") or ""
            node = job.node_named(name) or job.file_node.get(emitter.file, "")
            if node:
                places[own_rank] = node


def _ended_processes(scan: Scan, own: Identities) -> Iterator[tuple[int, str]]:
    """Ranks and hosts that launchers name when a process ends."""
    for claim in scan.claims:
        if claim.kind == "task":
            for rank in own.ranks_of_tasks(claim.task):
                yield rank, claim.node
        elif claim.kind in ("mpi_exited", "report_rank") and claim.rank is not None:
            yield claim.rank, claim.node


def _place_devices(scan: Scan, job: Topology) -> None:
    """Map devices and local ranks, which are taken for the same, to ranks."""
    for rank, device in scan.gpus.items():
        if rank in job.rank_node:
            job.gpu_rank.setdefault((job.rank_node[rank], device), rank)
    for claim in scan.claims:
        node = job.node_named(claim.node)
        if claim.kind == "report_rank" and node and claim.rank is not None and claim.local is not None:
            job.gpu_rank.setdefault((node, claim.local), claim.rank)


def _place_buses(scan: Scan, job: Topology) -> None:
    """Map devices by their places on the bus: NCCL tells the rank of each, nvidia-smi the number of the device."""
    for (number, bus), (told, device) in scan.buses.items():
        emitter = scan.emitters[number]
        node, rank = job.node(emitter), told if told is not None else job.identities.rank(emitter)
        if rank is None and device is not None:
            rank = job.gpu_rank.get((node, device))
        key = bus_key(bus)
        if rank is not None and key:
            job.bus_rank.setdefault((job.rank_node.get(rank, node), key), rank)


def _count_ranks(scan: Scan, job: Topology) -> None:
    """Ranks are counted node by node: known where a node's number and that of its processes are told."""
    if len(scan.per_node) != 1 or max(scan.per_node) > MOST_LOCAL:
        return
    size = max(scan.per_node)
    numbers_of: defaultdict[str, set[int]] = defaultdict(set)
    for emitter, numbers in scan.node_ranks.items():
        numbers_of[job.node(scan.emitters[emitter])] |= numbers
    for node, numbers in numbers_of.items():
        if node and len(numbers) == 1:
            for local in range(size):
                rank = min(numbers) * size + local
                if job.rank_node.setdefault(rank, node) == node:
                    job.gpu_rank.setdefault((node, local), rank)
