"""Writes down what a line claims: who is who, and who failed. What such claims are worth is judged elsewhere."""

from collections.abc import Iterable, Mapping

from kb.core.diagnosis.scanning.claims import CLAIMS, MAPS, hosts_of
from kb.core.diagnosis.scanning.records import Claim, Emitter, Introduction, Place, Scan

MOST_CLAIMS, MOST_HOSTS, MOST_INTRODUCED, MOST_TASKS = 50_000, 20_000, 100_000, 10_000
# No rank, local rank or number of processes has more digits.
LONGEST = 7
SLOWER = 1.2
# Alternatives of one pattern tell the same thing under names that differ in a digit.
DIGITS = "23456789"


def hear(scan: Scan, watched: Iterable[str], body: str, emitter: Emitter, place: Place, when: str) -> None:
    """Write down what the line claims, by the patterns that lines of its kind have."""
    for name in watched:
        pattern = MAPS.get(name) or CLAIMS[name]
        found = pattern.search(body)
        if found is None:
            continue
        said = {key.rstrip(DIGITS): word for key, word in found.groupdict().items() if word is not None}
        if name in MAPS:
            _map(scan, name, said, emitter)
        elif len(scan.claims) < MOST_CLAIMS:
            _claim(scan, name, said, emitter, place, when)


def _map(scan: Scan, name: str, said: Mapping[str, str], emitter: Emitter) -> None:
    node = said.get("node", "")
    for host in hosts_of(said["list"]) if name == "nodelist" else (node,):
        if host and len(scan.hosts) < MOST_HOSTS:
            scan.hosts.setdefault(host, len(scan.hosts))
    if name == "nccl_rank":
        node = emitter.fields.get("node", "")
    if name == "address" and (named := emitter.fields.get("node")):
        scan.addresses[said["ip"]] = named
    if name == "node" and (ip := emitter.fields.get("ip")) and node:
        scan.addresses[ip] = node
    if (world := _number(said, "world")) is not None:
        scan.world = max(scan.world, world)
    if name in ("node", "per_node") and (local := _number(said, "local")):
        scan.per_node.add(local)
    if (node_rank := _number(said, "node_rank")) is not None:
        scan.node_ranks.setdefault(emitter.id, set()).add(node_rank)
    _rank(scan, name, said, node, emitter)


def _rank(scan: Scan, name: str, said: Mapping[str, str], node: str, emitter: Emitter) -> None:
    rank = _number(said, "rank")
    # NCCL counts within a group: its ranks are the job's only where the group is the job.
    if rank is None or (name == "nccl_rank" and (_number(said, "world") or 0) < scan.world):
        return
    if len(scan.introduced) < MOST_INTRODUCED:
        told = Introduction(emitter.id, rank, node, said.get("ip", ""), said.get("pid", ""), name == "ray_rank")
        scan.introduced.setdefault(told, None)
    if node:
        scan.ranks.setdefault(rank, node)
        if (gpu := _number(said, "gpu")) is not None:
            scan.gpus.setdefault(rank, gpu)


def _claim(scan: Scan, name: str, said: Mapping[str, str], emitter: Emitter, place: Place, when: str) -> None:
    node, code = said.get("node", ""), said.get("code", "")
    # Each names many ranks, and srun tells of a node once or twice.
    if name == "task" and len(scan.claims) >= MOST_TASKS:
        return
    if name == "report_host":
        emitter.blamed_host = node
        scan.hosts.setdefault(node, len(scan.hosts))
        return
    # Somebody is always the slowest, if only by a little.
    if name == "slowest" and float(said["most"]) < SLOWER * float(said["least"]):
        return
    if name == "report_rank":
        node = emitter.blamed_host
    if name == "mpi_exited" and code:
        code = f"-{code}"
    code = code or said.get("ranks", "") or said.get("task", "")
    rank, local, pid = _number(said, "rank"), _number(said, "local"), said.get("pid", "")
    if name == "report_rank" and rank is not None and node:
        scan.introduced.setdefault(Introduction(emitter.id, rank, node, "", "", is_of_another=True), None)
        scan.ranks.setdefault(rank, node)
    scan.claims.append(Claim(name, place, when, emitter, node, rank, local, code, pid, said.get("task", "")))


def _number(said: Mapping[str, str], name: str) -> int | None:
    word = said.get(name)
    return int(word) if word and len(word) <= LONGEST else None
