"""JSON, YAML and TOML as flat keys with values and lines. Cut texts are read as far as they go; bombs have a limit."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import yaml

from kb.core.setups.facts import Value

MAX_KEYS, MAX_DEPTH, MAX_EVENTS = 5_000, 30, 20_000
WORDS: dict[str, bool | None] = {
    "true": True,
    "yes": True,
    "on": True,
    "false": False,
    "no": False,
    "off": False,
    "null": None,
    "none": None,
    "~": None,
    "": None,
}
NUMBER = re.compile(r"[-+]?(?:\d[\d_]{0,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?")
TOML_TABLE = re.compile(r"\s*\[\[?\s*([\w.\"' -]{1,200}?)\s*\]\]?\s*(?:#.*)?")
TOML_KEY = re.compile(r"\s*([\w.-]{1,100}|\"[^\"]{1,100}\")\s*=\s*(\S.*)")


@dataclass(frozen=True)
class Entry:
    """One key of a tree, joined by points, with its value and line, from 0. An empty mapping has the value `{}`."""

    key: str
    value: Value
    line: int


def scalar(text: str) -> Value | None:
    """What a plain text stands for: yes or no, a number, nothing, or itself."""
    word = text.strip()
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    if not NUMBER.fullmatch(word):
        return word
    try:
        return int(word.replace("_", "")) if re.fullmatch(r"[-+]?[\d_]+", word) else float(word.replace("_", ""))
    except (ValueError, OverflowError):
        return word


def composed(text: str) -> yaml.Node | None:
    """The tree of a YAML or JSON text; None where it is neither, too deep, or holds several documents.

    Built from events: libyaml's own composer calls itself for each level, and dies of a text of a thousand brackets.
    """
    try:
        return _built(yaml.parse(text, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError, _TooDeepError):
        return None


class _TooDeepError(Exception):
    """More levels or nodes than a configuration has."""


Collection = yaml.MappingNode | yaml.SequenceNode


def _built(events: Iterable[yaml.Event]) -> yaml.Node | None:
    root: yaml.Node | None = None
    anchors: dict[str, yaml.Node] = {}
    # Collections that are open, each with the key that waits for its value.
    stack: list[tuple[Collection, list[yaml.Node]]] = []
    for number, event in enumerate(events):
        if number > MAX_EVENTS or len(stack) > MAX_DEPTH:
            raise _TooDeepError
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        node = _node_of(event, anchors)
        if node is None:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                return None
            continue
        if stack:
            _put(node, *stack[-1])
        else:
            root = node
        if isinstance(event, yaml.CollectionStartEvent) and isinstance(node, Collection):
            stack.append((node, []))
    return root


def _node_of(event: yaml.Event, anchors: dict[str, yaml.Node]) -> yaml.Node | None:
    """The node that an event begins; None for events of the stream."""
    if not isinstance(event, yaml.NodeEvent):
        return None
    mark = cast("yaml.Mark", event.start_mark)
    node: yaml.Node = yaml.ScalarNode("", "", mark)
    if isinstance(event, yaml.AliasEvent):
        return anchors.get(event.anchor or "", node)
    if isinstance(event, yaml.ScalarEvent):
        is_plain = event.implicit[0]
        node = yaml.ScalarNode("", event.value, mark, style=None if is_plain else "'")
    elif isinstance(event, yaml.MappingStartEvent):
        node = yaml.MappingNode("", [], mark)
    elif isinstance(event, yaml.SequenceStartEvent):
        node = yaml.SequenceNode("", [], mark)
    if event.anchor:
        anchors[event.anchor] = node
    return node


def _put(node: yaml.Node, collection: Collection, waiting: list[yaml.Node]) -> None:
    """Into the collection; a mapping's nodes come as key and value in turn."""
    if isinstance(collection, yaml.SequenceNode):
        collection.value.append(node)
    elif waiting:
        collection.value.append((waiting.pop(), node))
    else:
        waiting.append(node)


def entries_of(node: yaml.Node | None) -> list[Entry]:
    """All keys below a mapping; none for another tree."""
    if not isinstance(node, yaml.MappingNode):
        return []
    entries: list[Entry] = []
    for entry in _below(node, "", MAX_DEPTH):
        entries.append(entry)
        if len(entries) >= MAX_KEYS:
            break
    return entries


def _below(node: yaml.Node, key: str, depth: int) -> Iterator[Entry]:
    line = node.start_mark.line
    if isinstance(node, yaml.ScalarNode):
        value = scalar(node.value) if node.style is None else node.value
        if value is not None:
            yield Entry(key, value, line)
    elif isinstance(node, yaml.MappingNode) and depth > 0:
        if not node.value and key:
            yield Entry(key, "{}", line)
        for name, value_node in node.value:
            if isinstance(name, yaml.ScalarNode):
                yield from _below(value_node, _joined(key, name.value), depth - 1)
    elif isinstance(node, yaml.SequenceNode) and depth > 0:
        yield from _listed(node, key, depth)


def _listed(node: yaml.SequenceNode, key: str, depth: int) -> Iterator[Entry]:
    """A list of texts and numbers is one value, joined by commas; of mappings, one key for each."""
    if all(isinstance(item, yaml.ScalarNode) for item in node.value):
        yield Entry(key, ",".join(item.value for item in node.value[:200]), node.start_mark.line)
        return
    for number, item in enumerate(node.value[:200]):
        yield from _below(item, _joined(key, str(number)), depth - 1)


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key and name != "<<" else key or name


def toml_entries(lines: list[str]) -> list[Entry]:
    """All keys of a TOML text that stand on one line."""
    entries, table = [], ""
    for number, line in enumerate(lines[: MAX_KEYS * 4]):
        if head := TOML_TABLE.fullmatch(line):
            table = head[1].replace('"', "").replace(" ", "")
        elif key := TOML_KEY.fullmatch(line):
            value = _toml_value(key[2])
            if value is not None:
                entries.append(Entry(_joined(table, key[1].strip('"')), value, number))
    return entries


def _toml_value(text: str) -> Value | None:
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return ",".join(str(item) for item in value[:200])
    return value if isinstance(value, bool | int | float | str) else None
