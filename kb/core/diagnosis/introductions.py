"""What processes say of themselves: which process, task, actor or file is which rank, and which name is which host.

A mapping is believed only where nothing in the log speaks against it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import TypeVar

from kb.core.diagnosis.scanning.records import Emitter, Introduction, Scan

LONGEST = 7
# No node runs more processes.
MOST_LOCAL = 256
ENDINGS = (".gz", ".zst", ".xz", ".bz2", ".log", ".txt", ".out", ".err", ".jsonl")
RANK_FILE = re.compile(r"(?:^|[._-])(?:global_)?rank[._-]?(\d{1,6})(?:[._-]|$)", re.IGNORECASE)
# vLLM names its workers by their place in the tensor-parallel group, which is the rank where it is the only group.
TENSOR_WORKER = re.compile(r"^(?:Vllm)?Worker_TP(\d{1,5})$")
ANY_WORKER = re.compile(r"^(?:Vllm)?Worker_\w*[TPD]P\d")
Named = TypeVar("Named")


@dataclass
class Introduced:
    """What was told: ranks by process, task, actor and file; hosts by other names of theirs, by rank and by file.

    `pids`: ranks by address or host, and process; with an empty host where the process alone tells. `addresses`: of
    workers that a driver lists.
    """

    pids: dict[tuple[str, str], int] = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    rank_hosts: dict[int, str] = field(default_factory=dict)
    file_nodes: dict[int, str] = field(default_factory=dict)
    addresses: dict[str, None] = field(default_factory=dict)

    def rank(self, emitter: Emitter) -> int | None:
        """The rank that this is by its own head, or as something told of it."""
        fields = emitter.fields
        own = rank_of(emitter)
        if own is not None:
            return own
        if pid := fields.get("pid"):
            rank = self.pids.get((fields.get("ip") or fields.get("node") or "", pid), self.pids.get(("", pid)))
            if rank is not None:
                return rank
        if (task := fields.get("task")) and task in self.tasks:
            return self.tasks[task]
        if (actor := fields.get("actor")) and actor in self.actors:
            return self.actors[actor]
        return self.files.get(emitter.file)

    def ranks_of_tasks(self, tasks: str) -> Iterator[int]:
        """The ranks of Slurm's tasks on one node, written like `0-3,7`."""
        numbers = (number for part in tasks.split(",") for number in _numbers(part)) if self.tasks else ()
        for number in islice(numbers, MOST_LOCAL):
            if (rank := self.tasks.get(str(number))) is not None:
                yield rank


def _numbers(part: str) -> range:
    low, _, high = part.partition("-")
    if not all(word.isdigit() and len(word) <= LONGEST for word in (low, high or low)):
        return range(0)
    return range(int(low), int(high or low) + 1)


def rank_of(emitter: Emitter) -> int | None:
    """The rank that its head names."""
    rank = emitter.fields.get("rank")
    return int(rank) if rank and len(rank) <= LONGEST else None


def introduced(scan: Scan) -> Introduced:
    """Put together what processes and drivers say of who they are."""
    told = [(one, scan.emitters[one.emitter]) for one in scan.introduced]
    found = Introduced()
    found.aliases = _aliases(scan, told)
    found.addresses = {one.ip: None for one, _ in told if one.ip}
    found.rank_hosts = {one.rank: found.aliases.get(one.ip, one.ip) for one, _ in told if one.ip}
    found.pids = _pids(scan, told)
    found.tasks = _tasks(scan, told)
    found.actors = _actors(scan)
    found.files = _files(scan, told)
    hosts = _only((emitter.file, one.node) for one, emitter in told if one.node and not one.is_of_another)
    found.file_nodes = {file: host for file, host in hosts.items() if host}
    return found


def _only(pairs: Iterable[tuple[Named, str]]) -> dict[Named, str]:
    """What was told of each, where only one thing was told of it."""
    found: defaultdict[Named, set[str]] = defaultdict(set)
    for name, value in pairs:
        found[name].add(value)
    return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def _aliases(scan: Scan, told: Iterable[tuple[Introduction, Emitter]]) -> dict[str, str]:
    """Pods and addresses before lines in which processes name the host that they run on."""
    pairs: list[tuple[str, str]] = []
    for one, emitter in told:
        host = one.node or (scan.ranks.get(one.rank, "") if one.ip else "")
        names = (one.ip,) if one.ip else (emitter.fields.get("node", ""), emitter.fields.get("ip", ""))
        pairs += [(name, host) for name in names if name and host and name.partition(".")[0] != host.partition(".")[0]]
    return {name: host for name, host in _only(pairs).items() if name not in scan.hosts or _is_address(name)}


