"""What lines claim of who is who and who failed: ranks on hosts, reports of exits, absent peers. No judgement."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kb.core.diagnosis.scanning.claim_patterns import CLAIMS, CULPRIT, MAPS, RAY_NODE
from kb.core.diagnosis.scanning.records import Claim, Emitter, Introduction, Place, Scan, Stack
from kb.core.diagnosis.scanning.watchdogs import record_collective

MOST_CLAIMS, MOST_HOSTS, MOST_INTRODUCTIONS, MOST_TASKS, MOST_LISTED = 50_000, 20_000, 100_000, 10_000, 20_000
MOST_STALLED = 20
# No rank, local rank or number of processes has more digits.
LONGEST = 7
SLOWER = 1.2
# Alternatives of one pattern tell the same thing under names that differ in a digit.
DIGITS = "23456789"
# Nobody's name, or everybody's.
NO_HOST = re.compile(r"(?:localhost(?:\.\w+)?|[Nn]one|null|unknown|127\..*|0\.0\.0\.0|::1?)?")
# Claims that tell of a node outright: it is one, also if it never wrote a line.
OUTRIGHT = frozenset({"culprit", "node_failed", "lost_host", "lost_daemon", "bad_hosts", "unreached", "evicted"})
STACKS = frozenset({"stack_process", "stack_thread", "stack_frame"})
# Launchers and runtimes know on which host a process was.
TELL_HOSTS = frozenset({"task", "mpi_exited", "ras_process", "ras_rank", "crashed", "worker_died", "actor_died"})
# They tell another name of a node.
OTHER_NAMES = frozenset({"pod_node", "described_node", "ray_node"})
# Where an actor or a daemon ran is told within so many lines below its loss.
BELOW = 8


def record_claims(scan: Scan, names: Iterable[str], body: str, emitter: Emitter, place: Place, when: str) -> None:
    """Write down what the line claims, by the patterns of these names."""
    for name in names:
        if name == "collective":
            record_collective(scan, body, emitter, place)
            continue
        match = (MAPS.get(name) or CLAIMS[name]).search(body)
        if match is None:
            continue
        fields = {key.rstrip(DIGITS): word for key, word in match.groupdict().items() if word is not None}
        if name == "planned":
            scan.planned_steps = int(fields.get("steps", "0").replace(",", "")) or scan.planned_steps
            scan.planned_epochs = int(fields.get("epochs", "0")) or scan.planned_epochs
        elif name == "throughput":
            _record_throughput(scan, fields, body, place)
        elif name in MAPS:
            _record_map(scan, name, fields, emitter)
        elif len(scan.claims) < MOST_CLAIMS:
            _record_claim(scan, name, fields, emitter, place, when)


def _record_throughput(scan: Scan, fields: Mapping[str, str], body: str, place: Place) -> None:
    """Keep the lines in which a server tells that it works on requests and gets nowhere, until one tells otherwise."""
    stalled = scan.stalled.setdefault(place.file, [])
    if float(fields["prompt"]) or float(fields["generation"]) or not int(fields["running"]):
        stalled.clear()
    elif len(stalled) < MOST_STALLED:
        stalled.append((place, body))


def _record_map(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter) -> None:
    if name in ("own_host", "own_pid"):
        if "rank" not in emitter.fields:
            return
        fields = {**fields, "rank": emitter.fields["rank"]}
    # NCCL writes the host that it runs on before its lines.
    node = emitter.fields.get("node", "") if name == "nccl_rank" else fields.get("node", "")
    for host in hosts_of(fields["list"]) if name == "nodelist" else [node]:
        _add_host(scan, host)
    _record_names(scan, name, fields, emitter, node)
    world, local, node_rank = (_number(fields, key) for key in ("world", "local", "node_rank"))
    if world is not None:
        scan.world = max(scan.world, world)
    if name in ("node", "per_node") and local:
        scan.per_node.add(local)
    if node_rank is not None:
        scan.node_ranks.setdefault(emitter.id, set()).add(node_rank)
    rank = _number(fields, "rank")
    # NCCL counts within a group: its ranks are the job's only where the group is the job.
    if rank is not None and (name != "nccl_rank" or (world or 0) >= scan.world):
        pid, ip = fields.get("pid", ""), fields.get("ip", "")
        introduction = Introduction(emitter.id, rank, node, ip, pid, is_of_another=name == "ray_rank")
        _introduce(scan, introduction, _number(fields, "gpu"))


def _record_names(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter, node: str) -> None:
    """Write down by which other names a node goes, and where its devices are."""
    own_node, own_ip = emitter.fields.get("node", ""), emitter.fields.get("ip", "")
    if name == "address" and own_node:
        scan.addresses[fields["ip"]] = own_node
    if name == "node" and own_ip and node:
        scan.addresses[own_ip] = node
    if name in OTHER_NAMES and len(scan.addresses) < MOST_HOSTS:
        scan.addresses |= dict.fromkeys({fields.get("alias", ""), fields.get("ip", "")} - {""}, node)
    if name == "described_node":
        emitter.blamed_host = node
    if "bus" in fields and len(scan.buses) < MOST_HOSTS:
        scan.buses[emitter.id, fields["bus"]] = (_number(fields, "rank"), _number(fields, "gpu"))


def _introduce(scan: Scan, introduction: Introduction, gpu: int | None) -> None:
    if len(scan.introductions) < MOST_INTRODUCTIONS:
        scan.introductions.setdefault(introduction, None)
    if introduction.node:
        scan.ranks.setdefault(introduction.rank, introduction.node)
        if gpu is not None:
            scan.gpus.setdefault(introduction.rank, gpu)


def _record_claim(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter, place: Place, when: str) -> None:
    if name == "lost":
        emitter.loss = place.line
    elif name == "report_host":
        emitter.blamed_host = fields["node"]
        _add_host(scan, fields["node"])
    elif name == "report_first":
        emitter.reports_first = True
    elif name == "report_code":
        _record_code(scan, emitter, fields)
    elif name == "ras_count":
        emitter.count = fields["code"]
        scan.claims.append(Claim(name, place, when, emitter, code=fields["code"]))
    elif name in STACKS:
        _record_stack(scan, name, fields, emitter)
    elif name in OUTRIGHT:
        if name != "lost_host" or (emitter.loss and place.line <= emitter.loss + BELOW):
            _record_outright(scan, Claim(name, place, when, emitter), fields)
    # Each task names many ranks, and srun tells of a node once or twice. Somebody is always the slowest by a little.
    elif not (name == "task" and len(scan.claims) >= MOST_TASKS) and not _is_hardly_slow(name, fields):
        _record_other(scan, name, fields, emitter, place, when)


def _is_hardly_slow(name: str, fields: Mapping[str, str]) -> bool:
    return name == "slowest" and float(fields["most"]) < SLOWER * float(fields["least"])


def _record_other(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter, place: Place, when: str) -> None:
    node, code, task = fields.get("node", ""), fields.get("code", ""), fields.get("task", "")
    if name in TELL_HOSTS:
        _add_host(scan, node)
    if name == "mpi_exited" and code:
        code = f"-{code}"
    rank = _number(fields, "rank")
    if name == "report_rank":
        node = emitter.blamed_host
        task = "first" if emitter.reports_first else ""
        emitter.reports_first = False
        if rank is not None and node:
            scan.introductions.setdefault(Introduction(emitter.id, rank, node, "", "", is_of_another=True), None)
            scan.ranks.setdefault(rank, node)
    local, pid = _number(fields, "local"), fields.get("pid", "")
    if name == "ras_rank" and rank is not None:
        code = emitter.count
        _introduce(scan, Introduction(emitter.id, rank, node, "", pid, is_of_another=True), local)
    code = code or fields.get("ranks", "") or fields.get("task", "")
    scan.claims.append(Claim(name, place, when, emitter, node, rank, local, code, pid, task))


def _record_code(scan: Scan, emitter: Emitter, fields: Mapping[str, str]) -> None:
    """Write down how the rank ended, and which process it was, that the same report has just named."""
    last = scan.claims[-1] if scan.claims else None
    if last is None or last.kind != "report_rank" or last.emitter is not emitter or last.rank is None:
        return
    scan.claims[-1] = replace(last, code=fields["code"], pid=fields["pid"])
    _introduce(scan, Introduction(emitter.id, last.rank, last.node, "", fields["pid"], is_of_another=True), None)


def _record_stack(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter) -> None:
    if name == "stack_process" and len(scan.stacks) < MOST_HOSTS:
        scan.stacks.append(Stack(emitter, fields["pid"]))
    if not scan.stacks or scan.stacks[-1].emitter is not emitter:
        return
    stack = scan.stacks[-1]
    if name == "stack_thread":
        stack.is_open = not stack.top and fields.get("thread") == "MainThread"
    elif name == "stack_frame" and stack.is_open:
        stack.top, stack.is_open = f"{fields['frame']})", False


def _record_outright(scan: Scan, claim: Claim, fields: Mapping[str, str]) -> None:
    """Write down who is told of outright: each of several hosts, the host that a pod or a description is of, a rank."""
    if claim.kind == "culprit":
        for match in CULPRIT.finditer(fields["list"]):
            scan.claims.append(replace(claim, rank=int(match["rank"])))
            if match["node"]:
                _record_outright(scan, replace(claim, kind="bad_hosts"), {"list": match["node"]})
        return
    for host in hosts_of(fields.get("list", "") or fields.get("node", "") or _own_host(claim)):
        if NO_HOST.fullmatch(host):
            continue
        # A pod is no node, and neither is Ray's number of one.
        is_pod = claim.kind == "evicted" and host != _own_host(claim)
        if host not in scan.addresses and not is_pod and not RAY_NODE.fullmatch(host):
            _add_host(scan, host)
        scan.claims.append(replace(claim, node=host))


def _own_host(claim: Claim) -> str:
    """The host that a description is of, else the one that the line was written on."""
    return claim.emitter.blamed_host or claim.emitter.fields.get("node", "")


def _add_host(scan: Scan, host: str) -> None:
    if not NO_HOST.fullmatch(host) and len(scan.hosts) < MOST_HOSTS:
        scan.hosts.setdefault(host, len(scan.hosts))


def _number(fields: Mapping[str, str], name: str) -> int | None:
    word = fields.get(name)
    return int(word) if word and len(word) <= LONGEST else None


def hosts_of(nodelist: str) -> Iterator[str]:
    """The hosts of a Slurm list such as `gpu[01-03,07],login1`; at most 20,000 of them."""
    count = 0
    for item in re.findall(r"[^,\s\[\]]+(?:\[[^\]]*\])?[^,\[\]]*", nodelist):
        match = re.fullmatch(r"([^\[]+)\[([\d,-]+)\](.*)", item)
        if match is None:
            yield item.strip(",")
            continue
        for part in match[2].split(","):
            low, _, high = part.partition("-")
            for number in range(int(low or 0), int(high or low or 0) + 1):
                count += 1
                if count > MOST_LISTED:
                    return
                yield f"{match[1]}{number:0{len(low)}d}{match[3]}"
