"""Records of Kubernetes, as `kubectl get events|pods|nodes -o json|yaml` writes them, told in lines like its own.

Each line stands where the file has what it tells, so that numbers of lines hold. What is no such record after all
stays the text that it is.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import orjson
import yaml

from kb.core.diagnosis.reading.intake import KIB, MIB

Record = Mapping[object, object]
MOST_BYTES = {"json": 16 * MIB, "yaml": 2 * MIB}
# So far behind the last one a record's own word is sought.
NEAR = 32 * KIB
MOST_RECORDS, DEEPEST, LONGEST = 50_000, 50, 2000
LOOKED_AT = 4096
YAML = re.compile(
    rb"^(?:---\s*\n)?apiVersion: \S+\n(?:items:|kind:|(?:count|eventTime|involvedObject|metadata|firstTimestamp):)"
)
KINDS = frozenset({"List", "EventList", "PodList", "NodeList", "Event", "Pod", "Node"})


class _Told(NamedTuple):
    """A line, and the text by which its place in the file is found."""

    line: str
    sought: str


def form_of(head: bytes) -> str:
    """Whether a file that begins so may hold records, and in which form: json, yaml, or empty."""
    if head.lstrip()[:1] == b"{" and b'"apiVersion"' in head:
        return "json"
    return "yaml" if YAML.match(head) else ""


def told(blocks: Iterator[str], form: str) -> Iterator[str]:
    """The blocks of a file, its records told in lines; as they are where it holds none, or too much to be any."""
    held: list[str] = []
    size = 0
    for block in blocks:
        held.append(block)
        size += len(block)
        if size > MOST_BYTES[form]:
            yield from held
            yield from blocks
            return
    lines = lines_of("\n".join(held), form)
    yield from held if lines is None else [lines]


def lines_of(text: str, form: str) -> str | None:
    """The records of a file in lines; None if it holds none, or cannot be read as what it seems to be."""
    try:
        content: object = orjson.loads(text) if form == "json" else _of_yaml(text)
    except (orjson.JSONDecodeError, yaml.YAMLError, RecursionError, ValueError):
        return None
    if not isinstance(content, Mapping) or str(content.get("kind"))[:20] not in KINDS:
        return None
    return _placed(text, _told(content))


def _placed(text: str, told: Iterator[_Told]) -> str:
    """The lines, each at the place where the text has what it tells, or else the next free one."""
    lines: list[str] = []
    place = number = 0
    for line, sought in told:
        at = text.find(sought, place, place + NEAR) if sought else -1
        if at >= 0:
            number += text.count("\n", place, at)
            place = at
        lines += [""] * (number - len(lines))
        lines.append(line)
    return "\n".join(lines + [""] * (text.count("\n") + 1 - len(lines)))


def _told(content: Record) -> Iterator[_Told]:
    items = content.get("items")
    records = items[:MOST_RECORDS] if isinstance(items, list) else [content]
    for record in records:
        if not isinstance(record, Mapping):
            continue
        if "involvedObject" in record:
            yield _event(record)
        elif "containerStatuses" in _of(record, "status") or "phase" in _of(record, "status"):
            yield from _pod(record)
        else:
            yield from _node(record)


def _event(event: Record) -> _Told:
    whom, reason, message = _of(event, "involvedObject"), _word(event, "reason"), _word(event, "message")
    kind, name, host = _word(whom, "kind").lower(), _word(whom, "name"), _word(_of(event, "source"), "host")
    when = next(filter(None, (_word(event, key) for key in ("lastTimestamp", "eventTime", "firstTimestamp"))), "")
    where = f" on node/{host}" if host and kind == "pod" else ""
    line = f"{when} {reason} {kind}/{name}{where}: {message}"
    return _Told(line.strip(), reason)


def _pod(pod: Record) -> Iterator[_Told]:
    """What ended a pod or its containers: evicted, killed for its memory, or with an exit code."""
    status = _of(pod, "status")
    name, host = _word(_of(pod, "metadata"), "name"), _word(_of(pod, "spec"), "nodeName")
    whom = f"pod/{name}" + (f" on node/{host}" if host else "")
    reason = _word(status, "reason")
    if reason:
        yield _Told(f"{_word(status, 'startTime')} {reason} {whom}: {_word(status, 'message')}".strip(), name)
    for key in ("initContainerStatuses", "containerStatuses"):
        containers = status.get(key)
        for container in containers[:100] if isinstance(containers, list) else []:
            if not isinstance(container, Mapping):
                continue
            for state in ("lastState", "state"):
                end = _of(_of(container, state), "terminated")
                code = _word(end, "exitCode")
                if code not in ("", "0"):
                    told = f"container {_word(container, 'name')} ended with exit code {code}. {_word(end, 'message')}"
                    reason, when = _word(end, "reason") or "Error", _word(end, "finishedAt")
                    yield _Told(f"{when} {reason} {whom}: {told}".strip(), "exitCode")


def _node(node: Record) -> Iterator[_Told]:
    """That a node is not ready."""
    name, conditions = _word(_of(node, "metadata"), "name"), _of(node, "status").get("conditions")
    for condition in conditions[:100] if isinstance(conditions, list) else []:
        if not isinstance(condition, Mapping) or _word(condition, "type") != "Ready" or not name:
            continue
        if _word(condition, "status") in ("False", "Unknown"):
            when, message = _word(condition, "lastTransitionTime"), _word(condition, "message")
            yield _Told(f"{when} NodeNotReady node/{name}: {message}".strip(), name)


def _of(record: Record, key: str) -> Record:
    value = record.get(key)
    return value if isinstance(value, Mapping) else {}


def _word(record: Record, key: str) -> str:
    """The value on one line; empty if it is no text or number."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < MOST_BYTES["json"] else ""
    return " ".join(value[:LONGEST].split()) if isinstance(value, str) else ""


def _of_yaml(text: str) -> object:
    """Plain data whose scalars are all text. Raises `ValueError` for what refers to itself or is too deep.

    It is built from the parser's events: nothing is constructed, shared or followed.
    """
    root: list[object] = []
    opened: list[list[object] | dict[object, object]] = [root]
    keys: list[str | None] = [None]
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent) or len(opened) > DEEPEST:
            raise ValueError("It refers to itself, or is too deep.")
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            opened.pop()
            keys.pop()
            continue
        value: object = None
        if isinstance(event, yaml.ScalarEvent):
            value = event.value
        elif isinstance(event, yaml.MappingStartEvent):
            value = {}
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
        else:
            continue
        _put(opened[-1], keys, value)
        if isinstance(value, dict | list):
            opened.append(value)
            keys.append(None)
    return root[0] if len(root) == 1 else None


def _put(parent: list[object] | dict[object, object], keys: list[str | None], value: object) -> None:
    """Put a value into a list, or into a dict behind the key that came before it."""
    if isinstance(parent, list):
        parent.append(value)
        return
    key = keys[-1]
    if key is None:
        if not isinstance(value, str):
            raise ValueError("It has a key that is no text.")
        keys[-1] = value
        return
    parent[key] = value
    keys[-1] = None
