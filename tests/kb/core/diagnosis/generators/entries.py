"""What is said in a run: who says it, when, and what part each line plays in what went wrong."""

from dataclasses import dataclass
from enum import IntEnum

from tests.kb.core.diagnosis.generators.cluster import Cluster


class Part(IntEnum):
    """What a line is. Of several that share a physical line, the greatest counts."""

    PLAIN = 0
    CASCADE = 1
    SUPPORT = 2
    ROOT = 3


Lines = tuple[tuple[str, Part], ...]


@dataclass(frozen=True)
class Voice:
    """Who speaks: a rank, the agent or kernel of a node, or the launcher and scheduler (node -1)."""

    who: str
    node: int
    rank: int = -1


@dataclass(frozen=True)
class At:
    """A voice at a true second, on a cluster: what it takes to format a line."""

    cluster: Cluster
    voice: Voice
    time: float
    level: str = "INFO"
    where: str = "loop.py:188:step"

    @property
    def host(self) -> str:
        return self.cluster.nodes[self.voice.node].host if self.voice.node >= 0 else "login-2"


@dataclass(frozen=True)
class Metrics:
    """What a training run reports of an iteration."""

    step: int
    total: int
    loss: float
    norm: float
    seconds: float
    rate: float
    skipped: bool = False


@dataclass(frozen=True)
class Entry:
    """Lines of one voice, formatted but without the prefix of the transport. `shown`: when they reach the file."""

    at: At
    shown: float
    lines: Lines
