"""What a pass over the lines keeps: emitters, kinds of lines, single lines that stand out, and what was claimed."""

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kb.core.diagnosis.parsing.prefixes import Level
from kb.core.diagnosis.parsing.stack import Named
from kb.core.diagnosis.parsing.steps import Step
from kb.core.diagnosis.scanning.blocks import Block
from kb.core.diagnosis.signals.format import Signal

if TYPE_CHECKING:
    from kb.core.diagnosis.scanning.watchdogs import CollectiveReport

# The steps that are kept: of all files together, and how long each took of one emitter.
MOST_STEP_LINES, MOST_PACES = 80_000, 500


class Place(NamedTuple):
    """A physical line: the file's place among the files, and the line's number in it, from 1."""

    file: int
    line: int


@dataclass(eq=False, slots=True)
class Emitter:
    """The writer of lines, as far as their prefixes say: one process, or all that write a file without prefixes.

    `when`: the time of the last line that was looked at or, failing that, before it in its file.
    `is_bare`: its node is a name before a colon, which may be no host's; `dated`: how many of its lines have a time.
    `iteration`: the highest one reported, with its line, prefix and all; `steps`: how many were reported, each later
    than the one before; `reports`: how many were counted, since the log does not number them. `paces`: the seconds
    that each of the last steps took, as reported. `blamed_host`: the host that a report or description of its named
    last; `loss`: the line that tells of one, below which stands whose; `count`: how far the ranks below are;
    `reports_first`: the next rank is the first to fail.
    """

    id: int
    file: int
    fields: dict[str, str]
    first: int = 0
    when: str = ""
    began: str = ""
    lines: int = 0
    is_bare: bool = False
    dated: int = 0
    iteration: int = -1
    steps: int = 0
    reports: int = 0
    iteration_line: int = 0
    iteration_when: str = ""
    iteration_text: str = ""
    block: Block | None = None
    blamed_host: str = ""
    loss: int = 0
    count: str = ""
    reports_first: bool = False
    paces: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(eq=False, slots=True)
class Occurrence:
    """A line that was kept: where, whose, when as written, its own text, and the iteration its file had come to.

    `when`: the last time written in its file up to the line; `written_by`: its own time or else the next one in its
    file, to the minute; empty where none follows. `own_time`: a time within its text, where its prefix has none.
    """

    place: Place
    emitter: Emitter
    when: str
    text: str
    iteration: int
    block: Block | None = None
    written_by: str = ""
    own_time: str = ""

    @property
    def is_exception(self) -> bool:
        """Whether it is the exception's own line in a traceback."""
        return self.block is not None and self.place.line in self.block.exceptions

    @property
    def announced_at(self) -> int:
        """The line that may announce it: one above a traceback is written because of its exception."""
        if self.block is None or not self.is_exception:
            return self.place.line
        return self.block.lines[0][0] - 1


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
        """Whether a line of this kind stands out by what it says."""
        return self.alarm > 0 or bool(self.signals)

    @property
    def is_known(self) -> bool:
        """Whether the catalogue knows it as more than noise or advice."""
        return any(signal.role not in ("noise", "advice") for signal in self.signals)


class StepLine(NamedTuple):
    """A line that reports an iteration as completed. `text`: the line's own."""

    place: Place
    emitter: Emitter
    when: str
    step: Step
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A line says that a process, rank or node failed or is missing. `kind`: a key of `claims.CLAIMS`.

    `code`: the exit code, or which ranks; `task`: Slurm's, as written.
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


@dataclass(eq=False, slots=True)
class Stack:
    """Where the main thread of a process stood. `top`: its innermost frame; `is_open`: that is still to come."""

    emitter: Emitter
    pid: str
    top: str = ""
    is_open: bool = False


class Introduction(NamedTuple):
    """A line says which rank a process is, and on which node: the one that wrote it, or that of `ip` and `pid`.

    `is_of_another`: a driver says it, not the process itself.
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

    `serving_lines`: the last three lines of each file that show a server at work. `latest_steps`: the lines of each
    file that were the first to report the last two iterations in it. `last_times`: the last time in each file's
    prefixes, `last_dated`: the line that has it. `step_lines`: the latest iterations, of the few in each file that
    reported one first. `introductions`: which process said that it is which rank; `node_ranks`: the node numbers that
    an emitter told; `per_node`: how many processes a node is said to have. `planned_steps`, `planned_epochs`: how many
    the run is said to have; 0 if unsaid. `addresses`: nodes by other names of theirs; `buses`: rank and device by the
    emitter that tells them and where the device is on the PCI bus. `stack`: the frameworks that are named, by slug;
    `is_of_the_trade`: a line speaks of models, accelerators or ranks. `stalled`: by file, the last reports of a server
    that its requests get nowhere.
    """

    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    emitters: list[Emitter] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    step_lines: deque[StepLine] = field(default_factory=lambda: deque(maxlen=MOST_STEP_LINES))
    claims: list[Claim] = field(default_factory=list)
    collectives: list["CollectiveReport"] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    marks: list["Mark"] = field(default_factory=list)
    hosts: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    buses: dict[tuple[int, str], tuple[int | None, int | None]] = field(default_factory=dict)
    ranks: dict[int, str] = field(default_factory=dict)
    gpus: dict[int, int] = field(default_factory=dict)
    world: int = 0
    introductions: dict[Introduction, None] = field(default_factory=dict)
    node_ranks: dict[int, set[int]] = field(default_factory=dict)
    stack: dict[str, Named] = field(default_factory=dict)
    is_of_the_trade: bool = False
    planned_steps: int = 0
    planned_epochs: int = 0
    per_node: set[int] = field(default_factory=set)
    silences: list["Silence"] = field(default_factory=list)
    tails: list[tuple[tuple[int, str], ...]] = field(default_factory=list)
    last_times: list[str] = field(default_factory=list)
    last_dated: list[int] = field(default_factory=list)
    latest_steps: dict[int, list[int]] = field(default_factory=dict)
    serving_lines: dict[int, list[int]] = field(default_factory=dict)
    stalled: dict[int, list[tuple[Place, str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing was written in a file for so many seconds, until this line. `before`: the text of the one before it.

    `since`: the last line with a time before it; those between may have been written at any moment.
    """

    place: Place
    when: str
    seconds: float
    before: str = ""
    since: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that begins or ends a stage: see `parsing.stages`."""

    place: Place
    when: str
    stage: str
