"""Jobs that end from outside: nodes that die, preemption, cancelling, the time limit."""

from tests.kb.core.diagnosis.generators import acts, cascades, launchers
from tests.kb.core.diagnosis.generators.entries import Part
from tests.kb.core.diagnosis.generators.faults.networks import limit_reached
from tests.kb.core.diagnosis.generators.job import Symptom, Verdict
from tests.kb.core.diagnosis.generators.launchers import stamp
from tests.kb.core.diagnosis.generators.play import Play, begin
from tests.kb.core.diagnosis.generators.script import Script


def node_failure(slurm: str, kubernetes: str, ray: str, forewarning: str = "") -> Play:
    """A whole node goes; the scheduler tells. Its ranks say nothing more, the peers lose their connections."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.fails("train", "crash")
        node = s.victim // s.cluster.gpus
        s.blame(s.cluster.ranks_on(node), [node])
        words = {**s.words(s.victim), "stamp": stamp(s)}
        if forewarning:
            s.kernel(node, forewarning.format_map(words), Part.SUPPORT)
        s.wait(8)
        _told(s, node, {"kubernetes": kubernetes, "ray": ray, "slurm": slurm}, words)
        cascades.follow(s, s.victim, "reset")
        launchers.step_cancelled(s)

    return play


def _told(s: Script, node: int, texts: dict[str, str], words: dict[str, object], reason: str = "NodeNotReady") -> None:
    """The scheduler's own words, the root."""
    text = texts[s.style.scheduler].format_map(words)
    if s.style.scheduler == "kubernetes":
        text = acts.event_text(s, node, "Warning", reason) + text
    s.boss(text, part=Part.ROOT)


def ended(
    slurm: str, kubernetes: str, ray: str, verdict: Verdict = "cancelled", symptom: Symptom = "cancelled"
) -> Play:
    """Somebody or something ends a job that was well; every rank is told."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.fails("train", symptom, verdict)
        words = {**s.words(s.victim), "stamp": stamp(s)}
        texts = {"kubernetes": kubernetes, "ray": ray, "slurm": slurm}
        _told(s, s.victim // s.cluster.gpus, texts, words, "Stopping")
        told_to_stop(s)

    return play


def told_to_stop(s: Script) -> None:
    """SIGTERM arrives everywhere."""
    s.wait(0.5)
    for node in s.cluster.nodes:
        launchers.terminated(s, node.index)
    for rank in range(s.cluster.world):
        s.log(s.rank(rank), "caught signal 15, leaving after this step", "WARNING", "boot.py:80:stop", Part.CASCADE)
    launchers.step_cancelled(s)


def interrupted(s: Script) -> None:
    """Ctrl-C at the terminal."""
    begin(s, "train")
    s.fails("train", "cancelled", "cancelled")
    s.boss("^C", part=Part.SUPPORT)
    s.trace(0, "forward", ("KeyboardInterrupt",))
    for rank in range(1, s.cluster.world):
        s.trace(rank, "forward", ("KeyboardInterrupt",), Part.SUPPORT)


def out_of_time(grace: bool) -> Play:
    """A run that made progress until its time was over."""

    def play(s: Script) -> None:
        acts.opening(s)
        acts.iterate(s, s.stop_at)
        s.fails("train", "cancelled", "cancelled")
        if grace:
            s.log(
                s.rank(0), "signal 10: 120 s of the time limit left, saving", "WARNING", "boot.py:84:warn", Part.SUPPORT
            )
            acts.saved(s)
        limit_reached(s, Part.ROOT)
        told_to_stop(s)

    return play


NODE_FAILURE: tuple[Play, ...] = (
    node_failure(
        "slurmstepd: error: *** JOB {job} ON {short} CANCELLED AT {stamp} DUE TO NODE FAILURE, SEE SLURMCTLD "
        "LOG FOR DETAILS ***",
        "Node {host} is not ready: kubelet stopped posting node status",
        "The node with node id 7d1fa3 and ip: {ip} has been marked dead because the detector has missed too "
        "many heartbeats",
    ),
    node_failure(
        "srun: error: Node failure on {short}",
        "node {host} became unreachable, pod is being deleted",
        "raylet on {ip} has died: connection lost (node failure)",
        "mce: [Hardware Error]: Machine check events logged",
    ),
)
PREEMPTION: tuple[Play, ...] = (
    ended(
        "slurmstepd: error: *** JOB {job} ON {short} CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        "Preempted by a pod with higher priority on node {host}",
        "job {job}: workers preempted, the node {ip} is drained for spot reclaim",
    ),
    ended(
        "srun: Job {job} is being requeued: preempted by a job of a higher priority",
        "TaintManager: node {host} gets a spot interruption, evicting",
        "autoscaler: node {ip} will be terminated, preemption notice of the provider",
    ),
)
USER_CANCEL: tuple[Play, ...] = (
    ended(
        "slurmstepd: error: *** JOB {job} ON {short} CANCELLED AT {stamp} by uid 31007 ***",
        "job deleted by user request",
        "job {job} was stopped by the user (ray job stop)",
    ),
    interrupted,
)
TIME_LIMIT: tuple[Play, ...] = (out_of_time(False), out_of_time(True))
