"""Keys, lines that are equal but for their digits, and what is known of the lines of each: kind and numbers."""

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kb.core.diagnosis.parsing.blocks import Part
from kb.core.diagnosis.parsing.prefixes import Shape
from kb.core.diagnosis.parsing.stages import SERVE
from kb.core.diagnosis.parsing.steps import Plan
from kb.core.diagnosis.scanning.digits import ByDigits
from kb.core.diagnosis.scanning.lines import MOST_KEY_BYTES, MOST_KEYS, DurationSpan, Numbers
from kb.core.diagnosis.scanning.prefixes import Identity
from kb.core.diagnosis.scanning.records import Emitter, Template

BODY = "body"
Match: TypeAlias = Callable[[str], re.Match[str] | None]


@dataclass(eq=False, slots=True)
class Kind:
    """Lines that are equal but for their digits: their prefix, their template, and what to look for in each of them.

    `match` takes the prefix off a line, and what it tells of a step with it. `emitters`: who writes lines with prefixes
    of its `shape`, by what the prefixes say. `is_quiet`: they are counted only, but for the step that they may tell of,
    or the server that they show at work. `opens`: lines that follow may belong to it. `is_glued`: another process wrote
    the rest of the line; all else is of what stands before that.
    """

    match: Match
    shape: Shape
    emitters: dict[Identity, Emitter]
    template: Template
    plan: Plan | None
    watched: list[str]
    stage: str
    part: Part
    is_quiet: bool
    opens: bool
    is_glued: bool = False

    def body_at(self, match: re.Match[str]) -> int:
        """Where the line's own text begins. `match`: what `match` returned of the line."""
        return match.end() if self.plan is None else match.start(BODY)

    def own_text(self, line: str, match: re.Match[str] | None) -> str:
        """What the line says itself, without its prefix."""
        return line if match is None else self.shape.text(line, match, self.body_at(match))


def _table() -> "array[int]":
    """A table of keys by their numbers; before the first stands what goes for a key that is not known."""
    return array("q", [-1])


@dataclass
class Keys:
    """What is known of each key, by its number. `prefixes`, `templates`: their numbers; `steps`: see `ByDigits`.

    `serving`: the keys whose lines show a server at work.
    """

    numbers: dict[bytes, int] = field(default_factory=dict)
    bytes: int = 0
    kinds: list[Kind | None] = field(default_factory=list)
    prefixes: "array[int]" = field(default_factory=_table)
    templates: "array[int]" = field(default_factory=_table)
    steps: "array[int]" = field(default_factory=_table)
    durations: list[DurationSpan | None] = field(default_factory=list)
    serving: list[int] = field(default_factory=list)

    def add(self, key: str, kind: Kind | None, by_digits: ByDigits) -> None:
        """Add a key; without a kind, a blank line's."""
        raw = key.encode("utf-8", "surrogatepass")
        self.numbers[raw] = len(self.kinds)
        if kind is not None and kind.stage == SERVE:
            self.serving.append(len(self.kinds))
        self.bytes += len(raw)
        self.kinds.append(kind)
        self.prefixes.append(by_digits.prefix)
        self.templates.append(-1 if kind is None else kind.template.id)
        self.steps.append(by_digits.step)
        self.durations.append(by_digits.duration)

    @property
    def are_full(self) -> bool:
        """Whether as many are remembered as may be."""
        return len(self.kinds) >= MOST_KEYS or self.bytes >= MOST_KEY_BYTES

    def clear(self) -> None:
        """Forget them all. Who has looked up numbers sees by another mapping that they no longer hold."""
        self.numbers, self.bytes = {}, 0
        self.kinds.clear()
        self.durations.clear()
        self.serving.clear()
        for table in (self.prefixes, self.templates, self.steps):
            del table[1:]

    def tables(self, numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Prefix, template and step of these keys; -1 each for one that is not known. Nothing is copied but these."""
        prefixes, templates, steps = (
            np.frombuffer(table, np.int64)[numbers + 1] for table in (self.prefixes, self.templates, self.steps)
        )
        return prefixes, templates, steps
