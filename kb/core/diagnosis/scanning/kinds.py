"""What is learnt of a kind of line when it is first seen, so that its other lines cost next to nothing."""

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from kb.core.diagnosis.parsing.alarms import GENERIC, judged
from kb.core.diagnosis.parsing.blocks import Part, part, unfolded
from kb.core.diagnosis.parsing.headers import Headed, Level, Shape, headed
from kb.core.diagnosis.parsing.masking import RUN, codes_of, collapsed, masked
from kb.core.diagnosis.parsing.mining import Miner
from kb.core.diagnosis.parsing.stages import first_of
from kb.core.diagnosis.parsing.steps import Plan, plan
from kb.core.diagnosis.scanning.first_look import Swept, sweeping
from kb.core.diagnosis.scanning.lines import MOST_KEY_BYTES, MOST_KEYS, Numbers
from kb.core.diagnosis.scanning.prefixes import MOST_RUNS, Head, Who
from kb.core.diagnosis.scanning.records import Emitter, Template
from kb.core.diagnosis.scanning.step_durations import Pace, pace
from kb.core.diagnosis.signals.catalogue import catalogue

MOST_TEMPLATES, MOST_HEADS = 40_000, 20_000
# Of a line's own text, so much is searched for signals, and for anything else.
LOOKED_AT, SOUNDED = 4096, 800
# Lines whose keys are longer than this are seldom met again.
LONGEST_KEY = 1_000
# In a log of more kinds than this, words with digits in them are taken for names of requests and the like.
FEW_KEYS = 2_000
IDS = re.compile(r"\b(?=[\w-]*[a-zA-Z])(?=[\w-]*0)[\w-]{8,}\b")
BODY = "body"
# In the tables of keys: lines that are looked at one by one, blank lines, and lines that tell no iteration.
SINGLE, BLANK, NO_STEP = -1, -2, -1


def _table() -> "array[int]":
    """Of keys by their numbers; before the first stands what goes for a key that is not known."""
    return array("q", [-1])


@dataclass(eq=False, slots=True)
class Kind:
    """Lines that are equal but for their digits: their heads, their template, and what to look for in each of them.

    `match` takes the heads off a line, and what it tells of a step with them. `emitters`: who writes lines with such
    heads, by what the heads say. `is_quiet`: they are counted only, but for the step that they may tell of. `opens`:
    lines that follow may belong to it.
    """

    match: Callable[[str], re.Match[str] | None]
    fields: tuple[str, ...]
    identity: tuple[int, ...]
    time: int
    emitters: dict[Who, Emitter]
    template: Template
    plan: Plan | None
    watched: tuple[str, ...]
    stage: str
    part: Part
    is_quiet: bool
    opens: bool


