"""The prefix that launchers, schedulers and loggers put before a line, and how it is taken off, part by part.

A prefix says who wrote the line: node, rank, local rank, GPU, process. Nothing is guessed: a local rank is no rank, and
a rank is no node. What a line says behind its prefix is none of this module's business.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

# What says who wrote a line, in this order in an `Emitter`.
IDENTITY = ("node", "rank", "local", "gpu", "pid", "ip", "actor", "task")
MOST_PARTS, MOST_KEYS = 8, 20

ISO = r"\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
LEVELS = r"DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE|TRACE|debug|info|warn(?:ing)?|error|fatal"
HOST = r"[A-Za-z][A-Za-z0-9._-]{0,62}\d[A-Za-z0-9._-]{0,62}"
FILE_LINE = r"[\w./<>-]+\.(?:py|cc?|cpp|cu|h|hpp|go|rs|java):\d+"

# A part takes one space with it, so that what is indented stays so; more may stand before the next part.
BETWEEN = " *"
# Each stands at the beginning of what is left of the line. More special ones come first.
PARTS: dict[str, str] = {
    # One object for each line. Its keys are parts until the one that holds the text.
    "json": r"\{ ?(?=\"[\w@.]{1,40}\" ?:)",
    "json_time": rf"\"(?:ts|t|time|timestamp|@timestamp|asctime|datetime)\" ?: ?\"(?P<time>{ISO})\" ?, ?",
    "json_level": rf"\"(?:level|levelname|severity|lvl)\" ?: ?\"(?P<level>{LEVELS})\" ?, ?",
    "json_node": r"\"(?:host|hostname|node|node_name|pod|pod_name|machine)\" ?: ?\"(?P<node>[\w.-]{1,120})\" ?, ?",
    "json_rank": r"\"(?:rank|global_rank|process_index)\" ?: ?\"?(?P<rank>\d{1,7})\"? ?, ?",
    "json_local": r"\"local_rank\" ?: ?\"?(?P<local>\d{1,5})\"? ?, ?",
    "json_pid": r"\"(?:pid|process)\" ?: ?\"?(?P<pid>\d{1,9})\"? ?, ?",
    "json_text": r"\"(?:msg|message|event|log|text)\" ?: ?\"",
    "json_other": r"\"[\w@.]{1,40}\" ?: ?(?:\"(?:[^\"\\]|\\.){0,200}\"|-?[\d.]{1,20}|true|false|null) ?, ?",
    "logfmt": rf"(?:time|ts)=\"?(?P<time>{ISO})\"? ",
    "logfmt_level": rf"level=\"?(?P<level>{LEVELS})\"? ",
    "logfmt_node": r"(?:host|hostname|node|pod)=\"?(?P<node>[\w.-]{1,120})\"? ",
    "logfmt_text": r"msg=\"?",
    "mpirun": r"\[\d+,(?P<rank>\d+)\]<(?:stdout|stderr|stddiag)>: ?",
    "torchrun": r"\[rank ?(?P<rank>\d+)\]:? ?",
    "elastic": r"\[(?:default|trainer|worker)(?P<local>\d*)\]: ?",
    "ray": (
        r"\((?=[^)]*\b(?:pid|ip)=)(?P<actor>[A-Za-z_][\w.:-]{0,80}(?: [TPDE]P\d+){0,4})(?:[ \[]rank=(?P<rank>\d+)\]?)?"
        r"(?:,? pid=(?P<pid>\d+))?(?:, ip=(?P<ip>[\da-fA-F.:]+))?\) ?"
    ),
    "torchx": r"[A-Za-z][\w.-]{0,60}/\d{1,5} (?=\[(?:default|rank)\d)",
    "pod": r"\[pod/(?P<node>[\w.-]{1,120})(?:/[\w.-]+)?\] ?",
    "compose": r"(?P<node>[A-Za-z][\w.-]{0,80}) +\| ",
    "glog": r"\[?(?P<level>[IWEF])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d+)(?: +(?P<pid>\d+))? (?P<place>[\w./-]+:\d+)\] ?",
    "glog_bare": r"\[(?P<level>[IWEF]) (?P<place>[\w./-]+:\d+)\] ?",
    "actions": r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z):? ?",
    "annotation": r"##\[(?P<level>error|warning|debug|section|command|group|endgroup|notice)\] ?",
    "python_logging": rf"(?P<time>{ISO})\s+-\s+(?P<logger>[\w./:-]+)\s+-\s+(?P<level>{LEVELS})\s+-\s",
    "hydra": rf"\[(?P<time>{ISO})\]\[(?P<logger>[\w./:-]+)\]\[(?P<level>{LEVELS})\] - ",
    "loguru": rf"\| +(?P<level>{LEVELS}) +\| +(?P<place>[\w.<>]+:[\w.<>]+:\d+) +- +",
    "transformers": rf"\[(?P<level>{LEVELS})\|(?P<place>[\w./-]+:\d+)\] (?P<time>{ISO}) >> ",
    "tag": rf"\[[A-Za-z][\w.-]{{0,40}}\] ?(?=\[?{ISO})",
    # SGLang's workers, by their places in groups.
    "sglang": rf"\[(?P<time>{ISO}) (?P<actor>[TPDE]P\d+(?: [TPDE]P\d+){{0,3}})\] ?",
    "time": rf" {{0,2}}\[?(?P<time>{ISO})\]?:? ?",
    "slashed_time": r"\[?(?P<time>\d\d/\d\d/\d{4}[ ,T]+\d\d:\d\d:\d\d(?:[.,]\d+)?)\]?(?: +- |:? ?)",
    "short_time": r"\[?(?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)\]? ",
    "syslog": r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<node>[\w.-]+) (?P<unit>[\w./-]+)(?:\[\d+\])?: ",
    "clock": r"\[?(?P<time>\d\d:\d\d:\d\d(?:[.,]\d+)?)\]? ",
    "nccl": r"(?P<node>[A-Za-z][\w.-]*):(?P<pid>\d+):\d+ \[(?P<gpu>\d+)\] (?=(?:\S+:\d+ )?[NRH]CCL )",
    "rank_bracket": r"\[[Rr]ank ?(?P<rank>\d+)\]:? ?",
    "rank_equals": r"rank=(?P<rank>\d+),? +",
    "rank_colon": r"[Rr]ank ?(?P<rank>\d+): +",
    "ray_level": rf"\t(?P<level>{LEVELS}) (?P<place>[\w./-]+:\d+) -- ",
    "level_bracket": rf"\[ ?(?P<level>{LEVELS}) ?\]:? ?",
    "level_dashes": rf"(?P<level>{LEVELS}) +- +",
    "level": rf"(?P<level>{LEVELS})(?::| +(?=[\[\d-]))\s*",
    "level_word": rf"(?P<level>{LEVELS})\s+",
    "place": rf"\[(?P<place>{FILE_LINE})(?::[\w.<>]+)?\] ?",
    "process": r"\[(?:pid|PID)[ :=]?(?P<pid>\d+)\] ?",
    "stage": r"\[(?:default|launch|kernel)\] +",
    "kernel": r"(?:kernel: )?\[ *\d+\.\d{6}\] ",
    # srun pads the numbers of its tasks to one width.
    "task": r" {0,4}(?P<task>\d{1,5}): (?=\S)",
    "node": rf"(?P<node>{HOST}): ?",
}  # fmt: skip
PATTERNS = {name: re.compile(text) for name, text in PARTS.items()}
# These say who or when in too few letters to be believed anywhere but at the very beginning.
FIRST_ONLY = frozenset({"json", "logfmt", "task", "compose", "clock"})
AGAIN = frozenset({"time", "nccl", "ray", "json_other"})
TEXTS = frozenset({"json_text", "logfmt_text"})
AFTER_TIME = frozenset({"level_word"})
OBJECTS = frozenset({"json", "logfmt"})
# Parts that are a bare name, which may be something else than a host's.
HOSTS = frozenset({"node", "compose"})
TIMES = frozenset({"time", "sglang", "short_time", "slashed_time", "clock", "actions"})
NOT_NODES = re.compile(
    r"(?:Error|Exception|Warning|Interrupt|Exit)$|^(?:step|epoch|iter|layer|gpu|rank|cuda|python)\d", re.I
)


class Level(IntEnum):
    """How gravely a line was logged; 0 where it does not say."""

    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5


_LEVELS = {"d": Level.DEBUG, "t": Level.DEBUG, "i": Level.INFO, "n": Level.INFO, "w": Level.WARNING, "e": Level.ERROR}
_LEVELS |= {"f": Level.FATAL, "c": Level.FATAL, "s": Level.FATAL}
_ANNOTATIONS = frozenset({"section", "command", "group", "endgroup"})


@dataclass(frozen=True)
class Shape:
    """A sequence of parts, and a pattern that takes them off every line that has them, all in one match.

    `identity` and `time`: the pattern's groups that hold them; `fields`: their names, in the same order.
    """

    parts: tuple[str, ...]
    pattern: re.Pattern[str]
    fields: tuple[str, ...]
    identity: tuple[int, ...]
    time: int


@lru_cache(maxsize=4096)
def shape_of(parts: tuple[str, ...]) -> Shape:
    """The shape of prefixes of these parts."""
    numbered = [re.sub(r"\?P<(\w+)>", rf"?P<\1_{number}>", PARTS[part]) for number, part in enumerate(parts)]
    pattern = re.compile(BETWEEN.join(numbered))
    identity: dict[str, int] = {}
    time = 0
    for key, group in pattern.groupindex.items():
        name = key.rpartition("_")[0]
        if name in IDENTITY:
            # PyTorch's own rank, within its group, stands behind the launcher's.
            identity.setdefault(name, group)
        elif name == "time":
            time = time or group
    return Shape(parts, pattern, tuple(identity), tuple(identity.values()), time)


@dataclass(frozen=True)
class ParsedPrefix:
    """The prefix of a line: its shape, the level that the line was logged with, and where its own text begins."""

    shape: Shape
    level: Level
    body: int


def parse_prefix(line: str) -> ParsedPrefix:
    """Take the prefix off a line."""
    parts: tuple[str, ...] = ()
    body, level = 0, Level.UNKNOWN
    while len(parts) < (MOST_KEYS if parts[:1] == ("json",) else MOST_PARTS):
        start = len(line) - len(line[body:].lstrip(" ")) if body else 0
        for name, pattern in _next_parts(parts):
            match = pattern.match(line, start)
            if match is None or match.end() == start:
                continue
            if name in HOSTS and NOT_NODES.search(match["node"]):
                continue
            parts = (*parts, name)
            body = match.end()
            if "level" in pattern.groupindex and match["level"]:
                level = level_of(match["level"])
            break
        else:
            break
    return ParsedPrefix(shape_of(parts), level, body)


def level_of(word: str) -> Level:
    """What a logger's word for it means: `W`, `warning` and `WARN` alike."""
    return Level.UNKNOWN if not word or word in _ANNOTATIONS else _LEVELS[word[0].lower()]


@lru_cache(maxsize=4096)
def _next_parts(parts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The parts that may stand behind these, with their patterns."""
    # A key stands in an object of keys whose text has not begun, and nothing else stands there.
    is_in_object = bool(parts) and parts[0] in OBJECTS and not TEXTS.intersection(parts)
    may_follow: list[tuple[str, re.Pattern[str]]] = []
    for name, pattern in PATTERNS.items():
        if (parts and name in FIRST_ONLY) or (name in parts and name not in AGAIN):
            continue
        if name in AFTER_TIME and not (parts and parts[-1] in TIMES):
            continue
        is_key = name.startswith(("json_", "logfmt_"))
        if is_key == is_in_object and (not is_key or name.startswith(parts[0])):
            may_follow.append((name, pattern))
    return tuple(may_follow)
