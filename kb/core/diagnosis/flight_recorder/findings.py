"""What the analysis says: suspects, findings, and who waits for whom; and how all that is put into words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["missing", "mismatch", "late", "never_started", "no_dump", "p2p"]
MOST_NAMED = 8


@dataclass(frozen=True)
class Words:
    """How it is put what a rank left, and what it did not do as far as that shows."""

    record: str
    left_none: str
    never_enqueued: str
    never_did: str
    doubt: str


DUMPS = Words("dump", "left no dump", "never enqueued", "never did", "")
# A watchdog's counter rises only when the call returns: a rank that stands in the call shows the number before.
WATCHDOGS = Words(
    "watchdog line",
    "wrote no watchdog line",
    "did not return from the call of",
    "did not return from that call, if it came there",
    ", if it came there",
)


@dataclass(frozen=True)
class Suspect:
    """A rank that may hold up the others. `score`: from 0 to 1. `why`: one or two sentences."""

    rank: int
    score: float
    why: str


@dataclass(frozen=True)
class Finding:
    """Something that the dumps show. `ranks`: those it is about; `where`: the top frame of one who waits in it.

    `missing`: some of a group never enqueued an operation that others wait in. `late`: all did, but some are held up
    or did not see it complete. `never_started`: all did, and some or none started it. `mismatch`: the members enqueued
    different operations at the same number. `p2p`: a send or receive without its other end. `no_dump`: ranks of which
    there is no dump.
    """

    kind: Kind
    group: str
    description: str
    sequence: int | None = None
    operation: str | None = None
    ranks: tuple[int, ...] = ()
    where: str | None = None


@dataclass(frozen=True)
class Analysis:
    """All that the dumps of a run say together. `suspects`: the strongest first.

    `waits`: which ranks each blocked rank waits for; nothing of ranks whose operation has everybody in it.
    """

    sentence: str
    suspects: tuple[Suspect, ...]
    findings: tuple[Finding, ...]
    waits: Mapping[int, tuple[int, ...]]


def ranks_text(numbers: Sequence[int]) -> str:
    """Ranks in words: rank 3; ranks 3, 4 and 7; 40 ranks (0, 1, 2, ...)."""
    if not numbers:
        return "no rank"
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    if len(numbers) <= MOST_NAMED:
        return f"ranks {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
    return f"{len(numbers):,} ranks ({', '.join(map(str, numbers[:3]))}, ...)"


def waiting_text(numbers: Sequence[int]) -> str:
    """Ranks that wait, in words: rank 3 waits; ranks 3 and 4 wait."""
    return f"{ranks_text(numbers)} {'waits' if len(numbers) == 1 else 'wait'}"


def capitalised(text: str) -> str:
    """The sentence with a capital letter."""
    return text[:1].upper() + text[1:]
