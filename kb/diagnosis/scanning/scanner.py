"""The pass itself: every line once, in the order of the files."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from kb.diagnosis.parsing.clocks import seconds, written_in, year_of
from kb.diagnosis.parsing.masking import collapsed
from kb.diagnosis.parsing.stages import SERVE
from kb.diagnosis.parsing.steps import Plan, iteration, step
from kb.diagnosis.reading.blocks import LONGEST
from kb.diagnosis.scanning.blocks import CONTINUES, take
from kb.diagnosis.scanning.hearing import hear
from kb.diagnosis.scanning.kinds import BODY, SOUNDED, Kind, Kinds, Who
from kb.diagnosis.scanning.records import (
    Block,
    Emitter,
    Mark,
    Occurrence,
    Place,
    Scan,
    Silence,
    Told,
)

SHOWN = 600
PER_TEMPLATE, IN_ALL, FIRST = 4_000, 120_000, 2
MOST_EMITTERS, MOST_TOLD, MOST_TEXTS = 50_000, 1_000_000, 40_000
TAIL = 12
# Of a time as written, what stands before its seconds: silence is looked for minute by minute.
MINUTE = 16
SILENCE, ANOTHER_CLOCK = 120.0, 30 * 86_400.0


class Scanner:
    """Feeds blocks of lines into what is kept of them."""

    def __init__(self) -> None:
        self.scan = Scan()
        self._kinds = Kinds()
        self._kept = 0
        self._line = 0
        self._when = ""
        self._minute = ""
        self._seconds: float | None = None
        self._year = 2000
        self._iteration = -1
        self._undated: list[Occurrence] = []
        self._lines: Sequence[str] = ()
        self._base = 0
        self._previous = ""
        self._tail: deque[tuple[int, str]] = deque(maxlen=TAIL)

    def file(self, name: str, blocks: Iterable[str], progress: Callable[[int], None] | None = None) -> None:
        """Read a file's blocks of lines. `progress` is told how many lines were read, after each block."""
        number = len(self.scan.names)
        self.scan.names.append(name)
        self._line, self._when, self._minute, self._seconds, self._iteration = 0, "", "", None, -1
        for emitters in self._kinds.emitters.values():
            emitters.clear()
        self._undated.clear()
        self._tail.clear()
        try:
            for block in blocks:
                self._block(number, block)
                if progress is not None:
                    progress(self._line)
        finally:
            self.scan.lines.append(self._line)
            self.scan.tails.append(tuple(self._tail))
            self.scan.ends.append(self._when)

    def done(self) -> Scan:
        """All that was kept."""
        self.scan.templates = self._kinds.templates
        emitters = self.scan.emitters
        for emitter in emitters:
            emitter.block = None
        for template in self.scan.templates:
            for number, count in template.counts.items():
                emitters[number].lines += count
        return self.scan

    def _block(self, file: int, block: str) -> None:
        """Every line that is new in kind, that stands out or that may go on with an open block is looked at; of the
        others it is only counted who wrote them. This loop is what the speed of the whole pass hangs on.
        """
        lines = block.split("\n")
        keys = collapsed(block).split("\n")
        known, emitter_of, look, step_of = self._kinds.by_key, self._emitter_of, self._look, self._step
        number, self._lines, self._base = self._line, lines, self._line + 1
        for key, line in zip(keys, lines, strict=True):
            number += 1
            kind = known.get(key) or self._learnt(key, line)
            if kind is None:
                continue
            self._line = number
            head = kind.match(line)
            emitter = emitter_of(file, kind, head)
            template = kind.template
            template.count = count = template.count + 1
            counts = template.counts
            counts[emitter.id] = counts.get(emitter.id, 0) + 1
            if count > FIRST and kind.is_quiet and emitter.block is None:
                if kind.plan is not None and head is not None:
                    step_of(file, kind.plan, emitter, line, head)
            else:
                look(file, kind, emitter, line, head)
        self._line = number
        self._previous = lines[-1]
        first = number - min(TAIL, len(lines)) + 1
        self._tail.extend((first + place, line[:SHOWN]) for place, line in enumerate(lines[-TAIL:]) if line)

    def _learnt(self, key: str, line: str) -> Kind | None:
        if not key or key.isspace():
            return None
        if len(line) > LONGEST:
            line = line[:LONGEST]
            key = collapsed(line)
        return self._kinds.by_key.get(key) or self._kinds.learn(key, line)

    def _emitter_of(self, file: int, kind: Kind, head: re.Match[str] | None) -> Emitter:
        """Who wrote the line. Remembers the time that its heads tell."""
        if head is None:
            return self._file_itself(file)
        if kind.time:
            self._when = when = head[kind.time]
            if when[:MINUTE] != self._minute:
                self._minute = when[:MINUTE]
                self._tick(file, when)
        who = head.group(*kind.identity) if kind.identity else None
        return kind.emitters.get(who) or self._emitter(file, kind, who)

    def _file_itself(self, file: int) -> Emitter:
        """Who writes lines without a head that says so: all of a file's together."""
        headless = self._kinds.emitters.setdefault((), {})
        return headless.get(None) or self._new_emitter(file, headless, None, {})

    def _tick(self, file: int, when: str) -> None:
        for occurrence in self._undated:
            occurrence.until = when
        self._undated.clear()
        self._year = year_of(when) or self._year
        now = seconds(when, self._year)
        if now is not None and self._seconds is not None and SILENCE <= now - self._seconds <= ANOTHER_CLOCK:
            place = self._line - 1 - self._base
            before = self._lines[place] if place >= 0 else self._previous
            self.scan.silences.append(Silence(Place(file, self._line), when, now - self._seconds, before[:SHOWN]))
        if now is not None:
            self._seconds = now

    def _emitter(self, file: int, kind: Kind, who: Who) -> Emitter:
        """A process that was not heard of before; beyond so many of them, the file itself."""
        if who is None or len(self.scan.emitters) >= MOST_EMITTERS:
            return self._file_itself(file)
        values = (who,) if isinstance(who, str) else who
        said = {name: value for name, value in zip(kind.fields, values, strict=True) if value}
        return self._new_emitter(file, kind.emitters, who, said)

    def _new_emitter(self, file: int, among: dict[Who, Emitter], who: Who, said: dict[str, str]) -> Emitter:
        found = Emitter(len(self.scan.emitters), file, said, first=self._line, began=self._when, when=self._when)
        self.scan.emitters.append(found)
        among[who] = found
        return found

    def _look(self, file: int, kind: Kind, emitter: Emitter, line: str, head: re.Match[str] | None) -> None:
        """All that may be in a line that is not plain, that is the first of its kind, or that follows an open block."""
        emitter.when = self._when
        template = kind.template
        if kind.plan is not None and head is not None:
            self._step(file, kind.plan, emitter, line, head)
        body = line[_body_at(kind, head) :]
        if kind.stage:
            self._mark(file, kind.stage)
        if kind.watched:
            hear(self.scan, kind.watched, body[:SOUNDED], emitter, Place(file, self._line), self._when)
        block = take(emitter, kind.part, self._line, body, is_notable=kind.opens)
        is_code = block is not None and block.is_traceback and kind.part in CONTINUES
        is_summary = block is not None and block.summary == self._line
        if (template.is_notable and not is_code) or is_summary or template.count <= FIRST:
            self._keep(file, kind, emitter, body, block)

    def _keep(self, file: int, kind: Kind, emitter: Emitter, body: str, block: Block | None = None) -> None:
        template = kind.template
        if len(template.occurrences) >= PER_TEMPLATE or self._kept >= IN_ALL:
            return
        self._kept += 1
        place = Place(file, self._line)
        text = body[:SHOWN]
        until = self._when if kind.time else ""
        said = "" if kind.time else written_in(text)
        found = Occurrence(place, emitter, self._when, text, self._iteration, block, until, said)
        template.occurrences.append(found)
        if not until:
            self._undated.append(found)

    def _mark(self, file: int, stage: str) -> None:
        if stage == SERVE:
            at_work = self.scan.serves.setdefault(file, [])
            at_work[:] = (*at_work[-2:], self._line)
        marks = self.scan.marks
        if not (marks and marks[-1].stage == stage and marks[-1].place.file == file):
            marks.append(Mark(Place(file, self._line), self._when, stage))

    def _step(self, file: int, how: Plan, emitter: Emitter, line: str, head: re.Match[str]) -> None:
        told = iteration(head)
        if told is None:
            return
        if told > emitter.iteration:
            emitter.iteration, emitter.iteration_line = told, self._line
            emitter.steps += 1
            emitter.iteration_when, emitter.iteration_text = self._when, line
        if told > self._iteration:
            turns = self.scan.turns.setdefault(file, [])
            turns[:] = (*turns[-1:], self._line)
        self._iteration = told
        if how.is_done and len(self.scan.told) < MOST_TOLD:
            place = Place(file, self._line)
            self.scan.told.append(Told(place, emitter, self._when, step(head, how)))
            texts = self.scan.texts
            texts[place] = line[head.start(BODY) :][:SHOWN]
            if len(texts) > MOST_TEXTS:
                texts.popitem(last=False)


def _body_at(kind: Kind, head: re.Match[str] | None) -> int:
    """Where the line's own text begins."""
    if head is None:
        return 0
    return head.end() if kind.plan is None else head.start(BODY)
