"""Records on one line, read as what they are: JSON, what Fluent Bit prints, logfmt, Loki's labels.

Keys stand in any order, at any depth, and a text may hold another record. What its text says is no business of this
module.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from kb.core.diagnosis.parsing.vocabulary import EPOCH, ISO, LEVELS

MOST_KEYS, DEEPEST = 100, 6
# What a key means, by the end of its path; the earlier of a role's names is believed first.
ROLES: dict[str, tuple[str, ...]] = {
    "time": (
        "time", "timestamp", "@timestamp", "ts", "t", "asctime", "datetime", "date", "__realtime_timestamp",
        "eventtime", "repr", "ingestiontime",
    ),
    "level": ("level", "levelname", "severity", "lvl", "log.level", "loglevel", "level.name", "severity_text"),
    "node": (
        "kubernetes.host", "kubernetes.node_name", "kubernetes.node.name", "node_name", "nodename", "node", "_hostname",
        "hostname", "host", "host.name", "k8s.node.name", "machine", "com/resource_name", "instance_id",
    ),
    "pod": ("pod_name", "podname", "pod", "pod.name", "k8s.pod.name"),
    "container": ("container_name", "containername", "container", "container.name", "k8s.container.name"),
    "rank": ("rank", "global_rank", "world_rank", "process_index", "rank_id"),
    "local": ("local_rank",),
    "pid": ("pid", "_pid", "process", "process_id", "process.id", "process.pid"),
    "text": ("msg", "message", "log", "textpayload", "event", "text", "line", "body", "log_message"),
    "trace": (
        "exc_info", "exception", "exc_text", "stack_trace", "stacktrace", "traceback", "error.stack_trace", "stack",
        "error", "err", "error.message",
    ),
}  # fmt: skip
ROLE_OF = {name: (role, place) for role, names in ROLES.items() for place, name in enumerate(names)}
VALUES = {
    "time": re.compile(rf"{ISO}|{EPOCH}"),
    "level": re.compile(rf"(?:{LEVELS})", re.IGNORECASE),
    "rank": re.compile(r"\d{1,7}"),
    "local": re.compile(r"\d{1,5}"),
    "pid": re.compile(r"\d{1,9}"),
    "name": re.compile(r"[A-Za-z\d][\w.:-]{0,120}"),
}
# A record says when, how gravely or where from; a dict that somebody prints does not.
TELLING = frozenset({"time", "level", "node", "pod", "rank"})


@dataclass(frozen=True)
class Syntax:
    """How a record writes its values. `depth`: how many records it lies in; `rest`: a text behind its first quote."""

    depth: int
    quote: str
    rest: str
    scalar: str = r"[\w.+-]+"

    @cached_property
    def key(self) -> re.Pattern[str]:
        """A key with the sign behind it."""
        return re.compile(rf"{self.quote}(?P<key>[^\"\\]{{1,100}}){self.quote} *(?::|=>) *")

    @cached_property
    def value(self) -> re.Pattern[str]:
        """A value that is no object. A text may be cut off."""
        return re.compile(rf"{self.quote}(?P<text>{self.rest})(?:{self.quote}|$)|(?P<scalar>{self.scalar})")

    @cached_property
    def inner(self) -> re.Pattern[str]:
        """A text without its quotes."""
        return re.compile(self.rest)


# A record within a text of another one has a backslash before each quote and each backslash.
PLAIN = Syntax(1, '"', r"[^\"\\]*+(?:\\.[^\"\\]*+)*")
NESTED = Syntax(2, r"\\\"", r"[^\"\\]*+(?:(?:\\\\(?:\\[\"\\]|[^\"\\])|\\u[\da-fA-F]{4})[^\"\\]*+)*")
SYNTAXES = (PLAIN, NESTED)
PAIRS = tuple(replace(syntax, scalar=r"[^\s\"\\]*+") for syntax in SYNTAXES)
BARE_KEY = re.compile(r"(?P<key>[A-Za-z_@][\w./@-]{0,60})=")


class Value(NamedTuple):
    """A value that is no object: the keys that lead to it, and where it stands, without quotes."""

    path: str
    start: int
    end: int
    is_text: bool
    piece: int


@dataclass
class _Parser:
    """Parses one record. `pieces`: patterns that together match all records like this one; `values`: those in it."""

    line: str
    syntax: Syntax
    place: int
    pieces: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def take(self, sign: str) -> bool:
        """Go on behind this sign, if it is next."""
        if not self.line.startswith(sign, self.place):
            return False
        self.place += len(sign)
        self.pieces.append(re.escape(sign))
        self.skip(" *")
        return True

    def object(self, path: str, depth: int) -> bool:
        """An object; false if there is none, or none whose keys can be read."""
        if depth > DEEPEST or not self.take("{"):
            return False
        while not self.take("}"):
            if not self.pair(path, depth):
                return False
            if self.place >= len(self.line):
                return True
            if not self.take(",") and not self.line.startswith("}", self.place):
                return False
        return True

    def pair(self, path: str, depth: int) -> bool:
        key = self.syntax.key.match(self.line, self.place)
        if key is None or len(self.values) >= MOST_KEYS:
            return False
        self.pieces.append(f"{re.escape(key[0].rstrip(' '))} *")
        self.place = key.end()
        return self.value(f"{path}.{key['key'].lower()}".removeprefix("."), depth)

    def value(self, path: str, depth: int) -> bool:
        match = self.syntax.value.match(self.line, self.place)
        if match is None:
            return self.object(path, depth + 1) or self.array(path, depth + 1)
        self.add(path, match)
        self.skip(" *")
        return True

    def add(self, path: str, match: re.Match[str]) -> None:
        """Keep a value that is no object."""
        is_text = match["text"] is not None
        span = match.span("text" if is_text else "scalar")
        self.values.append(Value(path, *span, is_text=is_text, piece=len(self.pieces)))
        # Cut off within its last text, a record is none the less read.
        closing = self.syntax.quote if span[1] < match.end() else ""
        self.pieces.append(f"{self.syntax.quote}{self.syntax.rest}{closing}" if is_text else self.syntax.scalar)
        self.place = match.end()

    def skip(self, spaces: str) -> None:
        """Go on behind what matches, which may be nothing."""
        match = re.compile(spaces).match(self.line, self.place)
        self.place = match.end() if match is not None else self.place
        self.pieces.append(spaces)

    def array(self, path: str, depth: int) -> bool:
        if depth > DEEPEST or not self.take("["):
            return False
        while not self.take("]"):
            if not self.value(f"{path}.[]", depth) or self.place >= len(self.line):
                return False
            if not self.take(",") and not self.line.startswith("]", self.place):
                return False
        return True


class Record(NamedTuple):
    """A record at the beginning of a line.

    `pattern`: matches up to where the text begins, or nothing where no key is a text's, with groups for the rest of
    what it tells. `body`: where that is; `depth`: how many records the text lies in, 0 where it is none's.
    """

    pattern: str
    body: int
    depth: int
    level: str


def json_record(line: str, start: int, depth: int) -> Record | None:
    """The record that begins there, in a text within so many others; None if there is none."""
    if depth >= len(SYNTAXES) or not line.startswith("{", start):
        return None
    parser = _Parser(line, SYNTAXES[depth], start)
    return _record(parser, start) if parser.object("", 0) else None


def logfmt_record(line: str, start: int, depth: int) -> Record | None:
    """The same for pairs with `=` between, of which the first says when or how gravely."""
    if depth >= len(PAIRS):
        return None
    parser = _Parser(line, PAIRS[depth], start)
    while (key := BARE_KEY.match(line, parser.place)) is not None and len(parser.values) < MOST_KEYS:
        role, _ = ROLE_OF.get(key["key"].lower(), ("", 0))
        parser.place = key.end()
        match = parser.syntax.value.match(line, key.end())
        if match is None or (not parser.values and role not in ("time", "level")):
            break
        parser.pieces.append(re.escape(key[0]))
        parser.add(key["key"].lower(), match)
        parser.skip(" *")
    first = parser.values[0] if parser.values else None
    if first is None or not _suits(ROLE_OF[first.path][0], first, line):
        return None
    return _record(parser, start)


def labels(line: str, start: int) -> Record | None:
    """Labels in braces, as Loki's command line prints them before a line."""
    parser = _Parser(line, PAIRS[0], start)
    if not parser.take("{"):
        return None
    while (key := BARE_KEY.match(line, parser.place)) is not None and len(parser.values) < MOST_KEYS:
        match = parser.syntax.value.match(line, key.end())
        if match is None or match["text"] is None:
            return None
        parser.pieces.append(re.escape(key[0]))
        parser.add(key["key"].lower(), match)
        parser.skip(",? *")
    if not parser.values or not line.startswith("}", parser.place):
        return None
    parser.place += 1
    parser.pieces.append(r"\}")
    parser.skip(" ?")
    roles = _roles(parser.values, line)
    level = _grouped(parser, {role: value for role, value in roles.items() if role not in ("text", "trace")})
    return Record("".join(parser.pieces), parser.place, 0, level)


