"""The script of a run: everything that is said in it, in true time, and who is to blame."""

from collections.abc import Iterable
from random import Random

from tests.kb.core.diagnosis.generators import clocks
from tests.kb.core.diagnosis.generators.cluster import Cluster
from tests.kb.core.diagnosis.generators.entries import At, Entry, Lines, Metrics, Part, Voice
from tests.kb.core.diagnosis.generators.frames import frames
from tests.kb.core.diagnosis.generators.job import Symptom, Verdict
from tests.kb.core.diagnosis.generators.spec import Spec
from tests.kb.core.diagnosis.generators.styles import Style
from tests.kb.core.diagnosis.generators.styles.reports import bar

BOSS = Voice("boss", -1)
RAISED = "multiproc_executor.py:596:worker_busy_loop"


class Script:
    """A run that is being written. Time only moves forward; what is shown late says so."""

    def __init__(self, spec: Spec, cluster: Cluster, style: Style, rng: Random) -> None:
        self.spec, self.cluster, self.style, self.rng = spec, cluster, style, rng
        self.now = 0.0
        self.entries: list[Entry] = []
        self.step = 0
        self.pace = round(rng.uniform(1.2, 9.0), 3)
        self.victim = rng.randrange(cluster.world)
        self.stop_at = max(3, int(spec.iterations * rng.uniform(0.4, 0.85)))
        self.save_every = max(4, spec.iterations // 4)
        self.ready = False
        # Going on from an earlier part of the log: nothing starts anew.
        self.resumed = False
        self.verdict: Verdict = "healthy"
        self.symptom: Symptom = "none"
        self.stage = ""
        self.iteration: int | None = None
        self.blamed_nodes: tuple[int, ...] = ()
        self.blamed_ranks: tuple[int, ...] = ()

    def fails(self, stage: str, symptom: Symptom, verdict: Verdict = "failure") -> None:
        """It goes wrong now, in this stage."""
        self.verdict, self.symptom = verdict, symptom
        self.stage = "" if self.spec.serving and stage == "train" else stage
        self.iteration = self.step or None

    def blame(self, ranks: Iterable[int] = (), nodes: Iterable[int] = ()) -> None:
        self.blamed_ranks, self.blamed_nodes = tuple(ranks), tuple(nodes)

    def wait(self, seconds: float) -> None:
        self.now += seconds * self.rng.uniform(0.85, 1.15)

    def rank(self, rank: int) -> Voice:
        return Voice("rank", rank // self.cluster.gpus, rank)

    def at(self, voice: Voice, level: str = "INFO", where: str = "loop.py:188:step") -> At:
        return At(self.cluster, voice, self.now, level, where)

    def put(self, at: At, lines: Lines, late: float = 0.0) -> None:
        """These lines, now; in the file `late` seconds after."""
        self.entries.append(Entry(at, at.time + late, lines))
        self.now += 0.0004 * len(lines)

    def log(
        self,
        voice: Voice,
        text: str,
        level: str = "INFO",
        where: str = "loop.py:188:step",
        part: Part = Part.PLAIN,
        late: float = 0.0,
    ) -> None:
        at = self.at(voice, level, where)
        self.put(at, ((self.style.log(at, text), part),), late)

    def raw(self, voice: Voice, *texts: str, part: Part = Part.PLAIN, level: str = "ERROR", late: float = 0.0) -> None:
        """Bare output, line by line."""
        self.put(self.at(voice, level, "stderr.py:1:write"), tuple((text, part) for text in texts), late)

    def trace(self, rank: int, place: str, error: Iterable[str], part: Part = Part.ROOT, late: float = 0.0) -> None:
        """An uncaught exception: the first line of the error plays the part, the rest of it supports."""
        around = Part.SUPPORT if part == Part.ROOT else part
        lines: list[tuple[str, Part]] = [("Traceback (most recent call last):", around)]
        for file, line, function, code in frames(place, self.spec.serving):
            lines += [(f'  File "{file}", line {line}, in {function}', around), (f"    {code}", around)]
        lines += [(text, part if place == 0 else around) for place, text in enumerate(error)]
        at = self.at(self.rank(rank), "ERROR", RAISED if self.spec.serving else "boot.py:99:excepthook")
        tagged = self.ready or self.spec.serving or self.spec.style == "jsonl"
        self.put(at, self.style.trace(at, tuple(lines)) if tagged else tuple(lines), late)

    def native(self, rank: int, text: str, where: str, level: str = "E", part: Part = Part.CASCADE) -> None:
        """torch's own C++ logging, the same in every style."""
        when = clocks.glog(self.cluster.clock(rank // self.cluster.gpus, self.now))
        nanos = f"{when}{self.rng.randrange(1000):03d}"
        self.raw(self.rank(rank), f"[rank{rank}]:[{level}{nanos} {where}] {text}", part=part)

    def nccl(self, rank: int, text: str, level: str = "INFO", part: Part = Part.PLAIN) -> None:
        """NCCL's debug output: host, process, thread and device."""
        cluster = self.cluster
        head = f"{cluster.node_of(rank).short}:{cluster.pid(rank)}:{cluster.pid(rank) + 417} [{cluster.local(rank)}]"
        self.raw(self.rank(rank), f"{head} NCCL {level} {text}", part=part, level="INFO")

    def kernel(self, node: int, text: str, part: Part = Part.PLAIN) -> None:
        """The node's kernel ring buffer, which the job's epilogue or monitor copies into the log."""
        when = self.cluster.clock(node, self.now)
        head = (
            f"[{clocks.kernel(when)}]" if self.spec.seed % 2 else f"{clocks.syslog(when)} {self._short(node)} kernel:"
        )
        self.raw(Voice("kernel", node), f"{head} {text}", part=part)

    def agent(self, node: int, text: str, level: str = "W", where: str = "api.py:900", part: Part = Part.PLAIN) -> None:
        """torchelastic's agent."""
        when = clocks.glog(self.cluster.clock(node, self.now))[:-3] + "000"
        path = "torch/distributed/elastic/multiprocessing"
        head = f"{level}{when} {self.cluster.nodes[node].agent} {path}/{where}]"
        self.raw(Voice("agent", node), f"{head} {text}", part=part)

    def boss(self, *texts: str, part: Part = Part.PLAIN) -> None:
        """The launcher or the scheduler."""
        self.raw(BOSS, *texts, part=part)

    def report(
        self, loss: float, norm: float, part: Part = Part.PLAIN, seconds: float = 0.0, skipped: bool = False
    ) -> None:
        """The numbers of the iteration that has just ended, by those who report."""
        took = round((seconds or self.pace) * self.rng.uniform(0.97, 1.04), 3)
        world, rate = self.cluster.world, 3e-4 * (1 - self.step / self.spec.iterations / 2)
        who = {"first": range(1), "last": range(world - 1, world), "all": range(world)}[self.style.reporters]
        for rank in who:
            m = Metrics(self.step, self.spec.iterations, loss, norm, took, rate, skipped)
            at = self.at(self.rank(rank))
            texts = self.style.report(at, m)
            lines = tuple((text, part if "loss" in text or len(texts) == 1 else Part.PLAIN) for text in texts)
            if self.style.bar:
                lines = ((bar(m) + "\r" + lines[0][0], lines[0][1]), *lines[1:])
            self.put(at, lines)
            self.now += self.rng.uniform(0.0, 0.002)

    def _short(self, node: int) -> str:
        return self.cluster.nodes[node].short

    def words(self, rank: int) -> dict[str, object]:
        """What texts may name."""
        cluster = self.cluster
        node, peer = cluster.node_of(rank), cluster.node_of((rank + cluster.gpus) % cluster.world)
        base = {"rank": rank, "gpu": cluster.local(rank), "pid": cluster.pid(rank), "agent": node.agent}
        names = {"host": node.host, "short": node.short, "ip": node.address, "peer": peer.host, "peer_ip": peer.address}
        first = cluster.nodes[0]
        job = {"job": cluster.job, "port": cluster.port, "world": cluster.world, "name": cluster.name}
        master = {"master": first.host, "master_ip": first.address}
        bus = f"0000:{0x1B + 0x11 * cluster.local(rank):02x}:00"
        step = {"step": self.step, "next": self.step + 1, "bus": bus, "near": rank + (1 if rank % 2 == 0 else -1)}
        return {**base, **names, **job, **master, **step, "child": cluster.pid(rank) + 911, "gpus": cluster.gpus}
