"""What is written down of a line that is looked at by itself: the line, its block, its step, its stage, its claims."""

import re
from typing import NamedTuple

import numpy as np

from kb.core.diagnosis.parsing.blocks import Part
from kb.core.diagnosis.parsing.clocks import written_in
from kb.core.diagnosis.parsing.stages import SERVE
from kb.core.diagnosis.parsing.steps import Plan, iteration, step
from kb.core.diagnosis.scanning.blocks import Block
from kb.core.diagnosis.scanning.claims import record_claims
from kb.core.diagnosis.scanning.keys import BODY, Kind
from kb.core.diagnosis.scanning.kinds import SOUNDED
from kb.core.diagnosis.scanning.lines import Numbers, Times
from kb.core.diagnosis.scanning.records import Emitter, Mark, Occurrence, Place, Scan, StepLine
from kb.core.diagnosis.scanning.triage import FIRST

SHOWN, SHOWN_IN_BLOCK = 600, 300
PER_TEMPLATE, IN_ALL = 4_000, 120_000
MOST_AT_WORK = 3
TRACEBACK = "Traceback (most recent call last)"
CONTINUES = frozenset({Part.FRAME, Part.INDENTED})
MOST_STRAYS = 8


class SingleLine(NamedTuple):
    """A line that is looked at. `when`: the last time up to it; `match`: its prefix and step, as its kind has them."""

    place: Place
    when: str
    kind: Kind
    emitter: Emitter
    text: str
    match: re.Match[str] | None


class Recorder:
    """Records lines, in their order.

    Of the present block, `iterations`: those reported, with their lines and the ids of their emitters; `steps`: those
    reported as completed; `stages`: those begun, with their lines; `kept`: the lines that are kept. `undated`: lines
    without a time, since the minute last changed.
    """

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._in_all = 0
        self._opener: SingleLine | None = None
        self.iterations: list[tuple[int, int, int]] = []
        self.steps: list[StepLine] = []
        self.kept: list[Occurrence] = []
        self.stages: list[tuple[int, str]] = []
        self.undated: list[Occurrence] = []

    def begin_block(self) -> None:
        """Forget what was collected of the block before."""
        self.iterations.clear()
        self.steps.clear()
        self.kept.clear()
        self.stages.clear()

    def record(self, line: SingleLine) -> None:
        """Count the line. All that may be in it is looked for, unless it is as plain as others before it."""
        kind, emitter, template = line.kind, line.emitter, line.kind.template
        template.add(emitter.id, 1)
        emitter.dated += bool(kind.shape.time)
        if kind.plan is not None and line.match is not None:
            self._record_step(line, kind.plan, line.match)
        if kind.stage:
            self.stages.append((line.place.line, kind.stage))
        if template.count > FIRST and kind.is_quiet and emitter.block is None:
            return
        emitter.when = line.when
        body = kind.own_text(line.text, line.match)
        if kind.watched:
            record_claims(self._scan, kind.watched, body[:SOUNDED], emitter, line.place, line.when)
        block = _add_to_block(line, body[:SHOWN_IN_BLOCK], self._opener_before(line))
        if emitter.fields and kind.opens:
            self._opener = line
        is_code = block is not None and block.is_traceback and kind.part in CONTINUES
        is_summary = block is not None and block.summary == line.place.line
        if block is not None and block.is_open and is_code:
            return
        if (template.is_notable and not is_code) or is_summary or template.count <= FIRST:
            self._keep(line, body[:SHOWN], block)

    def date(self, times: Times, before: int) -> None:
        """Give lines without a time the next one whose minute is another. `before`: lines read before the block."""
        if not times.has_any:
            return
        for occurrence in self.undated:
            occurrence.written_by = times.after(max(occurrence.place.line - before - 1, -1))
        self.undated[:] = [occurrence for occurrence in self.undated if not occurrence.written_by]

    def _keep(self, line: SingleLine, text: str, block: Block | None) -> None:
        occurrences = line.kind.template.occurrences
        if len(occurrences) >= PER_TEMPLATE or self._in_all >= IN_ALL:
            return
        self._in_all += 1
        emitter = block.writer if block is not None and block.writer is not None else line.emitter
        occurrence = Occurrence(line.place, emitter, line.when, text, -1, block)
        if line.kind.shape.time:
            occurrence.written_by = line.when
        else:
            occurrence.own_time = written_in(text)
        occurrences.append(occurrence)
        self.kept.append(occurrence)
        if not occurrence.written_by:
            self.undated.append(occurrence)

    def _opener_before(self, line: SingleLine) -> Emitter | None:
        """Who wrote the line before, where that announces what this one, without a prefix, begins."""
        opener = self._opener
        if opener is None or line.emitter.fields or opener.place != (line.place.file, line.place.line - 1):
            return None
        is_announced = line.kind.part is Part.OPENING or (line.kind.part is Part.FRAME and TRACEBACK in opener.text)
        return opener.emitter if is_announced else None

    def record_stages(self, serving: Numbers, times: Times, before: Place) -> None:
        """Note which stages the block begins. `serving`: lines not looked at that show a server at work.

        `before`: the line before the block.
        """
        looked_at = {line - before.line - 1 for line, stage in self.stages if stage == SERVE}
        # Not `np.union1d`, nor `np.unique` below: they load masked arrays, which takes longer than a small log.
        at_work = np.sort(np.concatenate((serving, np.array(list(looked_at), np.int64))))
        others = [(line - before.line - 1, stage) for line, stage in self.stages if stage != SERVE]
        # Of a server's lines, the first after another stage begins one; the last few tell how long it went on.
        edges = np.searchsorted(at_work, [-1, *(line for line, _ in others)], "right")
        firsts = set(at_work[edges[edges < len(at_work)]].tolist())
        marks = self._scan.marks
        for line, stage in sorted([*others, *((line, SERVE) for line in firsts)]):
            if not marks or marks[-1].stage != stage or marks[-1].place.file != before.file:
                marks.append(Mark(Place(before.file, before.line + line + 1), times.at(line), stage))
        if len(at_work):
            latest = self._scan.serving_lines.setdefault(before.file, [])
            latest[:] = [*latest, *(before.line + line + 1 for line in at_work[-MOST_AT_WORK:].tolist())][
                -MOST_AT_WORK:
            ]

    def _record_step(self, line: SingleLine, plan: Plan, match: re.Match[str]) -> None:
        number = iteration(match, plan)
        if number is None:
            return
        self.iterations.append((line.place.line, number, line.emitter.id))
        if plan.is_done:
            text = line.text[match.start(BODY) :][:SHOWN]
            self.steps.append(StepLine(line.place, line.emitter, line.when, step(match, plan), text))


def _add_to_block(line: SingleLine, text: str, opener: Emitter | None) -> Block | None:
    """The block that the line is part of, a new one or its emitter's last one; none when it stands alone.

    `opener`: who announced it.
    """
    emitter, part, number = line.emitter, line.kind.part, line.place.line
    block = emitter.block
    if block is not None and not block.continues_with(part):
        # Others may write between a traceback's lines.
        if block.is_open and part is Part.NONE and block.strays < MOST_STRAYS:
            block.strays += 1
            return None
        block = emitter.block = None
    if block is not None:
        block.add(part, number, text)
    elif part in (Part.OPENING, Part.STACK) or line.kind.opens or opener is not None:
        is_traceback = part in (Part.OPENING, Part.STACK) or opener is not None
        block = emitter.block = Block(is_traceback, summary=0 if opener is not None else number, writer=opener)
        block.add(part, number, text)
    return block
