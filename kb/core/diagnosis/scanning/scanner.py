"""The pass itself: every line once, in the order of the files, block by block."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from kb.core.diagnosis.parsing.clocks import seconds, year_of
from kb.core.diagnosis.scanning.crowds import NOBODY
from kb.core.diagnosis.scanning.kinds import Kind, Kinds
from kb.core.diagnosis.scanning.line_notes import SHOWN, Looker, Single
from kb.core.diagnosis.scanning.lines import Lines
from kb.core.diagnosis.scanning.prefixes import Who, minute_of
from kb.core.diagnosis.scanning.records import Emitter, Place, Scan, Silence
from kb.core.diagnosis.scanning.step_series import Measuring
from kb.core.diagnosis.scanning.times import Times
from kb.core.diagnosis.scanning.triage import Sorting
from kb.core.diagnosis.scanning.turns import Turns

MOST_EMITTERS = 50_000
TAIL = 12
# A line that is looked at, taken apart: its kind, its text, and its heads if it has them.
Taken: TypeAlias = tuple[Kind, str, re.Match[str] | None]
SILENCE, ANOTHER_CLOCK = 120.0, 30 * 86_400.0


@dataclass
class Reached:
    """How far the pass has come in a file: its number, the lines read, the last time, its minute, the last iteration,
    the year that times are taken to be of, and the last line.
    """

    file: int
    lines: int = 0
    when: str = ""
    minute: str = ""
    iteration: int = -1
    year: int = 2000
    previous: str = ""
    tail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=TAIL))


class Scanner:
    """Feeds blocks of lines into what is kept of them."""

    def __init__(self) -> None:
        self.scan = Scan()
        self._kinds = Kinds()
        self._looker = Looker(self.scan)
        self._measuring = Measuring(self.scan)
        self._reached = Reached(0)

    def open(self, name: str) -> None:
        """From here on, blocks are of this file."""
        self._close()
        self._reached = Reached(len(self.scan.names))
        self.scan.names.append(name)
        for emitters in self._kinds.emitters.values():
            emitters.clear()
        self._looker.undated.clear()

    def _close(self) -> None:
        """Note where the file ends that was open."""
        if len(self.scan.lines) < len(self.scan.names):
            self.scan.lines.append(self._reached.lines)
            self.scan.tails.append(tuple(self._reached.tail))
            self.scan.ends.append(self._reached.when)

    def done(self) -> Scan:
        """All that was kept."""
        self._close()
        self.scan.templates = self._kinds.templates
        emitters = self.scan.emitters
        for emitter in emitters:
            emitter.block = None
        for template in self.scan.templates:
            template.counts = dict(sorted(template.counts.items()))
            for number, count in template.counts.items():
                emitters[number].lines += count
        return self.scan

    def block(self, lines: Lines) -> None:
        """Read a block of the file's lines.

        Every line that is new in kind, that stands out or that may go on with an open block is looked at, in their
        order; the others are counted together.
        """
        if self._kinds.keys.are_full:
            self._kinds.keys.clear()
        reached = self._reached
        sorting = Sorting(lines, self._kinds, reached.file)
        taken = {line: _taken(sorting, line) for line in sorting.singles}
        _write_times(sorting, taken)
        crowds = sorting.crowds
        times = Times(lines, crowds.times, crowds.lengths, crowds.minutes, reached.when, reached.minute)
        self._hear_silence(sorting, times)
        self._look(sorting, taken, times)
        for template, writer, count in sorting.counted():
            if writer.emitter is not None:
                self._kinds.templates[template].add(writer.emitter.id, count)
        self._step(sorting, times)
        reached.minute, reached.when = times.minute, times.at(len(lines) - 1)
        for line in np.flatnonzero(lines.ends > lines.starts)[-TAIL:].tolist():
            reached.tail.append((reached.lines + line + 1, lines.text(line)[:SHOWN]))
        reached.previous = lines.text(len(lines) - 1)
        reached.lines += len(lines)

    def _hear_silence(self, sorting: Sorting, times: Times) -> None:
        """Where nothing was written for long, by the times of the lines before and after."""
        reached, lines = self._reached, sorting.lines
        for line in times.ticks.tolist():
            before, when = times.at(line - 1), times.at(line)
            reached.year = year_of(when) or reached.year
            then, now = (seconds(written, reached.year) if written else None for written in (before, when))
            if then is not None and now is not None and SILENCE <= now - then <= ANOTHER_CLOCK:
                text = lines.text(line - 1) if line else reached.previous
                place = Place(reached.file, reached.lines + line + 1)
                self.scan.silences.append(Silence(place, when, now - then, text[:SHOWN]))

    def _look(self, sorting: Sorting, taken: Mapping[int, Taken], times: Times) -> None:
        """Look at the lines that are not only counted. Lines that follow an open block join them as they are found."""
        following: list[int] = []

        def look(line: int) -> None:
            kind, text, head = taken.get(line) or _taken(sorting, line)
            place, when = Place(self._reached.file, self._reached.lines + line + 1), times.at(line)
            emitter = self._emitter_of(kind, head, place, when)
            sorting.known_as(line, emitter)
            self._looker.look(Single(place, when, kind, emitter, text, head))
            if emitter.block is not None and (after := sorting.set_apart_next(emitter, line)) is not None:
                heappush(following, after)

        for single in sorting.singles:
            while following and following[0] < single:
                look(heappop(following))
            look(single)
        while following:
            look(heappop(following))

    def _step(self, sorting: Sorting, times: Times) -> None:
        """How far the run has come, by all lines of the block that tell it."""
        reached, looker, emitters = self._reached, self._looker, self.scan.emitters
        seen = np.array(looker.steps, np.int64).reshape(-1, 3)
        places, told, writers = sorting.steps()
        turns = Turns(
            np.concatenate((seen[:, 0] - reached.lines - 1, places)),
            np.concatenate((seen[:, 1], told)),
            np.concatenate((seen[:, 2], writers)),
            reached.iteration,
        )
        turns.advance(emitters, sorting.lines, times, reached.lines)
        for found in looker.kept:
            found.iteration = turns.told_until(found.place.line - reached.lines - 1)
        if further := turns.further():
            lines = self.scan.turns.setdefault(reached.file, [])
            lines[:] = (*lines, *(reached.lines + line + 1 for line in further))[-2:]
        reached.iteration = turns.told_until(len(sorting.lines))
        looker.date(times, reached.lines)
        crowd = list(sorting.measured(places, writers))
        self._measuring.take(reached.file, reached.lines, looker.told, crowd, times)
        for seen_here in (looker.steps, looker.told, looker.kept):
            seen_here.clear()

    def _emitter_of(self, kind: Kind, head: re.Match[str] | None, place: Place, when: str) -> Emitter:
        """Who wrote the line: a process, or the file itself where no head says more."""
        who = head.group(*kind.identity) if head is not None and kind.identity else None
        found = kind.emitters.get(who) if who is not None else None
        if found is not None:
            return found
        # A process that was not heard of before; beyond so many of them, the file itself.
        if who is not None and len(self.scan.emitters) < MOST_EMITTERS:
            values = (who,) if isinstance(who, str) else who
            said = {name: value for name, value in zip(kind.fields, values, strict=True) if value}
            return self._new_emitter(kind.emitters, who, said, place, when)
        headless = self._kinds.headless
        return headless.get(None) or self._new_emitter(headless, None, {}, place, when)

    def _new_emitter(
        self, among: dict[Who, Emitter], who: Who, said: dict[str, str], place: Place, when: str
    ) -> Emitter:
        found = Emitter(len(self.scan.emitters), place.file, said, first=place.line, began=when, when=when)
        self.scan.emitters.append(found)
        among[who] = found
        return found


def _taken(sorting: Sorting, line: int) -> Taken:
    kind, text = sorting.kind(line), sorting.lines.text(line)
    return kind, text, kind.match(text)


def _write_times(sorting: Sorting, taken: Mapping[int, Taken]) -> None:
    """Write down the times in the heads of these lines, beside the others'."""
    crowds, starts = sorting.crowds, sorting.lines.starts
    for line, (kind, text, head) in taken.items():
        if head is not None and kind.time and crowds.of[line] == NOBODY:
            when = head[kind.time]
            crowds.times[line] = starts[line] + len(text[: head.start(kind.time)].encode("utf-8", "surrogatepass"))
            crowds.lengths[line] = len(when.encode("utf-8", "surrogatepass"))
            crowds.minutes[line] = minute_of(when)
