"""Who is who: which rank ran on which node, as far as the log says so, and which line came from whom.

Nothing is guessed: a local rank is a rank only where the log maps it, and a file is a node's only where its name is
that of a host that the log names.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from kb.diagnosis.scanning.records import Emitter, Scan


@dataclass
class Topology:
    """`nodes`: host names that the log is sure of, in its order; `rank_node` and `gpu_rank`: what it maps."""

    nodes: list[str] = field(default_factory=list)
    rank_node: dict[int, str] = field(default_factory=dict)
    gpu_rank: dict[tuple[str, int], int] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    pid_rank: dict[tuple[str, str], int] = field(default_factory=dict)
    file_node: dict[int, str] = field(default_factory=dict)
    world: int = 0

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
        rank = self._own_rank(emitter)
        if rank is not None and rank in self.rank_node:
            return self.rank_node[rank]
        return self.file_node.get(emitter.file, "")

    def rank(self, emitter: Emitter) -> int | None:
        """The rank that this came from, if the log says so."""
        own = self._own_rank(emitter)
        if own is not None:
            return own
        fields = emitter.fields
        local = fields.get("local") or fields.get("gpu")
        if local and len(local) < 6:
            return self.gpu_rank.get((self.node(emitter), int(local)))
        return self.pid_rank.get((fields.get("ip", "") or fields.get("node", ""), fields.get("pid", "")))

    def __post_init__(self) -> None:
        self._known = set(self.nodes)
        self._known_short = {name.partition(".")[0]: name for name in self.nodes}

    @staticmethod
    def _own_rank(emitter: Emitter) -> int | None:
        rank = emitter.fields.get("rank")
        return int(rank) if rank and len(rank) < 8 else None


def topology(scan: Scan) -> Topology:
    """Put together what the log says."""
    nodes = list(scan.hosts)
    headed = Counter[str]()
    for emitter in scan.emitters:
        if name := emitter.fields.get("node"):
            headed[name] += emitter.lines
    if not nodes:
        nodes = _believable(headed, sum(scan.lines))
    else:
        nodes += [
            name for name, lines in headed.items() if name not in scan.hosts and _alike(name, nodes) and lines > 1
        ]
    file_node = {}
    for number, name in enumerate(scan.names):
        stem = _stem(name)
        if stem in nodes:
            file_node[number] = stem
    found = Topology(
        nodes,
        dict(scan.ranks),
        {(node, scan.gpus[rank]): rank for rank, node in scan.ranks.items() if rank in scan.gpus},
        dict(scan.addresses),
        _pids(scan),
        file_node,
        max(scan.world, len(scan.ranks)),
    )
    for emitter in scan.emitters:
        rank = emitter.fields.get("rank")
        if rank and len(rank) < 8 and int(rank) not in found.rank_node:
            name = emitter.fields.get("node") or emitter.fields.get("ip") or ""
            if node := found.node_named(name) or found.file_node.get(emitter.file, ""):
                found.rank_node[int(rank)] = node
    return found


def _stem(name: str) -> str:
    stem = PurePosixPath(name).name
    for ending in (".gz", ".zst", ".xz", ".bz2", ".log", ".txt", ".out", ".err"):
        stem = stem.removesuffix(ending)
    return stem


def _pids(scan: Scan) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for emitter in scan.emitters:
        fields = emitter.fields
        if (pid := fields.get("pid")) and (rank := fields.get("rank")) and len(rank) < 8:
            found.setdefault((fields.get("ip", "") or fields.get("node", ""), pid), int(rank))
    return found


def _believable(headed: Counter[str], lines: int) -> list[str]:
    """Heads that look like hosts, where the log nowhere names its hosts: they head a good part of its lines."""
    return [name for name in headed if headed.total() >= 0.2 * lines and headed[name] > 1]


def _alike(name: str, nodes: list[str]) -> bool:
    """Is this name built like one of these?"""
    shape = name.rstrip("0123456789")
    return shape != name and any(node.rstrip("0123456789") == shape for node in nodes)