def _record(parser: _Parser, start: int) -> Record | None:
    roles = _roles(parser.values, parser.line)
    text = roles.pop("text", None) or roles.pop("trace", None)
    # Pairs with an empty message say what they have to say in the others.
    if text is not None and parser.syntax in PAIRS and text.start == text.end:
        text = None
    if text is None and not TELLING.intersection(roles):
        return None
    level = _grouped(parser, roles)
    pieces, quote = parser.pieces, parser.syntax.quote
    last = max((value.piece for value in roles.values()), default=-1)
    if text is None:
        return Record(f"(?={''.join(pieces[: last + 1])})", start, 0, level)
    head, rest = "".join(pieces[: text.piece]), pieces[text.piece]
    if text.is_text:
        head, rest = head + quote, rest.removeprefix(quote)
    if last > text.piece:
        head += f"(?={rest}{''.join(pieces[text.piece + 1 : last + 1])})"
    return Record(head, text.start, parser.syntax.depth if text.is_text else 0, level)


def _grouped(parser: _Parser, roles: dict[str, Value]) -> str:
    """Put groups around these values, but for the level: the same letters are in all lines of a kind. Returns it."""
    level = roles.pop("level", None)
    for role, value in roles.items():
        piece, quote = parser.pieces[value.piece], parser.syntax.quote
        if value.is_text:
            piece = f"{quote}(?P<{role}>{piece.removeprefix(quote).removesuffix(quote)}){quote}"
        else:
            piece = f"(?P<{role}>{piece})"
        parser.pieces[value.piece] = piece
    return parser.line[level.start : level.end] if level is not None else ""


def _roles(values: list[Value], line: str) -> dict[str, Value]:
    """The value for each role: the one at the least depth, and of those the one whose key says it best."""
    best: dict[str, tuple[int, int, Value]] = {}
    for value in values:
        for role, place in _meanings(value.path):
            rank = value.path.count("."), place
            if (role not in best or rank < best[role][:2]) and _suits(role, value, line):
                best[role] = (*rank, value)
    chosen = {role: value for role, (_, _, value) in best.items()}
    if "pod" in chosen and "node" not in chosen:
        chosen["node"] = chosen.pop("pod")
    return chosen


def _meanings(path: str) -> Iterator[tuple[str, int]]:
    """What a value may be by its keys, the last two of them first."""
    keys = path.rsplit(".", 2)
    for name in {".".join(keys[-2:]), keys[-1]}:
        if name in ROLE_OF:
            yield ROLE_OF[name]


def _suits(role: str, value: Value, line: str) -> bool:
    if role in ("text", "trace"):
        return value.is_text and (value.end > value.start or role == "text")
    return VALUES.get(role, VALUES["name"]).fullmatch(line, value.start, value.end) is not None
