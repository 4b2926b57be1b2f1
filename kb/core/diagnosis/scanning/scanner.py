"""The pass itself: every line once, in the order of the files, block by block."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from kb.core.diagnosis.parsing.clocks import seconds, year_of
from kb.core.diagnosis.parsing.masking import collapsed
from kb.core.diagnosis.parsing.prefixes import glued
from kb.core.diagnosis.scanning.keys import Kind
from kb.core.diagnosis.scanning.kinds import Kinds
from kb.core.diagnosis.scanning.lines import Lines, Times, minute_length
from kb.core.diagnosis.scanning.prefixes import NOBODY
from kb.core.diagnosis.scanning.recorder import SHOWN, Recorder, SingleLine
from kb.core.diagnosis.scanning.records import Emitter, Place, Scan, Silence
from kb.core.diagnosis.scanning.steps import IterationLog, Iterations, StepSeries
from kb.core.diagnosis.scanning.triage import Triage

MOST_EMITTERS = 50_000
TAIL = 12
SILENCE, ANOTHER_CLOCK = 120.0, 30 * 86_400.0


@dataclass
class Cursor:
    """How far the pass has come in a file: its number and the lines read.

    Of what was read, the last time with its line and minute, the last iteration, whether any line told its iteration,
    the year that times are taken to be of, and the last line.
    """

    file: int
    lines: int = 0
    when: str = ""
    dated: int = 0
    minute: str = ""
    iteration: int = -1
    is_numbered: bool = False
    year: int = 2000
    previous: str = ""
    tail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=TAIL))

    def place(self, line: int) -> Place:
        """The place of a line of the present block, counted from 0."""
        return Place(self.file, self.lines + line + 1)


class Parsed(NamedTuple):
    """A line that is looked at, taken apart. `match`: its prefix and step, where it has its kind's."""

    kind: Kind
    text: str
    match: re.Match[str] | None


