"""The acts of a run that goes well: starting, loading, iterating or serving, ending."""

import math

from tests.kb.core.diagnosis.generators import clocks, noise
from tests.kb.core.diagnosis.generators.entries import Voice
from tests.kb.core.diagnosis.generators.script import BOSS, Script
from tests.kb.core.diagnosis.generators.styles.transports import pod_name

# Names of settings that sound like trouble.
SETTINGS = (
    "micro_batch = 2",
    "global_batch = 512",
    "lr = 0.0003",
    "abort_on_nan = True",
    "max_restarts = 0",
    "ignore_load_errors = False",
    "timeout_s = 600",
    "oom_retry = never",
    "crash_report_dir = None",
)


def opening(s: Script, until: str = "train") -> None:
    """Everything up to the first iteration; `until` import, init or load: only so far."""
    if s.resumed:
        s.ready = True
        return
    _launch(s)
    noise.at_start(s)
    if until == "import":
        return
    if s.spec.serving:
        _server_start(s, until)
        return
    for setting in SETTINGS:
        s.log(s.rank(0), setting, where="settings.py:30:show")
    if until == "init":
        return
    joined(s)
    if until == "load":
        return
    _loaded(s)


def joined(s: Script) -> None:
    """Every rank joins the process group."""
    for voice in noise.voices(s):
        node = s.cluster.nodes[voice.node]
        local = s.cluster.local(voice.rank)
        text = f"rank {voice.rank} of {s.cluster.world} up on {node.host}, device cuda:{local}, process "
        s.log(voice, text + str(s.cluster.pid(voice.rank)), where="boot.py:57:join")
        s.wait(0.05)
    if s.style.nccl:
        _nccl(s)
    s.ready = True
    s.wait(4)


def _nccl(s: Script) -> None:
    for voice in noise.voices(s):
        s.nccl(voice.rank, f"Bootstrap: Using ib0:{s.cluster.nodes[voice.node].address}<0>")
    for voice in noise.voices(s):
        s.nccl(voice.rank, "NET/IB : Using [0]mlx5_2:1/IB [1]mlx5_3:1/IB [RO]; OOB ib0")
        comm = f"0x55{s.rng.randrange(16**8):08x}"
        place = f"rank {voice.rank} nRanks {s.cluster.world} nNodes {len(s.cluster.nodes)}"
        s.nccl(voice.rank, f"ncclCommInitRankConfig comm {comm} {place} - Init COMPLETE")


def _launch(s: Script) -> None:
    """What the launcher says before any worker does."""
    first = s.cluster.nodes[0]
    hosts = ",".join(node.host for node in s.cluster.nodes)
    if s.style.launcher in ("slurm", "mpi", "deepspeed") or s.spec.style in ("megatron", "glog"):
        s.boss(f"job {s.cluster.job} on {hosts}", f"master {first.host} port {s.cluster.port} world {s.cluster.world}")
    if s.style.launcher == "ray":
        address = first.address
        s.boss(
            f"{s.style.log(s.at(BOSS, where='worker.py:1888:connect'), f'Connecting to Ray cluster at {address}:6379')}"
        )
        ranks = range(s.cluster.world)
        places = [f"- (node_ip={s.cluster.node_of(r).address}, pid={s.cluster.pid(r)}) world_rank={r}" for r in ranks]
        s.boss("Started distributed worker processes:", *places)
    if s.style.launcher == "deepspeed":
        for node in s.cluster.nodes:
            at = s.at(Voice("agent", node.index), where="launch.py:164:main")
            s.raw(
                at.voice,
                s.style.log(at, f"nnodes={len(s.cluster.nodes)}, num_local_procs={s.cluster.gpus}"),
                level="INFO",
            )
    if s.style.launcher == "elastic" and s.rng.random() < 0.5:
        for node in s.cluster.nodes:
            s.agent(node.index, "OMP_NUM_THREADS was not set, each process gets 1 thread", where="run.py:792")
    s.wait(3)


def _loaded(s: Script) -> None:
    s.log(s.rank(0), "model has 6,738,415,616 parameters, 6,738,415,616 of them trainable", where="build.py:88:build")
    s.log(s.rank(0), "resuming: no earlier checkpoint found, starting at iteration 0", where="restore.py:70:restore")
    for voice in noise.voices(s)[:4]:
        s.log(voice, f"reader ready: {s.rng.randint(100, 900)} shards, 0 errors", where="reader.py:64:fetch")
        s.wait(0.3)
    if s.spec.style == "megatron":
        s.raw(
            s.rank(0),
            f"[before the start of training step] datetime: {s.cluster.clock(0, s.now):%Y-%m-%d %H:%M:%S}",
            level="INFO",
        )
    s.wait(6)


