"""What lines claim of who is who and who failed: ranks on hosts, reports of exits, absent peers. No judgement."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kb.core.diagnosis.scanning import watchdogs
from kb.core.diagnosis.scanning.records import Claim, Emitter, Introduction, Place, Scan
from kb.core.diagnosis.scanning.watchdogs import record_collective

MOST_CLAIMS, MOST_HOSTS, MOST_INTRODUCTIONS, MOST_TASKS, MOST_LISTED = 50_000, 20_000, 100_000, 10_000, 20_000
# No rank, local rank or number of processes has more digits.
LONGEST = 7
SLOWER = 1.2
# Alternatives of one pattern tell the same thing under names that differ in a digit.
DIGITS = "23456789"
# No longer than a host's name may be: what has no bound is tried from every letter on.
HOST = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
# Behind a word as common as "on", a host is believed only with a digit in its name.
NAMED_HOST = r"[A-Za-z][A-Za-z._-]{0,40}\d(?:[A-Za-z0-9._-]{0,40}[A-Za-z0-9])?"

# Who is who.
MAPS: dict[str, re.Pattern[str]] = {
    "rank_host": re.compile(
        rf"\brank[ =:]+(?P<rank>\d+)\b(?: of (?P<world>\d+))?.{{0,40}}?"
        rf"\b(?:(?:host(?:name)?|node)[ =:]+(?P<node>{HOST})|on (?P<node2>{NAMED_HOST}))"
        r"(?:.{0,20}cuda:(?P<gpu>\d+))?(?:.{0,20}\b(?:process|pid)[ =:]+(?P<pid>\d+))?",
        re.IGNORECASE,
    ),
    "host_rank": re.compile(
        rf"\b(?:host(?:name)?|node)[ =:]+(?P<node>{HOST})\b.{{0,60}}?\b(?:global[_ ])?rank[ =:]+(?P<rank>\d+)",
        re.IGNORECASE,
    ),
    # A process tells which rank it is, but not where; Ray's driver tells it of all workers.
    "own_rank": re.compile(
        r"\[rank=(?P<rank>\d+), world_size=(?P<world>\d+)\]|\brank (?P<rank2>\d+) in world size (?P<world2>\d+)|"
        r"GLOBAL_RANK: (?P<rank3>\d+), MEMBER: \d+/(?P<world3>\d+)|"
        r"^\W{0,3}[Rr]ank (?P<rank4>\d+)(?: of |/)(?P<world4>\d+)\b|"
        r"\b[Ii]nitiali[sz]ed\b.{0,40}?\b(?:global[_ ])?rank[ =:]+(?P<rank5>\d+)"
    ),
    "ray_rank": re.compile(
        r"\((?:node_id=\w+, )?(?:node_)?ip=(?P<ip>[\da-fA-F.:]+), pid=(?P<pid>\d+)\) world_rank=(?P<rank>\d+)"
    ),
    "node_rank": re.compile(r"\b(?:node_rank|NODE_RANK|machine_rank|group_rank|node rank)[ =:]+(?P<node_rank>\d+)"),
    "per_node": re.compile(
        r"\b(?:nproc_per_node|nproc-per-node|local_world_size|LOCAL_WORLD_SIZE|num_local_procs|ntasks-per-node)[ =:]+"
        r"(?P<local>\d+)"
    ),
    "nccl_rank": re.compile(r"\brank (?P<rank>\d+) nranks (?P<world>\d+) cudaDev (?P<gpu>\d+)"),
    "address": re.compile(r"(?:Bootstrap : Using|OOB) \S+?:(?P<ip>\d+(?:\.\d+){3})"),
    "node": re.compile(rf"\bnode (?P<node>{HOST}), local_world_size=(?P<local>\d+)"),
    "nodelist": re.compile(
        r"\b(?:SLURM_(?:JOB_)?NODELIST|nodelist|job \d+ on)[=: ]+(?P<list>[\w.,\[\]-]+)", re.IGNORECASE
    ),
    "world": re.compile(r"\bworld(?:[_ ]size)?[=: ]+(?P<world>\d+)\b", re.IGNORECASE),
    "master": re.compile(rf"\bMASTER_ADDR[=: ]+(?P<node>{HOST})"),
}

# Who failed, is gone or is waited for.
CLAIMS: dict[str, re.Pattern[str]] = {
    "exited": re.compile(
        r"\bfailed \(exitcode: (?P<code>-?\d+)\) local_rank: (?P<local>\d+)|"
        r"--local[_-]rank=(?P<local2>\d+)\b.{0,200}exits with return code = (?P<code2>-?\d+)"
    ),
    "mpi_exited": re.compile(
        rf"process rank (?P<rank>\d+) with PID \d+ on node (?P<node>{HOST}) exited on signal (?P<code>\d+)|"
        r"(?:Process name: |non-zero status: ?)\[\[\d+,\d+\],(?P<rank2>\d+)\]"
    ),
    "report_host": re.compile(rf"^\s+host\s+: (?P<node>{HOST})"),
    "report_rank": re.compile(r"^\s+rank\s+: (?P<rank>\d+) \(local_rank: (?P<local>\d+)\)"),
    "task": re.compile(rf"\bsrun: error: (?P<node>{HOST}): tasks? (?P<task>[\d,-]+): (?P<code>.+)"),
    "node_failed": re.compile(
        rf"\bNode failure on (?P<node>{HOST})|"
        rf"\bnode (?P<node2>{HOST}) (?:became unreachable|is not ready|was lost|has been lost)|"
        r"\bip: (?P<node3>[\d.]{7,15}) has been marked dead|"
        rf"\b(?P<node4>{HOST})[:,]? (?:node )?"
        r"(?:is down|is not responding|went down|node_fail|NODE_FAIL)"
    ),
    "node_failed_near": re.compile(rf"\bON (?P<node>{HOST}) CANCELLED AT .{{0,40}}DUE TO NODE FAILURE"),
    "ssh_exited": re.compile(rf"(?:^|: )(?P<node>{HOST}): ssh exited with exit code (?P<code>\d+)"),
    "worker_died": re.compile(
        r"\bWorker PID: (?P<pid>\d+)\b.{0,40}?Node IP: (?P<node>[\da-fA-F.:]+)|"
        r"\bray::.{0,120}\(pid=(?P<pid2>\d+), ip=(?P<node2>[\da-fA-F.:]+)"
    ),
    "worker_proc": re.compile(r"\bWorker proc(?:ess)? \w*?(?:Worker)?[-_](?P<rank>\d+) died"),
    "closed_by": re.compile(
        rf"(?:closed by remote peer|[Cc]onnection (?:closed|reset) by peer|remote peer) (?P<node>{HOST})"
    ),
    "missing": re.compile(
        r"\b[Rr]anks? (?P<rank>\d+)\b.{0,40}\b"
        r"(?:missing|did not join|not joined|not respond|unreachable|lost|dead|died|failed)"
    ),
    "slow": re.compile(
        r"\b[Rr]anks? (?P<rank>\d+) (?:is|was|are) (?:the )?(?:slow(?:er|est)?|a straggler|behind|lagging)\b|"
        r"\b(?:slow(?:est)?|straggl(?:er|ing)|lagging) (?:gpu |worker |process )?ranks?:?[ =#]*\[?(?P<rank2>\d+)|"
        r"\bAffected ranks: [\[{](?P<ranks>[\d, ]+)"
    ),
    "slowest": re.compile(
        r"\bMnRtt/Rnk: (?P<least>\d+(?:\.\d+)?)ms/\d+ \| MxRtt/Rnk: (?P<most>\d+(?:\.\d+)?)ms/(?P<rank>\d+)"
    ),
    "collective": watchdogs.SPOKEN,
    "actor_died": re.compile(
        r"\b(?:ip|node_ip|address)[=: ]+(?P<node>\d+(?:\.\d+){3}).{0,120}\b(?:died|dead|failed|unexpected)",
        re.IGNORECASE,
    ),
}


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
        if name in MAPS:
            _record_map(scan, name, fields, emitter)
        elif len(scan.claims) < MOST_CLAIMS:
            _record_claim(scan, name, fields, emitter, place, when)


def _record_map(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter) -> None:
    own_node, own_ip = emitter.fields.get("node", ""), emitter.fields.get("ip", "")
    # NCCL writes the host that it runs on before its lines.
    node = own_node if name == "nccl_rank" else fields.get("node", "")
    hosts = hosts_of(fields["list"]) if name == "nodelist" else [node]
    for host in hosts:
        if host and len(scan.hosts) < MOST_HOSTS:
            scan.hosts.setdefault(host, len(scan.hosts))
    world, local, node_rank = (_number(fields, key) for key in ("world", "local", "node_rank"))
    if name == "address" and own_node:
        scan.addresses[fields["ip"]] = own_node
    if name == "node" and own_ip and node:
        scan.addresses[own_ip] = node
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


def _introduce(scan: Scan, introduction: Introduction, gpu: int | None) -> None:
    if len(scan.introductions) < MOST_INTRODUCTIONS:
        scan.introductions.setdefault(introduction, None)
    if introduction.node:
        scan.ranks.setdefault(introduction.rank, introduction.node)
        if gpu is not None:
            scan.gpus.setdefault(introduction.rank, gpu)


def _record_claim(scan: Scan, name: str, fields: Mapping[str, str], emitter: Emitter, place: Place, when: str) -> None:
    node, code, task = fields.get("node", ""), fields.get("code", ""), fields.get("task", "")
    # Each names many ranks, and srun tells of a node once or twice.
    if name == "task" and len(scan.claims) >= MOST_TASKS:
        return
    # Somebody is always the slowest, if only by a little.
    if name == "slowest" and float(fields["most"]) < SLOWER * float(fields["least"]):
        return
    if name == "report_host":
        emitter.blamed_host = node
        scan.hosts.setdefault(node, len(scan.hosts))
        return
    if name == "mpi_exited" and code:
        code = f"-{code}"
    rank = _number(fields, "rank")
    if name == "report_rank":
        node = emitter.blamed_host
        if rank is not None and node:
            scan.introductions.setdefault(Introduction(emitter.id, rank, node, "", "", is_of_another=True), None)
            scan.ranks.setdefault(rank, node)
    code = code or fields.get("ranks", "") or task
    local, pid = _number(fields, "local"), fields.get("pid", "")
    scan.claims.append(Claim(name, place, when, emitter, node, rank, local, code, pid, task))


def _number(fields: Mapping[str, str], name: str) -> int | None:
    word = fields.get(name)
    return int(word) if word and len(word) <= LONGEST else None


def hosts_of(nodelist: str) -> Iterator[str]:
    """The hosts of a Slurm list such as `gpu[01-03,07],login1`; at most 20,000 of them."""
    count = 0
    for item in re.findall(r"[^,\[\]]+(?:\[[^\]]*\])?[^,\[\]]*", nodelist):
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
