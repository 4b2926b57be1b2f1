"""The words in which lines claim who is who and who failed. What is made of them: `claims`."""

import re

from kb.core.diagnosis.scanning import watchdogs

# No longer than a host's name may be: what has no bound is tried from every letter on.
HOST = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
# Behind a word as common as "on", a host is believed only with a digit in its name.
NAMED_HOST = r"[A-Za-z][A-Za-z._-]{0,40}\d(?:[A-Za-z0-9._-]{0,40}[A-Za-z0-9])?"

# Several hosts of Slurm, such as node[01-03].
HOSTS = rf"{HOST}(?:\[[\d,-]{{1,80}}\])?"
ADDRESS = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}(?:::?[\da-fA-F]{1,4}){2,8})"
PCI = r"[\dA-Fa-f]{4,8}:[\dA-Fa-f]{2}:[\dA-Fa-f]{2}(?:\.\d)?"
# JAX's and TensorFlow's name of a process.
TASK = r"/job:[\w-]{1,40}/(?:replica:\d+/)?task:(?P<rank>\d+)"

# Who is who.
MAPS: dict[str, re.Pattern[str]] = {
    "rank_host": re.compile(
        rf"\brank[ =:]+(?P<rank>\d+)\b(?: of (?P<world>\d+))?.{{0,40}}?"
        rf"\b(?:(?:host(?:name)?|node)[ =:]+(?P<node>{HOST})|on (?P<node2>{NAMED_HOST}))"
        r"(?:.{0,20}(?:cuda:|\bdevice )(?P<gpu>\d+))?(?:.{0,20}\b(?:process|pid)[ =:]+(?P<pid>\d+))?",
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
    "nccl_rank": re.compile(
        r"\brank (?P<rank>\d+) nranks (?P<world>\d+) cudaDev (?P<gpu>\d+)(?:.{0,20}? busId (?P<bus>[\da-f]{1,12})\b)?"
    ),
    # A row of nvidia-smi, in its table or as values.
    "gpu_bus": re.compile(
        rf"^\|? +(?P<gpu>\d{{1,3}})(?:,|  ?\S).{{0,60}}?[|,] *(?P<bus>{PCI})\b|^(?P<gpu2>\d{{1,3}}), (?P<bus2>{PCI})\b"
    ),
    "address": re.compile(r"(?:Bootstrap : Using|OOB) \S+?:(?P<ip>\d+(?:\.\d+){3})"),
    "node": re.compile(rf"\bnode (?P<node>{HOST}), local_world_size=(?P<local>\d+)"),
    "nodelist": re.compile(
        r"\b(?:SLURM_(?:JOB_)?NODELIST|nodelist|job \d+ on)[=: ]+(?P<list>[\w.,\[\]-]+)", re.IGNORECASE
    ),
    # A line of a machine's own log within another's.
    "kernel_host": re.compile(rf"\b[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (?P<node>{HOST}) kernel: "),
    # Kubernetes: where a pod runs; Ray: where a node of its own names is.
    "pod_node": re.compile(
        rf"\b[Ss]uccessfully assigned (?:[\w.-]+/)?(?P<alias>[\w.-]{{1,120}}) to (?P<node>{HOST})|"
        rf"^(?P<alias2>[\w.-]{{1,120}})\s+\d+/\d+\s+[A-Z]\w+\s+\d+.{{0,40}}?\s(?P<ip>{ADDRESS})\s+(?P<node2>{HOST})|"
        rf"\bpod/(?P<alias3>[\w.-]{{1,120}}) on node/(?P<node3>{HOST})"
    ),
    "described_node": re.compile(rf"^Node:\s+(?P<node>{HOST})/(?P<ip>{ADDRESS})\s*$|^NodeName=(?P<node2>{HOST})\s"),
    "ray_node": re.compile(
        rf"\bnode[_ ]id[=: ]+(?P<alias>[0-9a-f]{{16,56}})\b.{{0,40}}?\b(?:ip|address)[=: ]+(?P<node>{ADDRESS})"
    ),
    # A process whose prefix names its rank tells its host or number.
    "own_host": re.compile(rf"(?:^|[,;(|] ?)(?:host(?:name)?|node)[=:] ?(?P<node>{NAMED_HOST})(?:[\s,;)|]|$)"),
    "own_pid": re.compile(r"^process[ =:]+(?P<pid>\d+)\b|(?:^|[,;] ?)(?:pid|PID)[ =:]+(?P<pid2>\d+)\b"),
    "rank_pid": re.compile(
        r"(?:^|[\[(,;] ?|\bglobal[_ ])rank[ =:]+(?P<rank>\d+)\b.{0,60}?\b(?:pid|PID)[ =:]+(?P<pid>\d+)|"
        r"\b(?:pid|PID)[ =:]+(?P<pid2>\d+)\b.{0,40}?(?:[\[(,;] ?|\bglobal[_ ])rank[ =:]+(?P<rank2>\d+)"
    ),
    "world": re.compile(r"\bworld(?:[_ ]size)?[=: ]+(?P<world>\d+)\b", re.IGNORECASE),
    # How long the run is to be.
    "planned": re.compile(
        r"\b(?:total optimization steps|total[_ ](?:train(?:ing)?[_ ])?(?:steps|iters)|(?:train|max)[_-]iters|"
        r"max[_-]steps|num[_-]train(?:ing)?[_-]steps|config param steps)\b"
        r"['\"]?[:=.\s]{1,80}(?P<steps>\d[\d,]{0,14})\b|"
        r"\b(?:num[_ ](?:train[_ ])?epochs|max[_-]epochs|total[_ ]epochs)\b['\"]?[:=.\s]{1,80}(?P<epochs>\d{1,6})\b",
        re.IGNORECASE,
    ),
    # How much a server does, as it tells now and then.
    "throughput": re.compile(
        r"prompt throughput: (?P<prompt>\d+\.\d+) tokens/s, "
        r"Avg generation throughput: (?P<generation>\d+\.\d+) tokens/s,.{0,80}?\bRunning: (?P<running>\d+) reqs"
    ),
    "master": re.compile(rf"\bMASTER_ADDR[=: ]+(?P<node>{HOST})"),
}

RAY_NODE = re.compile(r"[0-9a-f]{16,56}")
CULPRIT = re.compile(rf"[\w-]{{1,40}}/(?P<rank>\d{{1,7}})(?::(?P<node>{HOST}))?")

# Who failed, is gone or is waited for.
CLAIMS: dict[str, re.Pattern[str]] = {
    # Kubernetes: whatever kept the pod from starting is over.
    "pod_moved_on": re.compile(r"\b[Ss]uccessfully assigned \S+ to |\b[Ss]tarted container\b"),
    "exited": re.compile(
        r"\bfailed \(exitcode: (?P<code>-?\d+)\) local_rank: (?P<local>\d+)|"
        r"--local[_-]rank=(?P<local2>\d+)\b.*exits with return code = (?P<code2>-?\d+)"
    ),
    "mpi_exited": re.compile(
        rf"process rank (?P<rank>\d+) with PID \d+ on node (?P<node>{HOST}) exited on signal (?P<code>\d+)|"
        r"(?:Process name: |non-zero status: ?)\[\[\d+,\d+\],(?P<rank2>\d+)\]"
    ),
    "report_host": re.compile(rf"^\s+host\s+: (?P<node>{HOST})"),
    # Torchrun's summary names the rank that failed first last, whatever stands above.
    "report_first": re.compile(r"^Root Cause \(first observed failure\)"),
    "report_code": re.compile(r"^\s+exitcode\s+: (?P<code>-?\d+) \(pid: (?P<pid>\d+)\)"),
    "report_rank": re.compile(r"^\s+rank\s+: (?P<rank>\d+) \(local_rank: (?P<local>\d+)\)"),
    "task": re.compile(
        rf"\bsrun: error: (?P<node>{HOST}): tasks? (?P<task>[\d,-]+): (?P<code>.+)|"
        rf"\bsacct: \S{{1,40}} State=(?P<code2>FAILED|OUT_OF_MEMORY) on (?P<node2>{HOST}) with "
    ),
    "node_failed": re.compile(
        rf"\b(?:node failure on|Task launch for \S{{1,40}} failed on node|sacct: \S{{1,40}} State=NODE_FAIL on) "
        rf"(?P<node>{HOSTS})|"
        rf"\bnodes? (?P<node2>{HOSTS}) (?:became unreachable|is not ready|was lost|has been lost|are still not ready|"
        r"not responding, setting DOWN|is down|is not responding|went down|status is now: NodeNotReady)|"
        rf"\bnode/(?P<node3>{HOST})\s+(?:\S+\s+)?(?:NodeNotReady|Node \S+ status is now: NodeNotReady)|"
        rf"\bNodeNotReady\s+node/(?P<node4>{HOST})|"
        rf"\bip: (?P<node5>{ADDRESS}) has been marked dead|"
        rf"\bnode with node id: (?P<node6>[0-9a-f]{{16,56}}) has been marked dead|"
        rf"\baddress: (?P<node7>{ADDRESS}) and node name: \S+ has been marked dead|"
        r"\bits node has died\. Node Id: (?P<node8>[0-9a-f]{16,56})|"
        rf"^[A-Za-z][^:=]{{2,60}}? +\w+ +\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d +(?P<node9>{HOSTS})\s*$|"
        r"^\s+State=(?:DOWN|FAIL|ERROR)",
        re.IGNORECASE,
    ),
    "node_down": re.compile(
        rf"\b(?P<node>{HOST})[:,]? (?:node )?"
        r"(?:is down|is not responding|went down|node_fail|NODE_FAIL)"
    ),
    "node_failed_near": re.compile(rf"\bON (?P<node>{HOST}) CANCELLED AT .{{0,40}}DUE TO NODE FAILURE"),
    "ssh_exited": re.compile(rf"(?:^|: )(?P<node>{HOST}): ssh exited with exit code (?P<code>\d+)"),
    "worker_died": re.compile(
        rf"\bWorker IP address: (?P<node3>{ADDRESS}) .{{0,40}}?\bWorker PID: (?P<pid3>\d+)|"
        r"\bWorker PID: (?P<pid>\d+)\b.{0,40}?Node IP: (?P<node>[\da-fA-F.:]+)|"
        r"\bray::.{0,120}\(pid=(?P<pid2>\d+), ip=(?P<node2>[\da-fA-F.:]+)"
    ),
    "worker_proc": re.compile(r"\bWorker proc(?:ess)? \w*?(?:Worker)?[-_](?P<rank>\d+) died"),
    "closed_by": re.compile(
        r"(?:closed by remote peer|[Cc]onnection (?:closed|reset) by peer|remote peer|completion from peer) \[?"
        rf"(?P<node>{ADDRESS}|{HOST})"
    ),
    "unreached": re.compile(
        rf"\bconnect(?:ing)? to (?:any network address of )?[(\[](?P<node>{ADDRESS}|{HOST})(?:, \d|\]:\d)|"
        rf"\bConnect to (?P<node2>{ADDRESS})<\d+> failed|\bConnect timeout \[(?P<node3>{ADDRESS})\]"
    ),
    # Kubernetes: what happened to a pod, by its name, where it ran, or in a description of it.
    "evicted": re.compile(
        r"\b(?:Evicted|TaintManagerEviction|OOMKill(?:ing|ed)|Preempted)\s+pod/(?P<node>[\w.-]{1,120})|"
        r"^(?P<node2>[\w.-]{1,120})\s+\d+/\d+\s+(?:OOMKilled|Evicted|Error|Unknown|ContainerStatusUnknown)\s+\d+|"
        r"\bPreempted by \S+(?: \S+)? on node (?P<node3>[\w.-]{1,120})|"
        r'\bpod is evicted successfully" pod=|'
        r"^\s*(?:Reason:\s+(?:Evicted|OOMKilled)\s*$|Warning\s+(?:Evicted|OOMKilling|NodeNotReady)\s)"
    ),
    # An actor of Ray or a daemon of Open MPI is lost, and below it stands where it ran.
    "lost": re.compile(
        r"\bORTE has lost communication with its daemon|\bThe actor (?:is dead|died)\b|"
        r"\b(?:Actor(?:Died|Unavailable)|RayActor)Error\b"
    ),
    "lost_host": re.compile(rf"^\s+(?:(?:node_)?ip: (?P<node>{ADDRESS})|hostname: +(?P<node2>{HOST}))\s*$"),
    "lost_daemon": re.compile(rf"\bRemote daemon *: \[\[\d+,\d+\],\d+\] on node (?P<node>{HOST})"),
    # UCX and Open MPI tell of a signal on whose host it came.
    "crashed": re.compile(
        rf"^\[(?P<node>{HOST}):(?P<pid>\d+)(?: ?:\d+:\d+\] Caught signal \d|\] \*\*\* Process received signal)"
    ),
    "aborted": re.compile(r"\bMPI_ABORT was invoked on rank (?P<rank>\d+)"),
    # torch_xla's processes call themselves by their device.
    "device_failed": re.compile(r"\bException in device=[A-Z]{2,6}:(?P<rank>\d+): "),
    # Of a rank or a task that others wait for.
    "awaited": re.compile(
        r"\b[Rr]emote rank:? ?\[(?P<rank>\d+)\]|\bdst_rank\[(?P<rank2>\d+)\]|ncclUniqueId from \[(?P<rank3>\d+)\]"
    ),
    "lost_task": re.compile(rf"{TASK}[ .'\"]{{1,3}}(?:heartbeat timeout|has been set to ERROR|.{{0,40}}\bunhealthy)"),
    "absent_task": re.compile(rf"^\s*{TASK}\s*$"),
    "desynced": re.compile(
        r"\[(?P<ranks>\d+(?:, ?\d+){0,99})\] (?:joined but didn't finish collective|"
        r"finished collective #\d+, but didn't)|"
        r"\branks \[(?P<ranks2>\d+(?:, ?\d+){0,99})\] are the lagging ranks"
    ),
    "barrier": re.compile(
        r"\b[Rr]anks? (?P<ranks>\d+(?:, ?\d+){0,99}) failed to pass monitoredBarrier|"
        r"\bmonitoredBarrier, but received errors while waiting for send/recv from rank (?P<rank>\d+)"
    ),
    # NCCL's own status (RAS): processes it cannot reach, ranks it has nothing of, and how far each rank is.
    "ras_process": re.compile(rf"^\s*Process (?P<pid>\d+) on node (?P<node>{HOST}) managing GPUs? (?P<local>\d+)"),
    "ras_missing": re.compile(r"\bThe missing ranks?: (?P<ranks>\d+(?:, ?\d+){0,99})"),
    "ras_count": re.compile(r"\branks? (?:has|have) launched up to operation (?P<code>\d+)"),
    "ras_rank": re.compile(
        rf"^\s*Rank (?P<rank>\d+) -- GPU (?P<local>\d+) managed by process (?P<pid>\d+) on node (?P<node>{HOST})"
    ),
    # A stack of py-spy: the process, its threads, and their frames, the innermost first.
    "stack_process": re.compile(r"^Process (?P<pid>\d+): \S"),
    "stack_thread": re.compile(r"^Thread (?:0x)?[\da-fA-F]+ \([^)]{0,40}\)(?:: \"(?P<thread>[^\"]{1,80})\")?"),
    "stack_frame": re.compile(r"^ {4}(?P<frame>[\w.<>]{1,120} \([^():]{1,120}):\d+\)$"),
    # Megascale's digest of a hang between slices of TPUs.
    "bad_hosts": re.compile(r"\bhosts? that (?:has|have) bad TPUs (?:is|are): (?P<list>[A-Za-z0-9][\w., -]{0,400})"),
    "culprit": re.compile(r"\b[Cc]ulprit workers?: (?P<list>\S.{0,300})"),
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
        rf"\b(?:ip|node_ip|(?:worker ip )?address)[=: ]+(?P<node>{ADDRESS}).{{0,120}}\b(?:died|dead|failed|unexpected)|"
        rf"\bMemory on the node \(IP: (?P<node2>{ADDRESS})",
        re.IGNORECASE,
    ),
}
