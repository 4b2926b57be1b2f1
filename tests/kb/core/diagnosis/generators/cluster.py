"""The machines of a job: names, addresses, processes, and clocks that disagree by seconds."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from tests.kb.core.diagnosis.generators.spec import Spec

SCHEMES = (
    "gpu-a-{n:02d}",
    "ip-10-21-{high}-{low}",
    "node{n:03d}.cluster",
    "dgx-{n:02d}",
    "worker-{n}",
    "c{high}r2n{n}",
)
HELD_OUT_SCHEMES = ("cn-b{high:02d}-{n:02d}", "a3mega-pool-{n:04d}", "h200x8-{n}.pod{high}.internal", "lrdn{low:04d}")
JOBS = ("tern-7b", "plover", "sft-wren", "mixer13b")
HELD_OUT_JOBS = ("osprey-moe", "dpo-heron")


@dataclass(frozen=True)
class Node:
    index: int
    host: str
    address: str
    skew: float
    agent: int
    pids: tuple[int, ...]

    @property
    def short(self) -> str:
        return self.host.split(".")[0]


@dataclass(frozen=True)
class Cluster:
    """Who takes part. Ranks are numbered node by node."""

    name: str
    nodes: tuple[Node, ...]
    gpus: int
    start: datetime
    port: int
    job: int

    @property
    def world(self) -> int:
        return len(self.nodes) * self.gpus

    def node_of(self, rank: int) -> Node:
        return self.nodes[rank // self.gpus]

    def local(self, rank: int) -> int:
        return rank % self.gpus

    def pid(self, rank: int) -> int:
        return self.node_of(rank).pids[self.local(rank)]

    def ranks_on(self, node: int) -> range:
        return range(node * self.gpus, (node + 1) * self.gpus)

    def clock(self, node: int, time: float) -> datetime:
        """What the node's clock shows at this true second of the job; -1: the machine that launched it."""
        skew = self.nodes[node].skew if node >= 0 else 0.0
        return self.start + timedelta(seconds=time + skew)


def built(spec: Spec, rng: Random) -> Cluster:
    """The cluster of this job."""
    scheme = rng.choice(HELD_OUT_SCHEMES if spec.held_out else SCHEMES)
    first, high = rng.randint(1, 40), rng.randint(2, 12)
    skewed = spec.nodes > 1 and rng.random() < 0.5
    nodes = []
    for index in range(spec.nodes):
        low = 11 + first + 7 * index
        agent = rng.randint(2000, 400_000)
        pids = tuple(agent + 60 + 2 * place + rng.randint(0, 1) for place in range(spec.gpus_per_node))
        skew = round(rng.uniform(-6, 6), 3) if skewed else round(rng.uniform(-0.05, 0.05), 3)
        host = scheme.format(n=first + index, high=high, low=low)
        nodes.append(Node(index, host, f"10.21.{high}.{low}", skew, agent, pids))
    start = datetime(2025, rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59))
    start += timedelta(seconds=rng.randint(0, 59), milliseconds=rng.randint(0, 999))
    name = rng.choice(HELD_OUT_JOBS if spec.held_out else JOBS)
    return Cluster(
        name, tuple(nodes), spec.gpus_per_node, start, rng.randint(20_000, 40_000), rng.randint(10**5, 10**7)
    )
