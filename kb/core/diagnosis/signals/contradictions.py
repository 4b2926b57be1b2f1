"""Advice that contradicts the message that it is given for: each rule is a kind of message and what it excludes.

A message is what an entry's examples say, and the words of its pattern, which has messages that no example shows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

UP, DOWN = "up", "down"
DIRECTIONS = {
    UP: r"\b(?:rais|increas|enlarg|extend|higher|larger|longer|more|bigger)\w*",
    DOWN: r"\b(?:lower|reduc|decreas|shrink|smaller|shorter|fewer|less|halv)\w*",
}
# What can be turned up and down, as messages and as advice name it.
KNOBS = {
    "the share of GPU memory": r"gpu[_ -]memory[_ -]utili[sz]ation|mem[-_]fraction\w*|memory fraction|share of",
    "the batch": r"(?:micro )?batch(?:es)?\b(?! sizes of the)",
    "the sequence length": r"max[_-]?(?:model|seq)\w*|(?:longest )?sequences?\b|context length",
    "the block sizes": r"block sizes|tiles|num_stages|stages",
    "the time allowed": r"time-?outs?\b|time allowed",
}
# What a message says of a knob without naming a direction.
STATES: Sequence[tuple[str, str, str]] = (
    ("less than desired GPU memory utilization", "the share of GPU memory", DOWN),
    (r"(?i)out of memory|\boom\b", "the batch", DOWN),
    (r"(?i)out of memory|\boom\b", "the sequence length", DOWN),
    (r"(?i)out of resource: (?:shared memory|registers)", "the block sizes", DOWN),
    (r"(?i)timed out|deadline_exceeded|time ?out", "the time allowed", UP),
)
# What a pattern has beside its words, and what parts it.
OPERATORS = re.compile(r"\(\?[\w-]*:?|\\[a-zA-Z]|[\\()\[\]?*+|^$]|\.(?=\*)")
MARKS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")


@dataclass(frozen=True)
class Topic:
    """A kind of message, and words that the texts or the first cause at `key` must have, or must not have."""

    message: str
    key: str
    words: str
    wanted: bool
    reason: str


TOPICS = (
    Topic(r"(?i)size mismatch", "means", "size|shape", True, "speaks of sizes"),
    Topic("Free memory on device", "check", "process", True, "speaks of memory that something else may hold"),
    Topic("GGML_ASSERT", "means", "file", False, "is a check in the code, not a word on the model's file"),
    Topic("CommError", "means", "key was given", False, "is trouble on the way to a server, not a missing key"),
    Topic(
        r"(?i)deadline_exceeded|heartbeat", "causes", "accelerator-fault", False, "shows who waited, no fault of a chip"
    ),
    Topic(r"(?i)\bbarrier", "causes", "accelerator-fault", False, "shows who waited, no fault of a chip"),
    Topic(r"(?i)no space left on device", "causes", "disk-quota|host-memory|storage", True, "says what is full"),
    Topic(
        r"(?i)driver .{0,30}too old", "check", r"older driver|downgrade the driver", False, "asks for a newer driver"
    ),
)


def contradictions(entry: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The key of each part of the entry that contradicts one of the entry's messages, and why."""
    for message in _messages(entry):
        for knob, direction, opposite in _turned(message):
            for check in _texts(entry.get("check")):
                turns = {way for name, way, _ in _turned(check, states=False) if name == knob}
                if opposite in turns:
                    yield "check", f"{message!r} asks to turn {knob} {direction}, and {check!r} turns it {opposite}"
        for topic in TOPICS:
            texts = _texts(entry.get(topic.key))
            said = " ".join(texts[:1] if topic.key == "causes" else texts)
            if texts and re.search(topic.message, message) and bool(re.search(topic.words, said)) != topic.wanted:
                words = f"'{topic.words}' must {'' if topic.wanted else 'not '}stand here"
                yield topic.key, f"{message!r} {topic.reason}: {words}"


def _turned(text: str, states: bool = True) -> set[tuple[str, str, str]]:
    """The knobs that the text turns one way only, each with that way and its opposite."""
    ways: dict[str, set[str]] = {knob: set() for knob in KNOBS}
    for knob, words in KNOBS.items():
        for way, verbs in DIRECTIONS.items():
            if re.search(rf"{verbs}\W+(?:[\w-]+\W+){{0,6}}?(?:{words})", text, re.IGNORECASE):
                ways[knob].add(way)
    for message, knob, way in STATES if states else ():
        if re.search(message, text):
            ways[knob].add(way)
    opposites = {UP: DOWN, DOWN: UP}
    return {(knob, way, opposites[way]) for knob, found in ways.items() if len(found) == 1 for way in found}


def _messages(entry: Mapping[str, object]) -> list[str]:
    """Each example, and each alternative of the pattern without its operators."""
    alternatives = [OPERATORS.sub(" ", part) for part in _alternatives(str(entry.get("pattern", "")))]
    return [*_texts(entry.get("examples")), *alternatives]


def _alternatives(pattern: str) -> Iterator[str]:
    """What a pattern has between its outermost bars."""
    depth, start = 0, 0
    for mark in MARKS.finditer(pattern):
        if mark[0] == "|" and not depth:
            yield pattern[start : mark.start()]
            start = mark.end()
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
    yield pattern[start:]


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [str(text) for text in value] if isinstance(value, list) else []
