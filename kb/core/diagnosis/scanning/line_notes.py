"""What is written down of a line that is looked at by itself: the line, its block, its step, its stage, its claims."""

import re
from typing import NamedTuple

from kb.core.diagnosis.parsing.clocks import written_in
from kb.core.diagnosis.parsing.stages import SERVE
from kb.core.diagnosis.parsing.steps import Plan, iteration, step
from kb.core.diagnosis.scanning.blocks import CONTINUES, take
from kb.core.diagnosis.scanning.claim_notes import hear
from kb.core.diagnosis.scanning.kinds import BODY, SOUNDED, Kind, body_at
from kb.core.diagnosis.scanning.records import Block, Emitter, Mark, Occurrence, Place, Scan, Told
from kb.core.diagnosis.scanning.times import Times
from kb.core.diagnosis.scanning.triage import FIRST

SHOWN = 600
PER_TEMPLATE, IN_ALL = 4_000, 120_000


class Single(NamedTuple):
    """A line that is looked at. `when`: the last time written up to it; `head`: its heads, if it has its kind's."""

    place: Place
    when: str
    kind: Kind
    emitter: Emitter
    text: str
    head: re.Match[str] | None


class Looker:
    """Looks at lines, in their order. `steps`: the iterations that they told, with their lines and emitters.

    `told`: all that they told of steps as done; `kept`: what was kept of the present block; `undated`: lines without a
    time, since the minute last changed.
    """

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._in_all = 0
        self.steps: list[tuple[int, int, int]] = []
        self.told: list[Told] = []
        self.kept: list[Occurrence] = []
        self.undated: list[Occurrence] = []

    def look(self, one: Single) -> None:
        """Count the line. All that may be in it is looked for, unless it is as plain as others before it."""
        template, emitter = one.kind.template, one.emitter
        template.count += 1
        template.counts[emitter.id] = template.counts.get(emitter.id, 0) + 1
        if one.kind.plan is not None and one.head is not None:
            self._step(one, one.kind.plan, one.head)
        if template.count <= FIRST or not one.kind.is_quiet or emitter.block is not None:
            self._look(one)

    def date(self, times: Times, before: int) -> None:
        """Give lines without a time the next one whose minute is another. `before`: lines read before the block."""
        if not times.are_told:
            return
        left = []
        for found in self.undated:
            found.until = times.after(max(found.place.line - before - 1, -1))
            if not found.until:
                left.append(found)
        self.undated[:] = left

    def _look(self, one: Single) -> None:
        kind, emitter, line = one.kind, one.emitter, one.place.line
        emitter.when = one.when
        body = one.text[body_at(kind, one.head) :]
        if kind.stage:
            self._mark(one.place, one.when, kind.stage)
        if kind.watched:
            hear(self._scan, kind.watched, body[:SOUNDED], emitter, one.place, one.when)
        block = take(emitter, kind.part, line, body, is_notable=kind.opens)
        is_code = block is not None and block.is_traceback and kind.part in CONTINUES
        is_summary = block is not None and block.summary == line
        template = kind.template
        if (template.is_notable and not is_code) or is_summary or template.count <= FIRST:
            self._keep(one, body[:SHOWN], block)

    def _keep(self, one: Single, text: str, block: Block | None) -> None:
        template = one.kind.template
        if len(template.occurrences) >= PER_TEMPLATE or self._in_all >= IN_ALL:
            return
        self._in_all += 1
        until = one.when if one.kind.time else ""
        said = "" if one.kind.time else written_in(text)
        found = Occurrence(one.place, one.emitter, one.when, text, -1, block, until, said)
        template.occurrences.append(found)
        self.kept.append(found)
        if not until:
            self.undated.append(found)

    def _mark(self, place: Place, when: str, stage: str) -> None:
        if stage == SERVE:
            at_work = self._scan.serves.setdefault(place.file, [])
            at_work[:] = (*at_work[-2:], place.line)
        marks = self._scan.marks
        if not (marks and marks[-1].stage == stage and marks[-1].place.file == place.file):
            marks.append(Mark(place, when, stage))

    def _step(self, one: Single, how: Plan, head: re.Match[str]) -> None:
        told = iteration(head)
        if told is None:
            return
        self.steps.append((one.place.line, told, one.emitter.id))
        if how.is_done:
            text = one.text[head.start(BODY) :][:SHOWN]
            self.told.append(Told(one.place, one.emitter, one.when, step(head, how), text))