def _is_address(name: str) -> bool:
    return name.replace(".", "").isdigit() or ":" in name


def _pids(scan: Scan, told: Iterable[tuple[Introduction, Emitter]]) -> dict[tuple[str, str], int]:
    pairs: list[tuple[tuple[str, str], str]] = []
    for emitter in scan.emitters:
        rank, pid = rank_of(emitter), emitter.fields.get("pid")
        if pid and rank is not None:
            pairs.append(((emitter.fields.get("ip") or emitter.fields.get("node") or "", pid), str(rank)))
    for one, emitter in told:
        own = "" if one.is_of_another or one.ip else emitter.fields.get("pid", "")
        place = one.ip or emitter.fields.get("ip") or emitter.fields.get("node") or one.node
        pairs += [((place, pid), str(one.rank)) for pid in {one.pid, own} if pid]
    anywhere = _only((("", pid), rank) for (_, pid), rank in pairs)
    return {key: int(rank) for key, rank in (anywhere | _only(pairs)).items()}


def _tasks(scan: Scan, told: Iterable[tuple[Introduction, Emitter]]) -> dict[str, int]:
    """Slurm's tasks are ranks if every one that is known as a rank is, or if there are more of them than nodes."""
    seen = {task for emitter in scan.emitters if (task := emitter.fields.get("task"))}
    if not seen:
        return {}
    known: defaultdict[str, set[int]] = defaultdict(set)
    for one, emitter in told:
        if (task := emitter.fields.get("task")) and not one.is_of_another:
            known[task].add(one.rank)
    for emitter in scan.emitters:
        if (task := emitter.fields.get("task")) and (rank := rank_of(emitter)) is not None:
            known[task].add(rank)
    highest = max(map(int, seen))
    has_locals = any(emitter.fields.get("local") and emitter.fields.get("task") for emitter in scan.emitters)
    if not known:
        is_likely = not has_locals and highest >= max(len(scan.hosts), 1) and (not scan.world or highest < scan.world)
    else:
        is_likely = all(ranks == {int(task)} for task, ranks in known.items()) and (len(known) > 1 or highest > 0)
    tasks = range(max(scan.world, highest + 1)) if is_likely and scan.world <= 100_000 else ()
    return {str(task): task for task in tasks}


def _actors(scan: Scan) -> dict[str, int]:
    workers = {actor for emitter in scan.emitters if ANY_WORKER.match(actor := emitter.fields.get("actor", ""))}
    found = {actor: match[1] for actor in workers if (match := TENSOR_WORKER.match(actor))}
    return {actor: int(rank) for actor, rank in found.items()} if len(found) == len(workers) else {}


def _files(scan: Scan, told: Iterable[tuple[Introduction, Emitter]]) -> dict[int, int]:
    """Files that a rank wrote alone: so they are named, or so every one of several files says of itself."""
    own = [(emitter.file, str(one.rank)) for one, emitter in told if not one.is_of_another]
    said = _only(own)
    named = {file: match[1] for file, name in enumerate(scan.names) if (match := _rank_file(name))}
    found = {file: int(rank) for file, rank in named.items() if int(said.get(file, rank)) == int(rank)}
    if len(said) > 1 and len(said) == len({file for file, _ in own}) and _are_apart(said):
        found |= {file: int(rank) for file, rank in said.items()}
    heads = [(emitter.file, rank) for emitter in scan.emitters if (rank := rank_of(emitter)) is not None]
    others = {file for file, rank in heads if found.get(file, rank) != rank}
    return {file: rank for file, rank in found.items() if file not in others}


def _are_apart(said: Mapping[int, str]) -> bool:
    return len(set(said.values())) == len(said)


def _rank_file(name: str) -> re.Match[str] | None:
    return next((match for stem in stems(name) if (match := RANK_FILE.search(stem))), None)


def stems(name: str) -> Iterator[str]:
    """A file's name without its endings, then the names of the folders that it lies in, the nearest first."""
    path = PurePosixPath(name)
    stem, before = path.name, ""
    while stem != before:
        before = stem
        for ending in ENDINGS:
            stem = stem.removesuffix(ending)
    yield stem
    yield from reversed(path.parent.parts)
