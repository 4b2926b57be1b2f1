"""The table of OWASP ASVS: every requirement of three chapters is in it once, and the tests it names are there."""

import ast
import re
from dataclasses import dataclass
from functools import cache

import pytest

from config.embedded.layout import ROOT

PAGE = ROOT / "docs" / "security-asvs.md"
ROW = re.compile(r"^\| (\d\.\d\.\d+) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")
READ = re.compile(r"read: `([\w/.]+)`")
STATES = ("met", "in part", "not met", "not applicable")
# Levels 1 and 2 of version 5.0.0: section -> the numbers in it.
WANTED = {
    "6.1": (1, 2, 3),
    "6.2": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    "6.3": (1, 2, 3, 4),
    "6.4": (1, 2, 3, 4),
    "6.5": (1, 2, 3, 4, 5),
    "6.6": (1, 2, 3),
    "6.8": (1, 2, 3, 4),
    "7.1": (1, 2, 3),
    "7.2": (1, 2, 3, 4),
    "7.3": (1, 2),
    "7.4": (1, 2, 3, 4, 5),
    "7.5": (1, 2),
    "7.6": (1, 2),
    "8.1": (1, 2),
    "8.2": (1, 2, 3),
    "8.3": (1,),
    "8.4": (1,),
}


@dataclass(frozen=True)
class Requirement:
    """A row of the table."""

    number: str
    state: str
    proof: str


def rows() -> list[Requirement]:
    found = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return [Requirement(number, state, proof) for number, _asks, state, proof in found]


@cache
def names_in(file: str) -> frozenset[str]:
    """The tests of a file, as `test_name` or `TestClass::test_name`."""
    names = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return frozenset(names)


def test_every_requirement_stands_in_it_once() -> None:
    wanted = [f"{section}.{number}" for section, numbers in WANTED.items() for number in numbers]
    assert [row.number for row in rows()] == wanted


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.number)
def test_what_it_names_is_there(row: Requirement) -> None:
    assert row.state in STATES
    tests = TEST.findall(row.proof)
    assert [f"{file}::{name}" for file, name in tests if name not in names_in(file)] == []
    assert [place for place in READ.findall(row.proof) if not (ROOT / place).exists()] == []
    if row.state == "met":
        assert tests or READ.findall(row.proof), "neither a test nor a place to read"
