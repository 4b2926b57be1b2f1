"""Rows of Slurm's `sacct` in a text, told in lines: which job or step ended how, where and when.

Each line stands in its row's place. What the states mean is said by signals and claims, as of any other line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

ID, STATE, NODES, END, EXIT = "JobID", "State", "NodeList", "End", "ExitCode"
COLUMN = re.compile(r"-+")
JOB = re.compile(r"\d+(?:_(?:\d+|\[[\d,%-]+\]))?(?:\+\d+)?(?P<step>\.\w+)?")
CODE = re.compile(r"(?P<code>\d+):(?P<signal>\d+)")
ENDED = (
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REQUEUED",
    "REVOKED", "TIMEOUT",
)  # fmt: skip
# A state may be cut off where its column is narrow; so much of it tells it from the others.
LEAST_OF_STATE = 4
# Steps are cancelled whenever their job ends, by whatever, and complete whether it does or not.
OF_JOBS = {"CANCELLED", "COMPLETED"}
OUT_OF_MEMORY = 125


@dataclass(frozen=True)
class _Table:
    """A table's columns by name. `spans`: where each stands in a line; none where bars part them."""

    names: Sequence[str]
    spans: Sequence[tuple[int, int]]

    def row(self, line: str) -> Mapping[str, str]:
        """The line's cells by the names of their columns."""
        cells = [line[start:end] for start, end in self.spans] if self.spans else line.split("|")
        return {name: cell.strip() for name, cell in zip(self.names, cells, strict=False)}


class Rows:
    """The rows of tables, in lines that come one after another."""

    def __init__(self) -> None:
        self._header = ""
        self._table: _Table | None = None

    @property
    def is_open(self) -> bool:
        """Whether the next line may be of a table."""
        return bool(self._header) or self._table is not None

    def told(self, lines: Sequence[str]) -> Iterator[str]:
        """The same lines, a row told in words."""
        for line in lines:
            yield self._line(line)

    def _line(self, line: str) -> str:
        if self._header:
            names, spans = self._header.split(), [match.span() for match in COLUMN.finditer(line)]
            self._table = _Table(names, spans) if not line.strip(" -") and len(spans) == len(names) else None
            self._header = ""
        elif ID in line and STATE in line:
            if "|" in line:
                self._table = _Table([name.strip() for name in line.split("|")], ())
            else:
                self._header = line
        elif self._table is not None:
            told = _told(self._table.row(line))
            if told is None:
                self._table = None
            return told or line
        return line


def _told(row: Mapping[str, str]) -> str | None:
    """The row as a line; empty for a state that ends nothing, None where it is no row."""
    job = JOB.fullmatch(row.get(ID, "").rstrip("+"))
    if job is None:
        return None
    word, _, rest = row.get(STATE, "").partition(" ")
    state = next((one for one in ENDED if _is_cut(word, one)), "")
    if not state:
        return ""
    code = CODE.fullmatch(row.get(EXIT, ""))
    if state in OF_JOBS and job["step"]:
        state, rest = f"STEP_{state}", ""
    if code is not None and int(code["signal"]) == OUT_OF_MEMORY:
        state = "OUT_OF_MEMORY"
    words = [f"sacct: {job[0]} State={state}", rest]
    nodes = row.get(NODES, "")
    if nodes and not nodes.startswith("None"):
        # Which of several nodes it was, the row does not tell.
        words.append(f"among {nodes}" if "[" in nodes or "," in nodes else f"on {nodes}")
    if code is not None and not state.endswith("COMPLETED"):
        words.append(f"with exit code {code['code']}")
        if int(code["signal"]) not in (0, OUT_OF_MEMORY):
            words.append(f"and signal {code['signal']}")
    end = row.get(END, "")
    return " ".join(filter(None, [end if end[:1].isdigit() else "", *words]))


def _is_cut(word: str, state: str) -> bool:
    """Whether the word is the state, or its beginning with a sign that it is cut."""
    start = word.rstrip("+")
    return word == state or (len(start) >= LEAST_OF_STATE and word.endswith("+") and state.startswith(start))
