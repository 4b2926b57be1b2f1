"""The prefix that launchers, schedulers and loggers put before a line, and how it is taken off, part by part.

A prefix says who wrote the line: node, rank, local rank, GPU, process. Nothing is guessed: a local rank is no rank, and
a rank is no node. What a line says behind its prefix is none of this module's business.
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from kb.core.diagnosis.parsing.hosts import may_be_host
from kb.core.diagnosis.parsing.objects import SYNTAXES, json_record, labels, logfmt_record
from kb.core.diagnosis.parsing.parts import AFTER_TIME, AGAIN, FIRST_ONLY, NEVER_FIRST, PARTS, PATTERNS, TIMES
from kb.core.diagnosis.parsing.vocabulary import Level, level_of

__all__ = ["IDENTITY", "Level", "ParsedPrefix", "Shape", "level_of", "parse_prefix"]

# What says who wrote a line. A `host` is a bare name, which may be something else's.
IDENTITY = frozenset({"node", "host", "pod", "container", "rank", "local", "gpu", "pid", "ip", "actor", "task"})
MOST_PARTS = 8
# A part takes one space with it, so that what is indented stays so; more may stand before the next part.
BETWEEN = " *"
# A head of a rank behind what another one wrote without an end of the line.
GLUED = re.compile(r"(?<!\s)\[(?:rank|default)\d{1,6}\]: ")
MOST_GLUED = 8
FOLD = "\\n"
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Shape:
    """A sequence of parts, and a pattern that takes them off every line that has them, all in one match.

    `identity`, `time`, `trace`: the pattern's groups that hold them; `fields`: the names of who wrote it, in the same
    order. `depth`: how many records the line's own text lies in.
    """

    parts: tuple[str, ...]
    pattern: re.Pattern[str]
    fields: tuple[str, ...]
    identity: tuple[int, ...]
    time: int
    trace: int
    depth: int

    @property
    def has_records(self) -> bool:
        """Whether any part of it is a record."""
        return any(part not in PARTS for part in self.parts)

    @property
    def may_tell_step(self) -> bool:
        """Whether the prefix may tell a step itself."""
        return self.has_records or "bar" in self.parts

    def reach(self, match: re.Match[str]) -> int:
        """Where the last of what a prefix tells ends: behind the line's own text, in a record."""
        return max(match.end(), *(match.end(group) for group in (self.time, self.trace, *self.identity)))

    def text(self, line: str, match: re.Match[str], body: int) -> str:
        """The line's own text, which begins at `body`."""
        if not self.depth:
            return line[body:]
        written = SYNTAXES[self.depth - 1].inner.match(line, body)
        text = "" if written is None else _spoken(written[0], self.depth)
        trace = match[self.trace] if self.trace else None
        if not trace:
            return text
        trace = _spoken(trace, self.depth)
        return f"{text}{FOLD if FOLD in trace else ': '}{trace}" if text else trace


@lru_cache(maxsize=4096)
def shape_of(parts: tuple[str, ...], depth: int = 0) -> Shape:
    """The shape of prefixes of these parts: names in the table, or patterns of records."""
    numbered = [re.sub(r"\?P<(\w+)>", rf"?P<\1_{number}>", PARTS.get(part, part)) for number, part in enumerate(parts)]
    pattern = re.compile(BETWEEN.join(numbered))
    identity: dict[str, int] = {}
    time = trace = 0
    for key, group in pattern.groupindex.items():
        name = key.rpartition("_")[0]
        if name in IDENTITY:
            # PyTorch's own rank, within its group, stands behind the launcher's.
            identity.setdefault(name, group)
        elif name == "time":
            time = time or group
        elif name == "trace":
            trace = group
    return Shape(parts, pattern, tuple(identity), tuple(identity.values()), time, trace, depth)


def _spoken(written: str, depth: int) -> str:
    """What a record's text says: line feeds in it stay written as such, so that it is one line."""
    try:
        for _ in range(depth):
            written = json.loads(f'"{written}"', strict=False)
    except ValueError:
        return written
    return ANSI.sub("", written).rstrip().replace("\r", "").replace("\n", FOLD)


@dataclass(frozen=True)
class ParsedPrefix:
    """The prefix of a line: its shape, the level that the line was logged with, and where its own text begins."""

    line: str
    shape: Shape
    level: Level
    body: int

    @cached_property
    def text(self) -> str:
        """The line's own text: of a record, what it says and nothing behind it."""
        match = self.shape.pattern.match(self.line)
        return self.line[self.body :] if match is None else self.shape.text(self.line, match, self.body)


@dataclass
class _Reading:
    """How far the parts of a line are read."""

    line: str
    parts: tuple[str, ...] = ()
    body: int = 0
    depth: int = 0
    level: Level = Level.UNKNOWN

    def add(self, part: str, body: int, level: str) -> None:
        self.parts = (*self.parts, part)
        self.body = body
        self.level = level_of(level) or self.level

    def take_record(self, start: int) -> bool:
        """Take a record that begins there; false where there is none, or nothing can follow."""
        record = json_record(self.line, start, self.depth) or labels(self.line, start)
        record = record or (logfmt_record(self.line, start, self.depth) if not self.parts or self.depth else None)
        if record is None:
            return False
        self.add(record.pattern, record.body, record.level)
        self.depth = max(self.depth, record.depth)
        return record.body > start

    def take_part(self, start: int) -> bool:
        """Take a part of the table."""
        for name, pattern in _next_parts(self.parts):
            match = pattern.match(self.line, start)
            if match is None or match.end() == start:
                continue
            groups = pattern.groupindex
            if "host" in groups and not may_be_host(match["host"]):
                continue
            self.add(name, match.end(), match["level"] if "level" in groups else "")
            return True
        return False


def glued(line: str, body: int) -> list[str]:
    """The line taken apart where other processes wrote into it, by their ranks; nothing where none did.

    `body`: where the line's own text begins.
    """
    starts = [match.start() for match in GLUED.finditer(line, body + 1)][:MOST_GLUED]
    return [line[start:end] for start, end in pairwise([0, *starts, len(line)])] if starts else []


def parse_prefix(line: str, *, with_records: bool = True) -> ParsedPrefix:
    """Take the prefix off a line."""
    reading = _Reading(line)
    while len(reading.parts) < MOST_PARTS:
        start = len(line) - len(line[reading.body :].lstrip(" ")) if reading.body else 0
        count = len(reading.parts)
        if not (with_records and reading.take_record(start)) and (
            len(reading.parts) > count or not reading.take_part(start)
        ):
            break
    return ParsedPrefix(line, shape_of(reading.parts, reading.depth), reading.level, reading.body)


@lru_cache(maxsize=4096)
def _next_parts(parts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The parts that may stand behind these, with their patterns."""
    may_follow: list[tuple[str, re.Pattern[str]]] = []
    for name, pattern in PATTERNS.items():
        if name in (FIRST_ONLY if parts else NEVER_FIRST) or (name in parts and name not in AGAIN):
            continue
        if name not in AFTER_TIME or (parts and parts[-1] in TIMES):
            may_follow.append((name, pattern))
    return tuple(may_follow)
