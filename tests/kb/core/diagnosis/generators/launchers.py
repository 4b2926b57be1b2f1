"""What launchers say when a process of theirs ends: each in its own form."""

from collections.abc import Callable

from tests.kb.core.diagnosis.generators import clocks
from tests.kb.core.diagnosis.generators.entries import Part, Voice
from tests.kb.core.diagnosis.generators.script import Script

SIGNALS = {-6: "SIGABRT", -7: "SIGBUS", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM"}
WORDS = {-6: "Aborted", -7: "Bus error", -9: "Killed", -11: "Segmentation fault", -15: "Terminated"}


def died(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    """This rank's process ended so. `part` of the line that says it, `around` of what frames it."""
    DIED[s.style.launcher](s, rank, code, part, around)


def _elastic(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    node, local, pid = s.cluster.node_of(rank), s.cluster.local(rank), s.cluster.pid(rank)
    for other in s.cluster.ranks_on(node.index):
        if other != rank and s.rng.random() < 0.7:
            s.agent(node.index, f"Sending process {s.cluster.pid(other)} closing signal SIGTERM", part=Part.CASCADE)
    text = f"failed (exitcode: {code}) local_rank: {local} (pid: {pid}) of binary: /opt/conda/bin/python3.11"
    s.agent(node.index, text, "E", "api.py:874", part)
    when = f"{s.cluster.clock(node.index, s.now):%Y-%m-%d_%H:%M:%S}"
    told = f"Signal {-code} ({SIGNALS[code]}) received by PID {pid}" if code in SIGNALS else "To enable traceback see: "
    told += "" if code in SIGNALS else "https://pytorch.org/docs/stable/elastic/errors.html"
    s.raw(
        Voice("agent", node.index),
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "train.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {when}",
        f"  host      : {node.host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : {code} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : {told}",
        "=" * 60,
        part=around,
    )


def _slurm(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    host = s.cluster.node_of(rank).short
    text = WORDS.get(code, f"Exited with exit code {code}")
    s.boss(f"srun: error: {host}: task {rank}: {text}", part=part)


def _mpi(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    node, pid = s.cluster.node_of(rank), s.cluster.pid(rank)
    if code >= 0:
        s.boss("-" * 74)
        s.boss("Primary job  terminated normally, but 1 process returned", "a non-zero exit code.", part=Part.CASCADE)
        s.boss(
            f"mpirun detected that one or more processes exited with non-zero status: [[{pid % 60000},1],{rank}]",
            part=part,
        )
        s.boss(f"  Exit code:    {code}", part=around)
        return
    text = f"mpirun noticed that process rank {rank} with PID {pid} on node {node.short} exited on signal {-code} "
    s.boss("-" * 74)
    s.boss(text + f"({WORDS[code]}).", part=part)
    s.boss("-" * 74)


def _deepspeed(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    node = s.cluster.node_of(rank)
    voice = Voice("agent", node.index)
    for other in s.cluster.ranks_on(node.index):
        text = f"Killing subprocess {s.cluster.pid(other)}"
        s.log(voice, text, "INFO", "launch.py:319:sigkill_handler", Part.CASCADE)
    command = f"['/usr/bin/python3', '-u', 'train.py', '--local_rank={s.cluster.local(rank)}']"
    s.log(voice, f"{command} exits with return code = {code}", "ERROR", "launch.py:325:sigkill_handler", part)
    s.boss(f"pdsh@login-2: {node.host}: ssh exited with exit code {abs(code)}", part=Part.CASCADE)


def _ray(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    node, pid = s.cluster.node_of(rank), s.cluster.pid(rank)
    if code < 0:
        text = "A worker died or was killed while executing a task by an unexpected system error. "
        text += f"RayTask ID: {s.rng.randrange(16**12):012x} Worker PID: {pid} Node IP: {node.address} "
        s.boss(text + f"Worker exit type: SYSTEM_ERROR, unexpected: connection closed, signal {-code}.", part=part)
    else:
        head = f"ray::_RayTrainWorker__execute.get_next() (pid={pid}, ip={node.address})"
        s.boss(f"ray.exceptions.RayTaskError(TrainError): {head}", part=part)
    s.boss("Trial TorchTrainer_00000 errored after 1 attempts.", part=Part.CASCADE)


def _vllm(s: Script, rank: int, code: int, part: Part, around: Part) -> None:
    engine, api = Voice("engine", 0), Voice("api", 0)
    place = "core.py:700:run_engine_core"
    if code < 0:
        s.log(
            engine,
            f"Worker proc VllmWorker-{rank} died unexpectedly, shutting down executor.",
            "ERROR",
            "multiproc_executor.py:146:monitor",
            part,
        )
    for text in (
        "EngineCore encountered a fatal error.",
        "Traceback (most recent call last):",
        "RuntimeError: Worker failed, please check the stack trace above for the root cause",
    ):
        s.log(engine, text, "ERROR", place, Part.CASCADE)
    s.log(api, "AsyncLLM output_handler failed.", "ERROR", "async_llm.py:480:output_handler", Part.CASCADE)
    dead = "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above)."
    s.log(api, dead, "ERROR", "async_llm.py:480:output_handler", Part.CASCADE)
    for port in range(41_000, 41_003):
        text = f'INFO:     10.40.2.7:{port} - "POST /v1/completions HTTP/1.1" 500 Internal Server Error'
        s.raw(api, text, part=Part.CASCADE, level="INFO")


DIED: dict[str, Callable[[Script, int, int, Part, Part], None]] = {
    "elastic": _elastic,
    "slurm": _slurm,
    "mpi": _mpi,
    "deepspeed": _deepspeed,
    "ray": _ray,
    "vllm": _vllm,
}


def terminated(s: Script, node: int) -> None:
    """The other agents are told to stop."""
    if s.style.launcher != "elastic":
        return
    text = f"Received Signals.SIGTERM death signal, shutting down workers on {s.cluster.nodes[node].host}"
    s.agent(node, text, "W", "agent/server/api.py:704", Part.CASCADE)


def step_cancelled(s: Script) -> None:
    """Slurm takes the rest down."""
    if s.style.scheduler != "slurm" or s.style.launcher not in ("slurm", "elastic"):
        return
    if s.style.launcher == "elastic" and s.rng.random() < 0.5:
        return
    when = f"{s.cluster.clock(-1, s.now):%Y-%m-%dT%H:%M:%S}"
    step = f"{s.cluster.job}.0"
    s.boss(
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP {step} ON {s.cluster.nodes[0].short} CANCELLED AT {when} ***",
        part=Part.CASCADE,
    )


def stamp(s: Script) -> str:
    """The launching machine's clock as Slurm writes it."""
    return clocks.seconds(s.cluster.clock(-1, s.now)).replace(" ", "T")
