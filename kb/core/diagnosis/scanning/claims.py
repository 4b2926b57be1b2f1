"""What lines claim of who is who and who failed: ranks on hosts, reports of exits, absent peers. No judgement."""

import re
from collections.abc import Iterator

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
    "timed_out": re.compile(
        r"(?:[Rr]ank (?P<rank>\d+)\].{0,60})?(?:Watchdog caught collective|failure detected by watchdog)"
    ),
    "actor_died": re.compile(
        r"\b(?:ip|node_ip|address)[=: ]+(?P<node>\d+(?:\.\d+){3}).{0,120}\b(?:died|dead|failed|unexpected)",
        re.IGNORECASE,
    ),
}


def hosts_of(nodelist: str) -> Iterator[str]:
    """The hosts of a Slurm list such as `gpu[01-03,07],login1`; at most 20,000 of them."""
    given = 0
    for item in re.findall(r"[^,\[\]]+(?:\[[^\]]*\])?[^,\[\]]*", nodelist):
        found = re.fullmatch(r"([^\[]+)\[([\d,-]+)\](.*)", item)
        if found is None:
            yield item.strip(",")
            continue
        for part in found[2].split(","):
            low, _, high = part.partition("-")
            for number in range(int(low or 0), int(high or low or 0) + 1):
                given += 1
                if given > 20_000:
                    return
                yield f"{found[1]}{number:0{len(low)}d}{found[3]}"