@dataclass
class Keys:
    """What is known of each key, by its number. `heads`: the head that its lines have, if all is known of them by it
    and their digits; `templates`: the ids; `steps`: which of a line's numbers is the iteration.
    """

    numbers: dict[bytes, int] = field(default_factory=dict)
    bytes: int = 0
    kinds: list[Kind | None] = field(default_factory=list)
    heads: "array[int]" = field(default_factory=_table)
    templates: "array[int]" = field(default_factory=_table)
    steps: "array[int]" = field(default_factory=_table)
    paces: list[Pace | None] = field(default_factory=list)

    def add(self, key: str, kind: Kind | None, head: int, step: int, pace: Pace | None = None) -> None:
        """Another key; no kind for a blank line's."""
        written = key.encode("utf-8", "surrogatepass")
        self.numbers[written] = len(self.kinds)
        self.bytes += len(written)
        self.kinds.append(kind)
        self.heads.append(head)
        self.templates.append(-1 if kind is None else kind.template.id)
        self.steps.append(step)
        self.paces.append(pace)

    @property
    def are_full(self) -> bool:
        """Are as many remembered as may be?"""
        return len(self.kinds) >= MOST_KEYS or self.bytes >= MOST_KEY_BYTES

    def clear(self) -> None:
        """Forget them all. Who has looked up numbers sees by another mapping that they no longer hold."""
        self.numbers, self.bytes = {}, 0
        self.kinds.clear()
        self.paces.clear()
        for table in (self.heads, self.templates, self.steps):
            del table[1:]

    def tables(self, numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Head, template and step of these keys; -1 each for one that is not known. Nothing is copied but these."""
        head, template, step = (
            np.frombuffer(table, np.int64)[numbers + 1] for table in (self.heads, self.templates, self.steps)
        )
        return head, template, step


@dataclass
class Kinds:
    """All kinds seen so far."""

    templates: list[Template] = field(default_factory=list)
    keys: Keys = field(default_factory=Keys)
    emitters: dict[tuple[str, ...], dict[Who, Emitter]] = field(default_factory=dict)
    headless: dict[Who, Emitter] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    _by_head: dict[tuple[tuple[str, ...], str], int] = field(default_factory=dict)
    _by_codes: dict[tuple[str, tuple[str, ...]], Kind] = field(default_factory=dict)
    _by_coarse: dict[str, Kind] = field(default_factory=dict)
    _miner: Miner = field(default_factory=Miner)
    _by_mask: dict[tuple[tuple[str, ...], str], Kind] = field(default_factory=dict)
    _by_text: dict[tuple[object, int, tuple[str, ...]], Template] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.emitters[()] = self.headless

    def known(self, key: str) -> Kind | None:
        """The kind of the lines with this key; none if it is new."""
        number = self.keys.numbers.get(key.encode("utf-8", "surrogatepass"))
        return None if number is None else self.keys.kinds[number]

    def learn(self, key: str, line: str) -> Kind:
        """Take a line apart that is of a new key, or that has codes, whose digits tell its kind."""
        coarse = IDS.sub("<id>", key) if len(self.keys.kinds) > FEW_KEYS else ""
        kind = self._by_coarse.get(coarse)
        if kind is not None:
            return kind
        codes = codes_of(line)
        kind = self._by_codes.get((key, codes)) if codes else None
        if kind is not None:
            return kind
        seen = headed(line)
        text = line[seen.body :]
        body = unfolded(text)
        mask = masked(body)
        known = (seen.shape.heads, f"{seen.level}{body[:1].isspace()}{mask}")
        kind = self._by_mask.get(known)
        if kind is not None and kind.plan is not None and body is text:
            kind = self._read_anew(kind, seen.shape, body)
        if kind is None:
            kind = self._new(seen, body, mask, plan(body[:LOOKED_AT]) if body is text else None)
            if len(self._by_mask) < MOST_TEMPLATES:
                self._by_mask[known] = kind
        if not codes:
            self.keys.add(key, kind, *self._by_digits(kind, seen.shape, line))
            if coarse and len(self._by_coarse) < MOST_KEYS and len(coarse) <= LONGEST_KEY:
                self._by_coarse[coarse] = kind
        elif len(self._by_codes) < MOST_KEYS and len(key) <= LONGEST_KEY:
            self._by_codes[key, codes] = kind
        return kind

    def _new(self, seen: Headed, body: str, mask: str, steps: Plan | None) -> Kind:
        place = part(body)
        swept = sweeping().sweep(body[:SOUNDED])
        template = self._template(seen, body, mask, swept, is_frame=place in (Part.FRAME, Part.CHAIN))
        is_stage = place in (Part.NONE, Part.INDENTED) and template.alarm < GENERIC
        stage = first_of(swept.stages) if is_stage else ""
        is_quiet = not (swept.claims or stage or template.is_notable or place is Part.OPENING)
        emitters = self.emitters.setdefault(seen.shape.fields, {})
        match = _reader(seen.shape, steps)
        opens = template.alarm >= GENERIC or template.is_known
        who = (seen.shape.fields, seen.shape.identity, seen.shape.time)
        return Kind(match, *who, emitters, template, steps, swept.claims, stage, place, is_quiet, opens)

    def _by_digits(self, kind: Kind, shape: Shape, line: str) -> tuple[int, int, Pace | None]:
        """The number of the head, which of the line's numbers is the iteration, and where it tells how long that took,
        if no more than that and its digits need to be known of another line with this key.
        """
        alone = (SINGLE, NO_STEP, None)
        if not kind.is_quiet:
            return alone
        found, told = shape.pattern.match(line), kind.match(line)
        if found is None or told is None or found.end() != body_at(kind, told):
            return alone
        text = line[: found.end()]
        runs = len(RUN.findall(text))
        if not text.isascii() or _cuts(line, found.end()) or runs > MOST_RUNS:
            return alone
        step, took = NO_STEP, None
        if kind.plan is not None:
            start, end = told.span("iteration")
            step = len(RUN.findall(line[:start]))
            took = _pace(line, told, kind.plan)
            is_timed = kind.plan.is_done and "seconds" in kind.plan.pattern.groupindex
            if (
                _cuts(line, start)
                or RUN.fullmatch(line[start:end]) is None
                or _cuts(line, end)
                or (is_timed and took is None)
            ):
                return alone
        known = (shape.heads, collapsed(text))
        if known not in self._by_head:
            if len(self.heads) >= MOST_HEADS:
                return alone
            self._by_head[known] = len(self.heads)
            self.heads.append(Head(shape, kind.emitters, self.headless, known[1], runs))
        return self._by_head[known], step, took

    def _read_anew(self, kind: Kind, shape: Shape, body: str) -> Kind:
        """The same kind for lines whose text is laid out differently."""
        steps = plan(body[:LOOKED_AT])
        return replace(kind, plan=steps, match=_reader(shape, steps))

    def _template(self, seen: Headed, body: str, mask: str, swept: Swept, *, is_frame: bool) -> Template:
        signals = () if is_frame else catalogue().match(body[:LOOKED_AT])
        # What is indented goes on with something: the level that it was logged with says nothing of it.
        level = Level.UNKNOWN if body[:1].isspace() else seen.level
        sounds = 0.0 if is_frame or not mask else judged(swept.alarms, level)
        # What stands out is told apart to the letter; the rest by its likeness.
        group: object = mask if sounds or signals else self._miner.group(mask)
        key = (group, int(seen.level), tuple(signal.code for signal in signals))
        found = self._by_text.get(key)
        if found is None:
            if len(self.templates) >= MOST_TEMPLATES and not signals:
                key = (None, int(seen.level), ())
                if key in self._by_text:
                    return self._by_text[key]
            found = Template(len(self.templates), mask, seen.level, sounds, signals, is_frame)
            self.templates.append(found)
            self._by_text[key] = found
        return found


def _reader(shape: Shape, steps: Plan | None) -> Callable[[str], re.Match[str] | None]:
    """Heads and step in one match; the heads alone for lines that tell of no step."""
    if steps is None:
        return shape.pattern.match
    return re.compile(f"{shape.pattern.pattern}(?P<{BODY}>){steps.pattern.pattern}").match


def body_at(kind: Kind, head: re.Match[str] | None) -> int:
    """Where the line's own text begins."""
    if head is None:
        return 0
    return head.end() if kind.plan is None else head.start(BODY)


def _pace(line: str, told: re.Match[str], how: Plan) -> Pace | None:
    """Where lines like this one tell how long a step took."""
    if not how.is_done or "seconds" not in how.pattern.groupindex:
        return None
    start, end = told.span("seconds")
    return None if _cuts(line, start) or _cuts(line, end) else pace(line, (start, end), how.unit)


def _cuts(line: str, place: int) -> bool:
    """Does the place stand within a number?"""
    return RUN.fullmatch(line[max(place - 1, 0) : place + 1]) is not None and 0 < place < len(line)
