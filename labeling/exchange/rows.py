"""One answer in a file: an annotator's, on one question about one issue. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from labeling.ballots import NOT_TOLD
from labeling.passages import Marked

BETWEEN = "|"
# Before an annotator's name in a wide table: the column with their passages.
EVIDENCE_OF = "evidence of "
# Whether the votes came from a file themselves, in every format.
FROM_FILE = "from_file"
# Between title and body where a format has one text.
TITLE_END = "\n\n"


@dataclass(frozen=True)
class AnswerRow:
    """One answer. `line` is its line number in the file that it came from; `received_on` an ISO date.

    `text` is an answer in words, or a number; of an answer that comes from a file, the whole of it as it stands there:
    what kind of question it answers is not known yet.
    `evidence` are the passages of this answer and those of the whole vote; `text_hash` is of the text they are in.
    """

    issue: str
    annotator: str
    axis: str
    codes: tuple[str, ...]
    is_undecidable: bool = False
    confidence: int | None = None
    line: int = 0
    round: int = 0
    codebook: int = 0
    received_on: str = ""
    note: str = ""
    evidence: tuple[Marked, ...] = ()
    text_hash: str = ""
    is_from_file: bool = False
    text: str = ""
    is_number: bool = False


@dataclass(frozen=True)
class Rejected:
    """A line that cannot be imported, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Document:
    """An issue's frozen text with all answers about it, for formats that carry the text."""

    issue: str
    title: str
    text: str
    text_hash: str
    round: int
    codebook: int
    answers: Sequence[AnswerRow] = field(default_factory=tuple)
    is_from_file: bool = False


def cell(answer: AnswerRow) -> str:
    """An answer in one cell: codes separated by `|`, a text as it is, or `?` where the report does not say."""
    return NOT_TOLD if answer.is_undecidable else answer.text or BETWEEN.join(answer.codes)


def from_cell(text: str) -> tuple[tuple[str, ...], bool]:
    """The codes in a cell, and whether it says that the report does not say."""
    return from_codes(tuple(part.strip() for part in text.split(BETWEEN) if part.strip()))


def from_codes(codes: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The same for codes that a file lists."""
    if codes == (NOT_TOLD,):
        return (), True
    return codes, False
