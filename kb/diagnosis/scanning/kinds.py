"""What is learnt of a kind of line when it is first seen, so that its other lines cost next to nothing."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kb.diagnosis.parsing.alarms import GENERIC, judged
from kb.diagnosis.parsing.blocks import Part, part, unfolded
from kb.diagnosis.parsing.headers import Headed, Level, Shape, headed
from kb.diagnosis.parsing.masking import codes_of, masked
from kb.diagnosis.parsing.mining import Miner
from kb.diagnosis.parsing.stages import first_of
from kb.diagnosis.parsing.steps import Plan, plan
from kb.diagnosis.scanning.records import Emitter, Template
from kb.diagnosis.scanning.sweeping import Swept, sweeping
from kb.diagnosis.signals.catalogue import catalogue

MOST_KEYS = 100_000
MOST_TEMPLATES = 40_000
# Of a line's own text, so much is searched for signals, and for anything else.
LOOKED_AT, SOUNDED = 4096, 800
# In a log of more kinds than this, words with digits in them are taken for names of requests and the like.
FEW_KEYS = 2_000
IDS = re.compile(r"\b(?=[\w-]*[a-zA-Z])(?=[\w-]*0)[\w-]{8,}\b")
BODY = "body"
# What a line's heads say of who wrote it: one value, several in the order of the fields, or nothing.
Who: TypeAlias = str | tuple[str | None, ...] | None


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
class Kinds:
    """All kinds seen so far."""

    templates: list[Template] = field(default_factory=list)
    by_key: dict[str, Kind] = field(default_factory=dict)
    emitters: dict[tuple[str, ...], dict[Who, Emitter]] = field(default_factory=dict)
    _by_codes: dict[tuple[str, tuple[str, ...]], Kind] = field(default_factory=dict)
    _by_coarse: dict[str, Kind] = field(default_factory=dict)
    _miner: Miner = field(default_factory=Miner)
    _by_mask: dict[tuple[tuple[str, ...], str], Kind] = field(default_factory=dict)
    _by_text: dict[tuple[object, int, tuple[str, ...]], Template] = field(default_factory=dict)

    def learn(self, key: str, line: str) -> Kind:
        """Take a line apart that is of a new key, or that has codes, whose digits tell its kind."""
        coarse = IDS.sub("<id>", key) if len(self.by_key) > FEW_KEYS else ""
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
        if len(self.by_key) >= MOST_KEYS:
            self.by_key.clear()
        if not codes:
            self.by_key[key] = kind
            if coarse and len(self._by_coarse) < MOST_KEYS:
                self._by_coarse[coarse] = kind
        elif len(self._by_codes) < MOST_KEYS:
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
