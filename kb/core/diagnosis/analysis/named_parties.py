"""Whom a line names in its own words: ranks, processes, devices and nodes. Who wrote it is another matter."""

import re

from kb.core.diagnosis.topology import Topology

# Ranks within a group or a node are no ranks of the job.
RANK = re.compile(
    r"(?<!local )(?<!node )(?<!group )(?<!\b[TDPEC]P )\b(?:global[_ ])?rank[ =:#]{1,3}(\d{1,7})\b(?!\.\d)",
    re.IGNORECASE,
)
PROCESS = re.compile(r"\b(?:pid|process)[ =:(]{1,3}(\d{2,9})\b", re.IGNORECASE)
DEVICE = re.compile(r"(?:\b(?:gpu|device)[ :#]{1,2}|\bcuda:|\bnvidia-smi -i )(\d{1,3})\b(?![.:]\d)", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
SEARCHED = 400
# A line that names more than so many ranks says whom it concerns, not who is at fault.
MOST = 2


def nodes_in(text: str, topology: Topology) -> set[str]:
    """Nodes of the job that the text names, by host name or address."""
    words = (word.rstrip(".-_") for word in NAME.findall(text[:SEARCHED]))
    return {node for word in words if (node := topology.node_named(word))}


def ranks_in(text: str, topology: Topology, node: str) -> set[int]:
    """Ranks that the text names, by number or process; failing that by device. `node`: where it was written."""
    text = text[:SEARCHED]
    ranks = {int(rank) for rank in RANK.findall(text)}
    ranks |= {rank for pid in PROCESS.findall(text) if (rank := _of_process(pid, topology, node)) is not None}
    if not ranks:
        nodes = nodes_in(text, topology) or {node}
        named = (topology.gpu_rank.get((place, int(device))) for place in nodes for device in DEVICE.findall(text))
        ranks = {rank for rank in named if rank is not None}
    return {rank for rank in ranks if not topology.world or rank < topology.world} if len(ranks) <= MOST else set()


def _of_process(pid: str, topology: Topology, node: str) -> int | None:
    pids = topology.told.pids
    return pids.get((node, pid), pids.get(("", pid)))
