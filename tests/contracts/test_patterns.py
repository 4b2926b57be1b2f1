"""No pattern repeats a group possessively: Python 3.11.0 to 3.11.4 matches those wrongly (CPython issue 106052).

Debian 12 has 3.11.2. Repeating a single character or class possessively is right everywhere.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.layout import ROOT

POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")
FILES = [path for room in ("kb", "ingest", "labeling", "config") for path in sorted((ROOT / room).rglob("*.py"))]


def texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_group_is_repeated_possessively() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text}" for path in FILES for text in texts(path) if POSSESSIVE_GROUP.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("pattern", [r"(?:a|b){0,3}+", r"(?:a)*+", r"(?>a)"])
def test_the_check_sees_them(pattern: str) -> None:
    assert POSSESSIVE_GROUP.search(pattern)
