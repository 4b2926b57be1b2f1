"""What the watchdog of a rank's collectives says: which one it waits in, and how far its group had come. No judgement.

PyTorch's forms differ by version: the group is named or not, by number or description, the sizes are told or not, and
what was enqueued and completed last stands in a line of its own.
"""

import re
from dataclasses import dataclass

from kb.core.diagnosis.scanning.records import Emitter, Place, Scan

MOST_REPORTS = 50_000
# Sequence numbers of 64 bits; a longer one is none.
LONGEST = 19

# A line that tells something of the kind.
SPOKEN = re.compile(
    r"Watchdog caught collective|detected by watchdog|\bWork\w{2,8}\((?:SeqNum=\d+, )?OpType=\w+|"
    r"\blast enqueued(?: \w{2,8})? work: -?\d",
    re.IGNORECASE,
)
GROUP = re.compile(
    r"\[PG (?:ID \d+ PG GUID )?(?P<group>[\w.:-]{1,64}) ?(?:\((?P<description>[^()\[\]]{0,64})\))? "
    r"Rank (?P<member>\d{1,7})\]"
)
# What went wrong is the rank's own affair, not another's.
OWN_ERROR = re.compile(r"async exception: \w{2,8} error: (?!remote process|network)")
MEMBER = re.compile(r"\[Rank (?P<member>\d{1,7})\]")
WORK = re.compile(
    r"\bWork\w{2,8}\((?:SeqNum=(?P<sequence>\d+), )?OpType=(?P<operation>\w{1,40})"
    r"(?:, NumelIn=(?P<input>\d+), NumelOut=(?P<output>\d+))?"
)
AT = re.compile(r"(?:\bat \w{2,8} work|\bat work(?: sequence id)?): (?P<sequence>\d+)")
STATUS = re.compile(
    r"\blast enqueued(?: \w{2,8})? work: (?P<enqueued>-?\d+).{0,60}?\blast completed(?: \w{2,8})? work: "
    r"(?P<completed>-?\d+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CollectiveReport:
    """A watchdog's words on a collective that its rank waits in, or on how far the rank had come in a group.

    `group`: its name, None where the line names none; `member`: the rank within the group. `sequence`: of the
    collective; `elements`: that go in and come out. `enqueued`, `completed`: the last ones; -1 is none yet.
    """

    place: Place
    emitter: Emitter
    group: str | None
    description: str
    member: int | None
    sequence: int | None
    operation: str
    elements: tuple[int | None, int | None]
    enqueued: int | None
    completed: int | None

    @property
    def waits(self) -> bool:
        """Whether the rank waits in a collective, and does not only tell how far it came."""
        return self.sequence is not None or self.enqueued is None


def record_collective(scan: Scan, body: str, emitter: Emitter, place: Place) -> None:
    """Write down what the line tells of a collective, if it is one of a watchdog."""
    if len(scan.collectives) >= MOST_REPORTS or OWN_ERROR.search(body):
        return
    group, work, status = GROUP.search(body), WORK.search(body), STATUS.search(body)
    member = group or MEMBER.search(body)
    at = work if work is not None and work["sequence"] else AT.search(body)
    enqueued, completed = _number(status, "enqueued"), _number(status, "completed")
    if enqueued is not None and completed is not None and completed > enqueued:
        # Some versions print it before it was ever set.
        completed = None
    scan.collectives.append(
        CollectiveReport(
            place=place,
            emitter=emitter,
            group=group["group"] if group else None,
            description=(group["description"] or "") if group else "",
            member=_number(member, "member"),
            sequence=_number(at, "sequence"),
            operation=work["operation"] if work else "",
            elements=(_number(work, "input"), _number(work, "output")),
            enqueued=enqueued,
            completed=completed,
        )
    )


def _number(match: re.Match[str] | None, name: str) -> int | None:
    word = match[name] if match is not None else None
    return int(word) if word and len(word) <= LONGEST else None