class Scanner:
    """Feeds blocks of lines into what is kept of them."""

    def __init__(self) -> None:
        self.scan = Scan()
        self._kinds = Kinds()
        self._recorder = Recorder(self.scan)
        self._series = StepSeries(self.scan)
        self._cursor = Cursor(0)

    def open(self, name: str) -> None:
        """From here on, blocks are of this file."""
        self._close()
        self._cursor = Cursor(len(self.scan.names))
        self.scan.names.append(name)
        for emitters in self._kinds.emitters.values():
            emitters.clear()
        self._recorder.undated.clear()

    def _close(self) -> None:
        """Note where the file ends that is open."""
        if len(self.scan.lines) < len(self.scan.names):
            self.scan.lines.append(self._cursor.lines)
            self.scan.tails.append(tuple(self._cursor.tail))
            self.scan.last_times.append(self._cursor.when)
            self.scan.last_dated.append(self._cursor.dated)

    def done(self) -> Scan:
        """All that was kept."""
        self._close()
        self.scan.templates = self._kinds.templates
        self.scan.stack, self.scan.is_of_the_trade = self._kinds.stack, self._kinds.is_of_the_trade
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
        cursor = self._cursor
        triage = Triage(lines, self._kinds, cursor.file)
        parsed = {line: _parse(triage, line) for line in triage.singles}
        _note_times(triage, parsed)
        times = Times(lines, triage.writers.times, cursor.when, cursor.minute)
        self._note_silences(lines, times)
        self._recorder.begin_block()
        self._record_singles(triage, parsed, times)
        triage.count()
        self._recorder.record_stages(triage.serving(), times, Place(cursor.file, cursor.lines))
        self._note_steps(triage, times)
        cursor.minute, cursor.when = times.minute, times.at(len(lines) - 1)
        cursor.dated = self._last_dated(times, len(lines) - 1)
        for line in np.flatnonzero(lines.ends > lines.starts)[-TAIL:].tolist():
            cursor.tail.append((cursor.lines + line + 1, lines.text(line)[:SHOWN]))
        cursor.previous = lines.text(len(lines) - 1)
        cursor.lines += len(lines)

    def _note_silences(self, lines: Lines, times: Times) -> None:
        """Where nothing was written for long, by the times of the lines before and after."""
        cursor = self._cursor
        for line in times.ticks.tolist():
            before, when = times.at(line - 1), times.at(line)
            cursor.year = year_of(when) or cursor.year
            then = seconds(before, cursor.year) if before else None
            now = seconds(when, cursor.year) if when else None
            if then is not None and now is not None and SILENCE <= now - then <= ANOTHER_CLOCK:
                text = lines.text(line - 1) if line else cursor.previous
                since = self._last_dated(times, line - 1)
                self.scan.silences.append(Silence(cursor.place(line), when, now - then, text[:SHOWN], since))

    def _last_dated(self, times: Times, line: int) -> int:
        """The number of the last line with a time, up to this line of the block."""
        dated = times.dated(line)
        return self._cursor.dated if dated < 0 else self._cursor.lines + dated + 1

    def _record_singles(self, triage: Triage, parsed: dict[int, Parsed], times: Times) -> None:
        """Look at the lines that are not only counted. Lines that follow an open block join them as they are found."""
        queue = list(triage.singles)
        while queue:
            line = heappop(queue)
            single = parsed.get(line) or _parse(triage, line)
            place, when = self._cursor.place(line), times.at(line)
            for piece in self._pieces(single):
                emitter = self._emitter_of(piece, place, when)
                if piece is single:
                    triage.identify(line, emitter)
                self._recorder.record(SingleLine(place, when, piece.kind, emitter, piece.text, piece.match))
                following = triage.set_apart_next(emitter, line) if emitter.block is not None else None
                if following is not None:
                    heappush(queue, following)

    def _pieces(self, line: Parsed) -> Iterator[Parsed]:
        """The line, or what each of the processes wrote that wrote into it."""
        pieces: list[str] = []
        if line.kind.is_glued:
            pieces = glued(line.text, line.match.end() if line.match is not None else 0)
        # Lines of one kind differ in digits, and with other digits it may be one process's after all.
        if not pieces:
            yield line
            return
        first, *others = pieces
        yield line._replace(text=first)
        for text in others:
            key = collapsed(text)
            kind = self._kinds.known(key) or self._kinds.learn(key, text)
            yield Parsed(kind, text, kind.match(text))

    def _note_steps(self, triage: Triage, times: Times) -> None:
        """How far the run has come, by all lines of the block that tell it."""
        cursor, recorder, lines = self._cursor, self._recorder, triage.lines
        columns = np.array(recorder.iterations, np.int64).reshape(-1, 3)
        singles = Iterations(columns[:, 0] - cursor.lines - 1, columns[:, 1], columns[:, 2])
        counted = triage.iterations()
        iterations = IterationLog((singles, counted), cursor.iteration, self.scan.emitters, cursor.is_numbered)
        cursor.is_numbered = iterations.is_numbered
        iterations.update(self.scan.emitters, lines, times, cursor.lines)
        for occurrence in recorder.kept:
            occurrence.iteration = iterations.latest(occurrence.place.line - cursor.lines - 1)
        advances = [cursor.lines + line + 1 for line in iterations.advances()]
        if advances:
            latest = self.scan.latest_steps.setdefault(cursor.file, [])
            latest[:] = [*latest, *advances][-2:]
        cursor.iteration = iterations.latest(len(lines))
        recorder.date(times, cursor.lines)
        groups = list(triage.completed_steps(counted))
        self._series.add(lines, Place(cursor.file, cursor.lines), recorder.steps, groups, iterations, times)

    def _emitter_of(self, line: Parsed, place: Place, when: str) -> Emitter:
        """The emitter of a line: a process, or the file itself where no prefix says more."""
        kind, shape = line.kind, line.kind.shape
        identity = line.match.group(*shape.identity) if line.match is not None and shape.identity else None
        emitter = kind.emitters.get(identity) if identity is not None else None
        if emitter is not None:
            return emitter
        emitters, fields = kind.emitters, dict[str, str]()
        if identity is None or len(self.scan.emitters) >= MOST_EMITTERS:
            # Beyond so many processes, what a new one writes counts as the file's.
            emitters, identity = self._kinds.unprefixed, None
        else:
            values = (identity,) if isinstance(identity, str) else identity
            fields = {name: value for name, value in zip(shape.fields, values, strict=True) if value}
        if identity not in emitters:
            number, host = len(self.scan.emitters), fields.pop("host", "")
            emitter = Emitter(number, place.file, fields, first=place.line, began=when, when=when)
            if host:
                emitter.is_bare = "node" not in fields
                fields.setdefault("node", host)
            emitters[identity] = emitter
            self.scan.emitters.append(emitter)
        return emitters[identity]


def _parse(triage: Triage, line: int) -> Parsed:
    kind, text = triage.kind(line), triage.lines.text(line)
    return Parsed(kind, text, kind.match(text))


def _note_times(triage: Triage, parsed: dict[int, Parsed]) -> None:
    """Note the times in the prefixes of lines that are looked at, beside the others'."""
    times, starts = triage.writers.times, triage.lines.starts
    for line, (kind, text, match) in parsed.items():
        if match is not None and kind.shape.time and triage.writers.of[line] == NOBODY:
            when = match[kind.shape.time]
            times.starts[line] = starts[line] + len(
                text[: match.start(kind.shape.time)].encode("utf-8", "surrogatepass")
            )
            times.lengths[line] = len(when.encode("utf-8", "surrogatepass"))
            times.minutes[line] = minute_length(when)
