"""The lines that matter put together as a reader meets them: those that stand near each other are one passage."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kb.core.diagnosis.context import AROUND
from kb.core.diagnosis.report import SUPPORT
from kb.core.diagnosis.schema import DiagnosedLine
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import Signal

ROLES = {
    "root": "likely first failure",
    "either": "cause or consequence",
    "confirmation": "confirms the failure",
    "cascade": "follow-on error",
    "teardown": "shutdown message",
    "cancel": "stopped from outside",
    "repeat": "repeat",
    "support": "part of the traceback",
    "silence": "no output after it",
    "noise": "harmless",
    "advice": "hint",
}
# Lines whose surroundings touch.
NEAR = 2 * AROUND + 1
# A longer passage is cut: so much of its beginning is shown, and so much before its best line.
MOST_ROWS, BEGINNING, BEFORE = 24, 6, 12


@dataclass(frozen=True)
class Row:
    """A line of a passage. `role`: of one that matters, else empty; `is_apart`: lines before it are left out."""

    line: int
    text: str
    role: str
    is_apart: bool


@dataclass(frozen=True)
class Note:
    """What is known of a line that matters."""

    line: int
    known: Signal | None
    why: Sequence[str]


@dataclass(frozen=True)
class Passage:
    """Lines of a file, of which `line` matters most. `id`: its number on the page."""

    id: str
    file: str
    line: int
    role: str
    rows: Sequence[Row]
    notes: Sequence[Note]

    @property
    def role_words(self) -> str:
        """What the line has to do with the failure."""
        return ROLES.get(self.role, self.role)


class Ranked(NamedTuple):
    """A line and its place among all, the best first."""

    rank: int
    line: DiagnosedLine


def passages(lines: Iterable[DiagnosedLine], name: str) -> list[Passage]:
    """The passages, those with the best lines first. `lines`: best first; `name`: what the passages' ids begin with."""
    by_file: defaultdict[str, list[Ranked]] = defaultdict(list)
    for rank, line in enumerate(lines):
        by_file[line["file"]].append(Ranked(rank, line))
    groups: list[list[Ranked]] = []
    for ranked in by_file.values():
        groups += _near(ranked)
    for group in groups:
        group.sort(key=lambda ranked: ranked.rank)
    groups.sort(key=lambda group: group[0].rank)
    listed = []
    for number, group in enumerate(groups, start=1):
        ranked_lines = [ranked.line for ranked in group]
        best = ranked_lines[0]
        rows, notes = _rows(ranked_lines), _notes(ranked_lines)
        listed.append(Passage(f"{name}-{number}", best["file"], best["line"], best["role"], rows, notes))
    return listed


def close_up(lines: Sequence[DiagnosedLine]) -> Passage | None:
    """The line that says best what failed, with up to three before and after it; None where no line says it."""
    line = next((line for line in lines if line["indicated"]), None)
    if line is None:
        return None
    return Passage("close-up", line["file"], line["line"], line["role"], _rows([line]), _notes([line]))


def _near(lines: Iterable[Ranked]) -> list[list[Ranked]]:
    """A file's lines in groups whose lines are near each other."""
    groups: list[list[Ranked]] = []
    last = 0
    for ranked in sorted(lines, key=lambda ranked: ranked.line["line"]):
        number = ranked.line["line"]
        if not groups or number - last > NEAR:
            groups.append([])
        groups[-1].append(ranked)
        last = number
    return groups


def _rows(lines: Sequence[DiagnosedLine]) -> list[Row]:
    """The lines with those around them. `lines`: best first."""
    texts = {line["line"]: line["text"] for line in lines}
    for line in lines:
        texts |= {nearby["line"]: nearby["text"] for nearby in line.get("context", [])}
    roles = {line["line"]: line["role"] for line in lines if line["role"] != SUPPORT}
    numbers = sorted(texts)
    if len(numbers) > MOST_ROWS:
        best = numbers.index(lines[0]["line"])
        numbers = sorted({*numbers[:BEGINNING], *numbers[max(best - BEFORE, 0) : best + AROUND + 1]})
    rows = []
    last = numbers[0] - 1
    for number in numbers:
        rows.append(Row(number, texts[number], roles.get(number, ""), is_apart=number - last > 1))
        last = number
    return rows


def _notes(lines: Iterable[DiagnosedLine]) -> list[Note]:
    """What is known of each line, the same only once."""
    notes: dict[tuple[str, tuple[str, ...]], Note] = {}
    for line in lines:
        code, why = line["signal"] or "", tuple(line["why"])
        signal = catalogue().by_code.get(code)
        if signal is not None or why:
            notes.setdefault((code, why), Note(line["line"], signal, why))
    return list(notes.values())
