"""JSON as GitHub sends it, halves of surrogate pairs and NULs included.

orjson is fast but refuses a lone surrogate. Texts that hold one are kept as `OddText`, which it hands back to be
escaped; anything else that slips through is written by the standard library.
"""

import json
from typing import Any

import orjson


class OddText(str):
    """A text that orjson refuses."""

    __slots__ = ()


def odd_text(text: str) -> str:
    """Mark the text if it needs to be escaped."""
    if text.isascii() or isinstance(text, OddText):
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return OddText(text)
    return text


def encode(value: Any) -> bytes:
    """The value as JSON in UTF-8."""
    try:
        return orjson.dumps(value, default=_escape, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _escape(value: Any) -> orjson.Fragment:
    if isinstance(value, OddText):
        return orjson.Fragment(json.dumps(str(value)))
    raise TypeError(f"{type(value).__name__} has no form in JSON")