def loss_at(s: Script, step: int) -> float:
    """A curve that falls and trembles."""
    return 1.9 + 8.4 * math.exp(-step / (s.spec.iterations / 2.5)) + s.rng.uniform(-0.08, 0.08)


def iterate(s: Script, until: int, slow: float = 1.0) -> None:
    """Iterations up to this one, with warnings and checkpoints between them."""
    while s.step < until:
        step_begins(s, s.cluster.world)
        s.step += 1
        s.wait(s.pace * slow)
        if s.spec.serving:
            _requests(s)
        noise.during(s)
        skipped = s.style.name in ("megatron", "deepspeed") and s.rng.random() < 0.06
        s.report(loss_at(s, s.step), s.rng.uniform(0.4, 1.8), seconds=s.pace * slow, skipped=skipped)
        if s.step % s.save_every == 0 and s.step < until and not s.spec.serving:
            saved(s)


def step_begins(s: Script, ranks: int, but: int = -1) -> None:
    """Where every rank reports, each also says when it begins a step."""
    if s.style.reporters != "all":
        return
    for rank in range(ranks):
        if rank != but:
            s.log(s.rank(rank), f"starting step {s.step + 1}")


def saved(s: Script) -> None:
    """A checkpoint that succeeds."""
    s.log(s.rank(0), f"writing checkpoint of iteration {s.step}", where="checkpointer.py:60:write")
    s.wait(5)
    s.log(s.rank(0), f"checkpoint of iteration {s.step} is complete (41.2 GB)", where="checkpointer.py:95:write")


def ending(s: Script) -> None:
    """A run that ends as planned."""
    s.log(s.rank(0), f"done after {s.step} iterations, 0 failed", where="loop.py:301:fit")
    for voice in noise.voices(s)[:3]:
        s.log(voice, "destroying the process group", where="boot.py:90:leave")
    if s.style.scheduler == "kubernetes":
        event(s, 0, "Normal", "Completed", "all replicas of the job succeeded")


def event(s: Script, node: int, kind: str, reason: str, text: str) -> None:
    """A line of kubectl get events."""
    s.boss(f"{event_text(s, node, kind, reason)}{text}")


def event_text(s: Script, node: int, kind: str, reason: str) -> str:
    when = clocks.rfc3339(s.cluster.clock(-1, s.now))
    return f"{when}  {kind:<8} {reason:<18} pod/{pod_name(s.at(Voice('agent', node)))}  "


def _server_start(s: Script, until: str) -> None:
    api, engine = Voice("api", 0), Voice("engine", 0)
    s.log(api, "vLLM API server version 0.10.1", where="api_server.py:1787:run")
    s.log(
        api,
        f"non-default args: {{'model': '{s.cluster.name}', 'tensor_parallel_size': {s.cluster.world}}}",
        where="utils.py:326:show",
    )
    s.log(
        engine, "Initializing a V1 LLM engine (v0.10.1) with config: ignore_eos=False, seed=0", where="core.py:74:init"
    )
    if until == "init":
        return
    for voice in noise.voices(s):
        text = f"rank {voice.rank} in world size {s.cluster.world} is assigned as DP rank 0, PP rank 0, "
        s.log(voice, f"{text}TP rank {voice.rank}", where="parallel_state.py:1134:init")
    s.ready = True
    s.wait(5)
    if until == "load":
        return
    for voice in noise.voices(s):
        s.log(voice, "Loading weights took 21.42 seconds", where="default_loader.py:262:load")
    s.log(engine, f"GPU KV cache size: {s.rng.randint(200, 900)},344 tokens", where="kv_cache_utils.py:849:size")
    s.log(engine, "init engine (profile, create kv cache, warmup model) took 38.20 seconds", where="core.py:214:init")
    s.log(api, "Starting vLLM API server 0 on http://0.0.0.0:8000", where="launcher.py:29:serve")
    s.raw(api, "INFO:     Application startup complete.", level="INFO")
    s.wait(5)


def _requests(s: Script) -> None:
    address = f"10.40.{s.rng.randrange(9)}.{s.rng.randrange(200)}:{s.rng.randint(30_000, 60_000)}"
    status = s.rng.choice(("200 OK", "200 OK", "200 OK", "200 OK", "400 Bad Request", "404 Not Found"))
    s.raw(Voice("api", 0), f'INFO:     {address} - "POST /v1/completions HTTP/1.1" {status}', level="INFO")
