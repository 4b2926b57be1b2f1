"""The lines that matter put together as a reader meets them: those that stand near each other are one passage."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from kb.core.diagnosis.context import AROUND
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import Signal

ROLES = {
    "root": "may have begun it",
    "either": "may have begun it, or follow from it",
    "confirmation": "confirms it",
    "cascade": "follows from it",
    "teardown": "written while it ended",
    "cancel": "ended from outside",
    "support": "belongs to it",
    "silence": "nothing was written after it",
    "noise": "harmless",
    "advice": "advice",
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


def passages(lines: Iterable[Mapping[str, Any]], name: str) -> list[Passage]:
    """The passages, those with the best lines first. `lines`: best first; `name`: what the passages' ids begin with."""
    of_file = defaultdict[str, list[tuple[int, Mapping[str, Any]]]](list)
    for rank, line in enumerate(lines):
        of_file[line["file"]].append((rank, line))
    groups = [group for ranked in of_file.values() for group in _near(ranked)]
    return [_passage(group, f"{name}-{number}") for number, group in enumerate(sorted(groups, key=_best), 1)]


def _near(ranked: list[tuple[int, Mapping[str, Any]]]) -> list[list[tuple[int, Mapping[str, Any]]]]:
    """A file's lines in groups whose lines are near each other."""
    groups: list[list[tuple[int, Mapping[str, Any]]]] = []
    last = 0
    for rank, line in sorted(ranked, key=lambda one: int(one[1]["line"])):
        if not groups or line["line"] - last > NEAR:
            groups.append([])
        groups[-1].append((rank, line))
        last = line["line"]
    return groups


def _best(group: Sequence[tuple[int, Mapping[str, Any]]]) -> int:
    return min(rank for rank, _ in group)


def _passage(group: Sequence[tuple[int, Mapping[str, Any]]], name: str) -> Passage:
    ranked = [line for _, line in sorted(group, key=itemgetter(0))]
    best = ranked[0]
    return Passage(name, best["file"], best["line"], best["role"], _rows(ranked), _notes(ranked))


def _rows(ranked: Sequence[Mapping[str, Any]]) -> list[Row]:
    texts = {line["line"]: line["text"] for line in ranked}
    texts |= {one["line"]: one["text"] for line in ranked for one in line.get("context") or ()}
    roles = {line["line"]: line["role"] for line in ranked}
    numbers = _few(sorted(texts), ranked[0]["line"])
    before = [numbers[0] - 1, *numbers]
    return [
        Row(number, texts[number], roles.get(number, ""), number - last > 1)
        for last, number in zip(before, numbers, strict=False)
    ]


def _few(numbers: Sequence[int], best: int) -> list[int]:
    """The lines to show of a long passage: where it begins, and those that lead to the best one."""
    if len(numbers) <= MOST_ROWS:
        return list(numbers)
    at = numbers.index(best)
    near = numbers[max(at - BEFORE, 0) : at + AROUND + 1]
    return sorted({*numbers[:BEGINNING], *near})


def _notes(ranked: Sequence[Mapping[str, Any]]) -> list[Note]:
    """Of each line that has one, what is known; the same only once."""
    found: dict[tuple[str, tuple[str, ...]], Note] = {}
    for line in ranked:
        known, why = catalogue().by_code.get(line["signal"] or ""), tuple(line["why"])
        if known is not None or why:
            found.setdefault((line["signal"] or "", why), Note(line["line"], known, why))
    return list(found.values())
