"""Scans as plain data, so that two passes over the same lines can be compared."""

from array import array
from collections import deque
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from kb.core.diagnosis.scanning.records import Emitter, Scan
from kb.core.diagnosis.signals.format import Signal


def facts(scan: Scan) -> dict[str, Any]:
    """Everything that is in it. Emitters stand in full once, and by their numbers elsewhere."""
    found = {one.name: _plain(getattr(scan, one.name)) for one in fields(scan)}
    return {**found, "emitters": [_fields(one) for one in scan.emitters]}


def _plain(value: Any) -> Any:
    if isinstance(value, Emitter):
        return ("emitter", value.id)
    if isinstance(value, Signal):
        return value.code
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Mapping):
        return [(_plain(key), _plain(one)) for key, one in value.items()]
    if isinstance(value, list | tuple | deque | array):
        return [_plain(one) for one in value]
    # What is no number does not equal itself.
    return repr(value) if isinstance(value, float) else value


def _fields(value: Any) -> dict[str, Any]:
    return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
