"""What processes say of themselves: which process, task, actor or file is which rank, and which name is which host.

A mapping is believed only where nothing in the log speaks against it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import TypeVar

from kb.core.diagnosis.scanning.records import Emitter, Scan

LONGEST = 7
# No node runs more processes, and no job.
MOST_LOCAL, MOST_RANKS = 256, 100_000
ENDINGS = (".gz", ".zst", ".xz", ".bz2", ".log", ".txt", ".out", ".err", ".jsonl")
RANK_FILE = re.compile(r"(?:^|[._-])(?:global_)?rank[._-]?(\d{1,6})(?:[._-]|$)", re.IGNORECASE)
SERVICES = r"(?:dmesg|syslog|messages|kern(?:el)?|journal(?:ctl)?|console|nvidia-smi|ipmi|sel|slurmd|kubelet)"
MACHINE = r"[A-Za-z][\w.-]{0,60}\d"
MACHINE_FILE = re.compile(rf"^{SERVICES}[-_.](?P<node>{MACHINE})$|^(?P<node2>{MACHINE})[-_.]{SERVICES}$")
# vLLM and SGLang name workers by their place in the tensor-parallel group, which is the rank where it is the only one;
# each process of that group has one place among the experts, too.
TENSOR_WORKER = re.compile(r"^(?:(?:Vllm)?Worker[_ ])?TP(\d{1,5})(?:[_ ]EP\d{1,5})?$")
ANY_WORKER = re.compile(r"^(?:(?:Vllm)?Worker[_ ])?(?:[TPDE]P\d{1,5}[_ ]?)+$")
Named = TypeVar("Named")
Value = TypeVar("Value")


@dataclass
class Identities:
    """Ranks by process, task, actor and file; hosts by other names of theirs, by rank and by file.

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
        """The rank that this is by its own prefix, or by what lines say of it."""
        fields = emitter.fields
        rank, pid = rank_of(emitter), fields.get("pid")
        if rank is None and pid:
            rank = self.rank_of_process(fields.get("ip") or fields.get("node") or "", pid)
        if rank is None and "task" in fields:
            rank = self.tasks.get(fields["task"])
        if rank is None and "actor" in fields:
            rank = self.actors.get(fields["actor"])
        return self.files.get(emitter.file) if rank is None else rank

    def rank_of_process(self, host: str, pid: str) -> int | None:
        """The rank of a process, by its host and number, or by its number alone."""
        return self.pids.get((host, pid), self.pids.get(("", pid)))

    def ranks_of_tasks(self, tasks: str) -> Iterator[int]:
        """The ranks of Slurm's tasks on one node, written like `0-3,7`."""
        numbers = chain.from_iterable(map(_range, tasks.split(","))) if self.tasks else ()
        for number in islice(numbers, MOST_LOCAL):
            if str(number) in self.tasks:
                yield self.tasks[str(number)]


def _range(part: str) -> range:
    """The numbers of `7` or `0-3`; none where they are not numbers."""
    low, _, high = part.partition("-")
    if not all(word.isdigit() and len(word) <= LONGEST for word in (low, high or low)):
        return range(0)
    return range(int(low), int(high or low) + 1)


def rank_of(emitter: Emitter) -> int | None:
    """The rank that its prefix names."""
    rank = emitter.fields.get("rank")
    return int(rank) if rank and len(rank) <= LONGEST else None


def identities(scan: Scan) -> Identities:
    """Put together what processes and drivers say of who they are."""
    aliases = _aliases(scan)
    workers = {introduction.rank: introduction.ip for introduction in scan.introductions if introduction.ip}
    return Identities(
        pids=_pids(scan),
        tasks=_tasks(scan),
        actors=_actors(scan),
        files=_files(scan),
        aliases=aliases,
        rank_hosts={rank: aliases.get(ip, ip) for rank, ip in workers.items()},
        file_nodes=_file_nodes(scan),
        addresses={introduction.ip: None for introduction in scan.introductions if introduction.ip},
    )


def _unambiguous(pairs: Iterable[tuple[Named, Value]]) -> dict[Named, Value]:
    """The values of those names for which all pairs have the same value."""
    values: defaultdict[Named, set[Value]] = defaultdict(set)
    for name, value in pairs:
        values[name].add(value)
    return {name: next(iter(own)) for name, own in values.items() if len(own) == 1}


def _aliases(scan: Scan) -> dict[str, str]:
    """Hosts by the pods and addresses before lines in which processes name the host that they run on."""
    pairs: list[tuple[str, str]] = []
    for introduction in scan.introductions:
        if introduction.ip:
            host = introduction.node or scan.ranks.get(introduction.rank, "")
            names = [introduction.ip]
        else:
            host = introduction.node
            fields = scan.emitters[introduction.emitter].fields
            names = [fields.get("node", ""), fields.get("ip", "")]
        short = host.partition(".")[0]
        pairs += [(name, host) for name in names if name and host and name.partition(".")[0] != short]
    for emitter in scan.emitters:
        if "pod" in emitter.fields:
            pairs.append((emitter.fields["pod"], emitter.fields["node"]))
    aliases: dict[str, str] = {}
    for name, host in _unambiguous(pairs).items():
        is_address = name.replace(".", "").isdigit() or ":" in name
        if is_address or name not in scan.hosts:
            aliases[name] = host
    return aliases


