"""What carries the lines: the prefix of each line and the file that it is written to."""

from collections.abc import Callable

from tests.kb.core.diagnosis.generators import clocks
from tests.kb.core.diagnosis.generators.entries import At
from tests.kb.core.diagnosis.generators.styles import loggers

CYAN, RESET = "\x1b[36m", "\x1b[0m"
Wrap = Callable[[At, str], str]


def bare(at: At, text: str) -> str:
    return text


def global_rank(at: At, text: str) -> str:
    return f"[rank{at.voice.rank}]:{text}" if at.voice.who == "rank" else text


def local_rank(at: At, text: str) -> str:
    return f"[default{at.cluster.local(at.voice.rank)}]:{text}" if at.voice.who == "rank" else text


def host_colon(at: At, text: str) -> str:
    return f"{at.host}: {text}" if at.voice.node >= 0 else text


def task(at: At, text: str) -> str:
    """srun --label: the task's number, right-aligned."""
    width = len(str(at.cluster.world - 1))
    return f"{at.voice.rank:>{width}}: {text}" if at.voice.who == "rank" else text


def mpi(at: At, text: str) -> str:
    """mpirun --tag-output: job, rank and channel."""
    if at.voice.who != "rank":
        return text
    channel = "stdout" if at.level == "INFO" else "stderr"
    return f"[1,{at.voice.rank}]<{channel}>:{text}"


def ray(at: At, text: str) -> str:
    """Workers by process and address; those of the head node without the address."""
    address = f", ip={at.cluster.nodes[at.voice.node].address}" if at.voice.node > 0 else ""
    if at.voice.who == "rank":
        return f"{CYAN}(RayTrainWorker pid={at.cluster.pid(at.voice.rank)}{address}){RESET} {text}"
    if at.voice.who in ("agent", "kernel"):
        return f"{CYAN}(raylet{address}){RESET} {text}"
    return text


def ray_server(at: At, text: str) -> str:
    """vLLM's own workers under Ray."""
    return ray(at, text).replace("RayTrainWorker", "RayWorkerWrapper", 1)


def pod(at: At, text: str) -> str:
    """kubectl logs --prefix --timestamps."""
    if at.voice.node < 0:
        return text
    when = clocks.rfc3339(at.cluster.clock(at.voice.node, at.time))
    return f"[pod/{pod_name(at)}/pytorch] {when} {text}"


def pod_name(at: At) -> str:
    return f"{at.cluster.name}-{'master' if at.voice.node == 0 else 'worker'}-{max(at.voice.node - 1, 0)}"


def jsonl(at: At, text: str) -> str:
    return loggers.jsonl(at, text)


def one_file(name: str) -> Callable[[At], str]:
    """Everything in one file."""
    return lambda _: name


def by_rank(at: At) -> str:
    return f"rank_{at.voice.rank:04d}.log" if at.voice.who == "rank" else "launcher.log"


def by_node(suffix: str) -> Callable[[At], str]:
    """A file for each node, and one for what the scheduler says."""
    return lambda at: f"{at.cluster.nodes[at.voice.node].short}{suffix}" if at.voice.node >= 0 else f"batch{suffix}"


def pods_and_events(at: At) -> str:
    return "pods.log" if at.voice.node >= 0 else "events.txt"
