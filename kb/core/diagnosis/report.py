"""What a diagnosis says: the shapes that the page, the API and the command show, and nothing that computes them."""

from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["failure", "cancelled", "incomplete", "healthy", "no_evidence"]
FAILURE: Verdict = "failure"
CANCELLED: Verdict = "cancelled"
INCOMPLETE: Verdict = "incomplete"
HEALTHY: Verdict = "healthy"
NO_EVIDENCE: Verdict = "no_evidence"
Fault = Literal["infrastructure", "workload", "unknown", "none"]
Helps = Literal["likely", "unlikely", "unknown"]
# Roles of lines that belong to what failed first: they say it again, or are of its traceback.
REPEAT, SUPPORT = "repeat", "support"
BELONGING = frozenset({REPEAT, SUPPORT})


@dataclass(frozen=True)
class Line:
    """A line that matters. `line`: physical, from 1. `indicated`: it says what failed first."""

    file: str
    line: int
    text: str
    role: str
    score: float
    signal: str | None
    indicated: bool
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """A node or rank that may be at fault. `score`: from 0 to 1."""

    name: str
    score: float
    why: str


@dataclass(frozen=True)
class Cause:
    """A root cause of the house codebook: how likely it is by the signals alone, and why."""

    code: str
    likelihood: float
    why: str


@dataclass(frozen=True)
class RightShare:
    """How often something was told right on logs that nobody had seen. `low`, `high`: 95 % interval (Wilson)."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Recurrence:
    """Whether a failure came before: in `same` of `of` earlier failed jobs. `last`: the name of the newest of them."""

    of: int
    same: int
    last: str | None


@dataclass(frozen=True)
class Restart:
    """Whether to start again. `without`: nodes to leave out; `right`: how often the fault was told right.

    `recurs`: None where no earlier failed jobs are known.
    """

    fault: Fault
    helps: Helps
    without: tuple[str, ...]
    why: str
    right: RightShare | None
    recurs: Recurrence | None = None


@dataclass(frozen=True)
class Framework:
    """A framework that the log names. `slug`: as the knowledge base has it; `version`: empty where it is not told."""

    slug: str
    name: str
    version: str


@dataclass(frozen=True)
class Diagnosis:
    """All that is said of a run. `symptom`: of the run; `symptom_code`: the house codebook's, where a signal says.

    `checks`: what to look at next. `recorded`: what dumps or watchdogs of collectives show, in sentences. `unknown`:
    what was not read, and why. `stack`: the frameworks that the log names; `is_of_models`: it may be of a run of one of
    them.
    """

    verdict: Verdict
    sentence: str
    lines: tuple[Line, ...] = ()
    nodes: tuple[Suspect, ...] = ()
    ranks: tuple[Suspect, ...] = ()
    stage: str | None = None
    iteration: int | None = None
    symptom: str | None = None
    symptom_code: str | None = None
    causes: tuple[Cause, ...] = ()
    checks: tuple[str, ...] = ()
    restart: Restart | None = None
    recorded: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    stats: dict[str, int] = field(default_factory=dict)
    stack: tuple[Framework, ...] = ()
    is_of_models: bool = True
