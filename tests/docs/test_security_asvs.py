"""The tables of OWASP ASVS: every requirement of level 2 is in them once, and the tests they name are there."""

import ast
import re
from dataclasses import dataclass
from functools import cache

import pytest

from config.embedded.layout import ROOT

PAGES = [ROOT / "docs" / name for name in ("security-asvs-web.md", "security-asvs.md", "security-asvs-operation.md")]
ROW = re.compile(r"^\| (\d+\.\d\.\d+) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")
READ = re.compile(r"(?:read:|,) `([\w/.-]+)`")
STATES = ("met", "in part", "not met", "not applicable")
# How many requirements of levels 1 and 2 version 5.0.0 has in each section.
SECTIONS = {
    "1": (2, 9, 11, 3, 2),
    "2": (3, 3, 4, 1),
    "3": (0, 2, 4, 6, 5, 0, 2),
    "4": (3, 1, 2, 4),
    "5": (1, 3, 2, 3),
    "6": (3, 12, 4, 4, 5, 3, 0, 4),
    "7": (3, 4, 2, 5, 2, 2),
    "8": (2, 3, 1, 1),
    "9": (3, 4),
    "10": (2, 2, 4, 11, 5, 2, 3),
    "11": (2, 3, 3, 4, 1, 1),
    "12": (3, 2, 4),
    "13": (1, 5, 2, 5),
    "14": (2, 4, 3),
    "15": (3, 3, 7),
    "16": (1, 5, 4, 3, 3),
    "17": (1, 4, 2),
}


@dataclass(frozen=True)
class Requirement:
    """A row of the table."""

    number: str
    state: str
    proof: str


def rows() -> list[Requirement]:
    found = [row for page in PAGES for row in ROW.findall(page.read_text(encoding="utf-8"))]
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
    wanted = [
        f"{chapter}.{section}.{number}"
        for chapter, sections in SECTIONS.items()
        for section, many in enumerate(sections, 1)
        for number in range(1, many + 1)
    ]
    assert [row.number for row in rows()] == wanted


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.number)
def test_what_it_names_is_there(row: Requirement) -> None:
    assert row.state in STATES
    tests = TEST.findall(row.proof)
    assert [f"{file}::{name}" for file, name in tests if name not in names_in(file)] == []
    assert [place for place in READ.findall(row.proof) if not (ROOT / place).exists()] == []
    if row.state == "met":
        assert tests or READ.findall(row.proof), "neither a test nor a place to read"
