"""What is learnt of a kind of line when it is first seen, so that its other lines cost next to nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kb.core.diagnosis.parsing.alarms import GENERIC, severity
from kb.core.diagnosis.parsing.blocks import Part, part, unfolded
from kb.core.diagnosis.parsing.masking import RUN, codes_of, collapsed, masked
from kb.core.diagnosis.parsing.mining import Miner
from kb.core.diagnosis.parsing.prefixes import Level, ParsedPrefix, Shape, glued, parse_prefix
from kb.core.diagnosis.parsing.stack import NAMELESS, Named, is_of_the_trade, named
from kb.core.diagnosis.parsing.stages import SERVE, first_of
from kb.core.diagnosis.parsing.steps import Plan, plan
from kb.core.diagnosis.scanning.digits import NO_STEP, ByDigits, is_apart, is_within_number, step_by_digits
from kb.core.diagnosis.scanning.keys import BODY, Keys, Kind, Match
from kb.core.diagnosis.scanning.lines import MOST_KEYS, DurationSpan
from kb.core.diagnosis.scanning.prefixes import MOST_RUNS, Identity, Prefix
from kb.core.diagnosis.scanning.records import Emitter, Template
from kb.core.diagnosis.scanning.sweep import Matches, sweep
from kb.core.diagnosis.signals.catalogue import catalogue

MOST_TEMPLATES, MOST_PREFIXES = 40_000, 20_000
# A pattern is compiled for each.
MOST_RECORD_SHAPES = 200
# Of a line's own text, so much is searched for signals, and for anything else.
LOOKED_AT, SOUNDED = 4096, 800
# Lines whose keys are longer than this are seldom met again.
LONGEST_KEY = 1_000
# In a log of more kinds than this, words with digits in them are taken for names of requests and the like.
FEW_KEYS = 2_000
IDS = re.compile(r"\b(?=[\w-]*[a-zA-Z])(?=[\w-]*0)[\w-]{8,}\b")


@dataclass
class Kinds:
    """All kinds seen so far. `stack`: the frameworks that they name, by slug."""

    templates: list[Template] = field(default_factory=list)
    keys: Keys = field(default_factory=Keys)
    emitters: dict[tuple[str, ...], dict[Identity, Emitter]] = field(default_factory=dict)
    unprefixed: dict[Identity, Emitter] = field(default_factory=dict)
    prefixes: list[Prefix] = field(default_factory=list)
    stack: dict[str, Named] = field(default_factory=dict)
    is_of_the_trade: bool = False
    _by_prefix: dict[tuple[tuple[str, ...], str], int] = field(default_factory=dict)
    _by_codes: dict[tuple[str, tuple[str, ...]], Kind] = field(default_factory=dict)
    _by_coarse: dict[str, Kind] = field(default_factory=dict)
    _miner: Miner = field(default_factory=Miner)
    _by_mask: dict[tuple[tuple[str, ...], str], Kind] = field(default_factory=dict)
    _record_shapes: set[tuple[str, ...]] = field(default_factory=set)
    _by_text: dict[tuple[object, int, tuple[str, ...]], Template] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.emitters[()] = self.unprefixed

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
        prefix = parse_prefix(line, with_records=len(self._record_shapes) < MOST_RECORD_SHAPES)
        if prefix.shape.has_records:
            self._record_shapes.add(prefix.shape.parts)
        pieces = glued(line, prefix.body)
        if pieces:
            kind = replace(self._kind(parse_prefix(pieces[0])), is_quiet=False, is_glued=True)
        else:
            kind = self._kind(prefix)
        if not codes:
            self.keys.add(key, kind, self._by_digits(kind, prefix.shape, line))
            if coarse and len(self._by_coarse) < MOST_KEYS and len(coarse) <= LONGEST_KEY:
                self._by_coarse[coarse] = kind
        elif len(self._by_codes) < MOST_KEYS and len(key) <= LONGEST_KEY:
            self._by_codes[key, codes] = kind
        return kind

    def _kind(self, prefix: ParsedPrefix) -> Kind:
        """The kind of lines with this prefix and own text."""
        text = prefix.text
        body = unfolded(text)
        mask = masked(body)
        key = (prefix.shape.parts, f"{prefix.level}{body[:1].isspace()}{mask}")
        kind = self._by_mask.get(key)
        if kind is not None and (kind.plan is None or body is not text):
            return kind
        steps, match = _reader(prefix) if body is text else (None, prefix.shape.pattern.match)
        if kind is not None:
            # Lines of one kind may lay out their numbers differently.
            return replace(kind, plan=steps, match=match)
        kind = self._new(prefix, body, mask, steps, match)
        if len(self._by_mask) < MOST_TEMPLATES:
            self._by_mask[key] = kind
        return kind

    def _new(self, prefix: ParsedPrefix, body: str, mask: str, steps: Plan | None, match: Match) -> Kind:
        block_part = part(body)
        matches = sweep().search(body[:SOUNDED])
        is_frame = block_part in (Part.FRAME, Part.CHAIN)
        template = self._template(prefix, body, mask, matches, is_frame=is_frame)
        self._note_stack(body[:SOUNDED])
        stage = ""
        if block_part in (Part.NONE, Part.EXCEPTION, Part.INDENTED) and template.alarm < GENERIC:
            stage = first_of(matches.stages)
        shape = prefix.shape
        return Kind(
            match=match,
            shape=shape,
            emitters=self.emitters.setdefault(shape.fields, {}),
            template=template,
            plan=steps,
            watched=matches.claims,
            stage=stage,
            part=block_part,
            is_quiet=_is_quiet(matches.claims, stage, template, block_part),
            opens=template.alarm >= GENERIC or template.is_known,
        )

    def _note_stack(self, text: str) -> None:
        """Which frameworks the text names, and whether it speaks of their trade at all."""
        for framework in named(text):
            if not self.stack.get(framework.slug, NAMELESS).version:
                self.stack[framework.slug] = framework
        self.is_of_the_trade = self.is_of_the_trade or bool(self.stack) or is_of_the_trade(text)

    def _template(self, prefix: ParsedPrefix, body: str, mask: str, matches: Matches, *, is_frame: bool) -> Template:
        signals = () if is_frame else catalogue().match(body[:LOOKED_AT])
        level = prefix.level
        # A collector logs all that a process prints at one level, the exception that it dies of too.
        if level == Level.INFO and prefix.shape.has_records and "exception" in matches.alarms:
            level = Level.UNKNOWN
        # What is indented goes on with something: the level that it was logged with says nothing of it.
        sounded_level = Level.UNKNOWN if body[:1].isspace() else level
        alarm = 0.0 if is_frame or not mask else severity(matches.alarms, sounded_level)
        # What stands out is told apart to the letter; the rest by its likeness.
        group: object = mask if alarm or signals else self._miner.group(mask)
        key = (group, int(level), tuple(signal.code for signal in signals))
        if key not in self._by_text and len(self.templates) >= MOST_TEMPLATES and not signals:
            key = (None, int(level), ())
        if key not in self._by_text:
            template = Template(len(self.templates), mask, level, alarm, signals, is_frame)
            self.templates.append(template)
            self._by_text[key] = template
        return self._by_text[key]

    def _by_digits(self, kind: Kind, shape: Shape, line: str) -> ByDigits:
        """What to read off other lines of this key, if no more than that and their digits need to be known of them."""
        if not kind.is_quiet:
            return ByDigits()
        prefix, match = shape.pattern.match(line), kind.match(line)
        if prefix is None or match is None or prefix.end() != kind.body_at(match):
            return ByDigits()
        reach = shape.reach(prefix)
        text, step, duration = line[:reach], NO_STEP, None
        runs = len(RUN.findall(text))
        if not text.isascii() or is_within_number(line, reach) or runs > MOST_RUNS:
            return ByDigits()
        if kind.plan is not None:
            step = step_by_digits(kind.plan, match, line)
            if step == NO_STEP:
                return ByDigits()
            if kind.plan.is_done and "seconds" in kind.plan.pattern.groupindex:
                start, end = match.span("seconds")
                duration = DurationSpan.at(line, (start, end), kind.plan.unit) if is_apart(line, start, end) else None
                if duration is None:
                    return ByDigits()
        key = (shape.parts, collapsed(text))
        if key not in self._by_prefix:
            if len(self.prefixes) >= MOST_PREFIXES:
                return ByDigits()
            self._by_prefix[key] = len(self.prefixes)
            self.prefixes.append(Prefix(shape, kind.emitters, self.unprefixed, key[1], runs))
        return ByDigits(self._by_prefix[key], step, duration)


def _is_quiet(claims: Sequence[str], stage: str, template: Template, block_part: Part) -> bool:
    """Whether lines of the kind may be counted only."""
    tells = claims or stage not in ("", SERVE) or template.is_notable
    return not (tells or block_part in (Part.OPENING, Part.STACK))


def _reader(prefix: ParsedPrefix) -> tuple[Plan | None, Match]:
    """How to read a step off such lines, and what takes it off with the prefix, or the prefix alone."""
    pattern = prefix.shape.pattern
    steps = plan(prefix.line[prefix.body :][:LOOKED_AT])
    if steps is not None:
        return steps, re.compile(f"{pattern.pattern}(?P<{BODY}>){steps.pattern.pattern}").match
    steps = plan(prefix.line[:LOOKED_AT]) if prefix.shape.may_tell_step else None
    if steps is None:
        return None, pattern.match
    return steps, re.compile(f"(?={pattern.pattern}(?P<{BODY}>)){steps.pattern.pattern}").match