def _pids(scan: Scan) -> dict[tuple[str, str], int]:
    """Ranks by host and process; by the process alone where no two hosts have it."""
    pairs: list[tuple[tuple[str, str], int]] = []
    for emitter in scan.emitters:
        rank, pid = rank_of(emitter), emitter.fields.get("pid")
        if pid and rank is not None:
            pairs.append(((emitter.fields.get("ip") or emitter.fields.get("node") or "", pid), rank))
    for introduction in scan.introductions:
        fields = scan.emitters[introduction.emitter].fields
        own_pid = "" if introduction.is_of_another or introduction.ip else fields.get("pid", "")
        host = introduction.ip or fields.get("ip") or fields.get("node") or introduction.node
        pairs += [((host, pid), introduction.rank) for pid in {introduction.pid, own_pid} - {""}]
    anywhere = _unambiguous((("", pid), rank) for (_, pid), rank in pairs)
    return anywhere | _unambiguous(pairs)


def _tasks(scan: Scan) -> dict[str, int]:
    """Slurm's tasks are ranks if every one that is known as a rank is, or if there are more of them than nodes."""
    emitters = [emitter for emitter in scan.emitters if emitter.fields.get("task")]
    if not emitters:
        return {}
    known: defaultdict[str, set[int]] = defaultdict(set)
    for introduction in scan.introductions:
        task = scan.emitters[introduction.emitter].fields.get("task")
        if task and not introduction.is_of_another:
            known[task].add(introduction.rank)
    for emitter in emitters:
        rank = rank_of(emitter)
        if rank is not None:
            known[emitter.fields["task"]].add(rank)
    highest = max(int(emitter.fields["task"]) for emitter in emitters)
    if known:
        are_ranks = all(ranks == {int(task)} for task, ranks in known.items()) and (len(known) > 1 or highest > 0)
    else:
        is_in_world = not scan.world or highest < scan.world
        has_locals = any(emitter.fields.get("local") for emitter in emitters)
        are_ranks = is_in_world and not has_locals and highest >= max(len(scan.hosts), 1)
    if not are_ranks or scan.world > MOST_RANKS:
        return {}
    return {str(task): task for task in range(max(scan.world, highest + 1))}


def _actors(scan: Scan) -> dict[str, int]:
    """The ranks of vLLM's and SGLang's workers, where all are named by their place in the tensor-parallel group."""
    ranks: dict[str, int] = {}
    for emitter in scan.emitters:
        actor = emitter.fields.get("actor", "")
        if ANY_WORKER.match(actor):
            worker = TENSOR_WORKER.match(actor)
            if worker is None:
                return {}
            ranks[actor] = int(worker[1])
    return ranks


def _files(scan: Scan) -> dict[int, int]:
    """Files that a rank wrote alone: so they are named, or so every one of several files says of itself."""
    own = [
        (scan.emitters[introduction.emitter].file, introduction.rank)
        for introduction in scan.introductions
        if not introduction.is_of_another
    ]
    introduced = _unambiguous(own)
    ranks: dict[int, int] = {}
    for file, name in enumerate(scan.names):
        rank = _rank_in(name)
        if rank is not None and introduced.get(file, rank) == rank:
            ranks[file] = rank
    is_each_of_one = len(introduced) == len(dict(own)) and len(set(introduced.values())) == len(introduced)
    if len(introduced) > 1 and is_each_of_one:
        ranks |= introduced
    for emitter in scan.emitters:
        rank = rank_of(emitter)
        if rank is not None and ranks.get(emitter.file, rank) != rank:
            del ranks[emitter.file]
    return ranks


def _rank_in(name: str) -> int | None:
    """The rank in a file's name, or in that of a folder that it lies in."""
    for stem in stems(name):
        match = RANK_FILE.search(stem)
        if match:
            return int(match[1])
    return None


def _file_nodes(scan: Scan) -> dict[int, str]:
    """The files in which processes name one host only as theirs."""
    pairs: list[tuple[int, str]] = []
    for introduction in scan.introductions:
        if introduction.node and not introduction.is_of_another:
            pairs.append((scan.emitters[introduction.emitter].file, introduction.node))
    return _unambiguous(pairs)


def machine_of(name: str) -> str:
    """The host whose kernel's or services' log the file is by its name, such as node08 of dmesg-node08.log."""
    match = MACHINE_FILE.search(next(stems(name)))
    return (match["node"] or match["node2"]) if match else ""


def bus_key(place: str) -> str:
    """A place on the PCI bus, the same however it is written: 0000:44:00.0, 00000000:44:00, or NCCL's 44000."""
    if ":" in place:
        domain, bus, device = place.partition(".")[0].split(":")[-3:]
        return f"{int(domain, 16):x}:{int(bus, 16):x}:{int(device, 16):x}"
    number = int(place, 16)
    return f"{number >> 20:x}:{number >> 12 & 0xFF:x}:{number >> 4 & 0xFF:x}"


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
