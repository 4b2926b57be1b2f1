"""The building blocks of faults: a thing said, and a crash made of things said."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.kb.core.diagnosis.generators import acts
from tests.kb.core.diagnosis.generators.cascades import Peers, collapse, others
from tests.kb.core.diagnosis.generators.entries import Part, Voice
from tests.kb.core.diagnosis.generators.job import Symptom
from tests.kb.core.diagnosis.generators.script import Script

Play = Callable[[Script], None]
Form = Literal["log", "raw", "native", "nccl", "kernel", "agent", "boss", "event"]
# Stages before any iteration. `import`: no word of the program's own yet; `first`: the first pass through the model.
EARLY = ("import", "init", "load", "first")
TRUE_STAGE = {"import": "init", "first": ""}
ROOT, SUPPORT, CASCADE, PLAIN = Part.ROOT, Part.SUPPORT, Part.CASCADE, Part.PLAIN


@dataclass(frozen=True)
class Say:
    """A line; its text may name what Script.words knows. `near`: said by a neighbour of the victim."""

    text: str
    form: Form = "raw"
    part: Part = ROOT
    level: str = "ERROR"
    where: str = "loop.py:188:step"
    wait: float = 0.3
    near: bool = False
    late: float = 0.0
    # What Kubernetes and Ray say in place of a scheduler's text.
    elsewhere: tuple[str, str] | None = None


def say(s: Script, one: Say, victim: int) -> None:
    """Say it now."""
    rank = near(s, victim) if one.near else victim
    text = _text(s, one).format_map(s.words(victim))
    node = rank // s.cluster.gpus
    if one.form == "log":
        s.log(s.rank(rank), text, one.level, one.where, one.part, one.late)
    elif one.form == "raw":
        s.raw(s.rank(rank), text, part=one.part, level=one.level, late=one.late)
    elif one.form == "native":
        s.native(rank, text, one.where, one.level[0], one.part)
    elif one.form == "nccl":
        s.nccl(rank, text, "WARN" if one.level != "INFO" else "INFO", one.part)
    elif one.form == "kernel":
        s.kernel(node, text, one.part)
    elif one.form == "agent":
        s.raw(Voice("agent", node), text, part=one.part)
    else:
        _from_above(s, one, text, node)
    s.wait(one.wait)


def _text(s: Script, one: Say) -> str:
    if one.elsewhere is None or s.style.scheduler == "slurm":
        return one.text
    return one.elsewhere[s.style.scheduler == "ray"]


def _from_above(s: Script, one: Say, text: str, node: int) -> None:
    """The scheduler's word: an event of the pod where there are pods."""
    if one.form == "event" and s.style.scheduler == "kubernetes":
        text = acts.event_text(s, node, "Warning", one.level) + text
    s.boss(text, part=one.part)


def near(s: Script, victim: int) -> int:
    """A neighbour on the same node, if there is one."""
    beside = victim + (1 if s.cluster.local(victim) == 0 else -1)
    return beside if 0 <= beside < s.cluster.world else victim


def begin(s: Script, stage: str) -> None:
    """Play the run up to the stage at which it fails."""
    early = stage in EARLY
    far = "load" if stage == "first" and s.spec.serving else stage
    acts.opening(s, far if early else "train")
    if early:
        s.wait(1.5)
        return
    until = s.stop_at if stage == "train" else max(s.save_every, s.stop_at // s.save_every * s.save_every)
    acts.iterate(s, until)
    if stage == "checkpoint":
        s.log(s.rank(0), f"writing checkpoint of iteration {s.step}", where="checkpointer.py:60:write")
    s.wait(s.pace * 0.4)


@dataclass(frozen=True)
class Crash:
    """A process that fails and takes the job down.

    `error`: the uncaught exception, its first line the root; empty if none is printed. `every`: all ranks fail alike.
    `late`: its output reaches the file so many seconds after. `died`: the part of the launcher's line on its end,
    ROOT where nothing else tells.
    """

    error: tuple[str, ...] = ()
    place: str = "forward"
    before: tuple[Say, ...] = ()
    after: tuple[Say, ...] = ()
    stage: str = "train"
    symptom: Symptom = "crash"
    code: int = 1
    peers: Peers = "timeout"
    late: float = 0.0
    every: bool = False
    died: Part = SUPPORT
    trace: Part = ROOT
    blame: Literal["rank", "node", "none"] = "rank"

    def __call__(self, s: Script) -> None:
        begin(s, self.stage)
        s.fails(TRUE_STAGE.get(self.stage, self.stage), self.symptom)
        victim = s.victim
        self._blame(s, victim)
        for one in self.before:
            say(s, one, victim)
        self._raise(s, victim)
        for one in self.after:
            say(s, one, victim)
        collapse(s, victim, self.code, "quiet" if self.every else self.peers, self.died)

    def _blame(self, s: Script, victim: int) -> None:
        node = victim // s.cluster.gpus
        if self.blame == "rank" and not self.every:
            s.blame([victim], [node])
        elif self.blame == "node" and not self.every:
            s.blame(s.cluster.ranks_on(node), [node])

    def _raise(self, s: Script, victim: int) -> None:
        if not self.error:
            return
        ranks = [victim, *others(s, victim)] if self.every else [victim]
        if self.every and s.style.launcher == "ray":
            self._repeated(s, ranks)
            return
        start = s.now
        for rank in ranks:
            error = [text.format_map(s.words(rank)) for text in self.error]
            s.now = start + (s.rng.uniform(0.0, 0.02) if self.every else 0.0)
            s.trace(rank, self.place, error, self.trace, self.late)
        s.now = start + 0.05

    def _repeated(self, s: Script, ranks: list[int]) -> None:
        """Ray shows what all workers say once, and then how often it was said."""
        error = [text.format_map(s.words(ranks[0])) for text in self.error]
        s.trace(ranks[0], self.place, error, self.trace)
        s.wait(5)
        s.raw(
            s.rank(ranks[1]), f"{error[0]}\x1b[32m [repeated {len(ranks) - 1}x across cluster]\x1b[0m", part=self.trace
        )
