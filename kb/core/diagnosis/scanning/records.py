"""What a pass over the lines keeps: emitters, kinds of lines, single lines that stand out, and what was claimed."""

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.core.diagnosis.parsing.headers import Level
from kb.core.diagnosis.parsing.steps import Step
from kb.core.diagnosis.signals.format import Signal

# The steps that are kept: of all files together, and how long each took of one emitter.
MOST_TOLD, MOST_PACES = 80_000, 500


class Place(NamedTuple):
    """A physical line: the file's place among the files, and the line's number in it, from 1."""

    file: int
    line: int


@dataclass(eq=False, slots=True)
class Emitter:
    """Who writes lines, as far as their heads say: one process, or all that write a file without heads.

    `when`: the time of the last line that was looked at or, failing that, before it in its file.
    `iteration`: the highest it told of, with the line, heads and all; `steps`: how many it told of, each later than
    the one before. `paces`: seconds that each of the last steps took, as told.
    """

    id: int
    file: int
    fields: dict[str, str]
    first: int = 0
    when: str = ""
    began: str = ""
    lines: int = 0
    iteration: int = -1
    steps: int = 0
    iteration_line: int = 0
    iteration_when: str = ""
    iteration_text: str = ""
    block: "Block | None" = None
    blamed_host: str = ""
    paces: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(eq=False, slots=True)
class Occurrence:
    """A line that was kept: where, whose, when as written, its own text, and the iteration its file had come to.

    `when`: the last time written in its file up to the line; `until`: its own time or else the next one in its file, to
    the minute; empty where none follows. `said`: a time within its text, where its heads have none.
    """

    place: Place
    emitter: Emitter
    when: str
    text: str
    iteration: int
    block: "Block | None" = None
    until: str = ""
    said: str = ""


@dataclass(eq=False, slots=True)
class Block:
    """Lines of one emitter that belong together, with their numbers. `summary`: the one that says what happened.

    `is_chained`: another traceback is announced.
    """

    is_traceback: bool
    lines: list[tuple[int, str]] = field(default_factory=list)
    summary: int = 0
    is_chained: bool = False


@dataclass(eq=False, slots=True)
class Template:
    """A kind of line: its masked text, how it sounds, what the catalogue knows of it, and how often who wrote it."""

    id: int
    text: str
    level: Level
    alarm: float
    signals: tuple[Signal, ...]
    is_frame: bool
    count: int = 0
    counts: dict[int, int] = field(default_factory=dict)
    occurrences: list[Occurrence] = field(default_factory=list)

    def add(self, emitter: int, count: int) -> None:
        """Count lines of an emitter."""
        self.count += count
        self.counts[emitter] = self.counts.get(emitter, 0) + count

    @property
    def is_notable(self) -> bool:
        """Does a line of this kind stand out by what it says?"""
        return self.alarm > 0 or bool(self.signals)

    @property
    def is_known(self) -> bool:
        """Does the catalogue know it as more than noise or advice?"""
        return any(signal.role not in ("noise", "advice") for signal in self.signals)


class Told(NamedTuple):
    """An iteration that a line told of as done. `text`: the line's own."""

    place: Place
    emitter: Emitter
    when: str
    step: Step
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a line says of another: which process, rank or node failed or is missing. `kind`: see `claims`.

    `code`: with what it ended, or which ranks; `task`: Slurm's, as written.
    """

    kind: str
    place: Place
    when: str
    emitter: Emitter
    node: str = ""
    rank: int | None = None
    local: int | None = None
    code: str = ""
    pid: str = ""
    task: str = ""


class Introduction(NamedTuple):
    """A line says which rank a process is, and on which node: the one that wrote it, or that of `ip` and `pid`.

    `is_of_another`: it is said by a driver, not by the process itself.
    """

    emitter: int
    rank: int
    node: str
    ip: str
    pid: str
    is_of_another: bool


@dataclass
class Scan:
    """All that was kept of all files. `lines`: how many each has; `tails`: their last lines.

    `serves`: the last three lines of each file that told of a server at work. `turns`: the lines of each file that told
    of the last two iterations in it first. `ends`: the last time that the heads of each file tell. `told`: the latest
    iterations, of the few in each file that told of one first. `introduced`: which process said that it is which rank;
    `node_ranks`: which numbers of a node an emitter told; `per_node`: how many processes a node is said to have.
    """

    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    emitters: list[Emitter] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    told: deque[Told] = field(default_factory=lambda: deque(maxlen=MOST_TOLD))
    claims: list[Claim] = field(default_factory=list)
    marks: list["Mark"] = field(default_factory=list)
    hosts: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    ranks: dict[int, str] = field(default_factory=dict)
    gpus: dict[int, int] = field(default_factory=dict)
    world: int = 0
    introduced: dict[Introduction, None] = field(default_factory=dict)
    node_ranks: dict[int, set[int]] = field(default_factory=dict)
    per_node: set[int] = field(default_factory=set)
    silences: list["Silence"] = field(default_factory=list)
    tails: list[tuple[tuple[int, str], ...]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    turns: dict[int, list[int]] = field(default_factory=dict)
    serves: dict[int, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing was written in a file for so many seconds, until this line. `before`: the text of the one before it."""

    place: Place
    when: str
    seconds: float
    before: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that begins or ends a stage: see `parsing.stages`."""

    place: Place
    when: str
    stage: str
