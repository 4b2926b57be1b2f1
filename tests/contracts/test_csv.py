"""No cell of any CSV is run by a spreadsheet, one module writes them all, and what comes back is what left."""

import ast
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb.exports.tables import as_csv, csv_lines, harmless, original
from labeling.exchange.parse import _csv_rows

pytestmark = pytest.mark.contract
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("kb", "ingest", "labeling", "config")
THE_WRITER = "kb/exports/tables.py"
HOSTILE = '=HYPERLINK("//evil.ex";"x")'
# What begins a formula, what may come before it, and what else is in texts.
TEXTS = st.one_of(st.text(), st.text("=+-@\t\r\n\"',; \u00a0\ufeff\uff1d1.5eab|“"))
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


def runs(cell: str) -> bool:
    """Would a spreadsheet take this cell for a formula? Told without the patterns of the module under test."""
    bare = cell.lstrip(' \t\r\n"\u00a0\ufeff“')
    is_line = cell[:1] in ("\t", "\r", "\n")
    try:
        float(cell)
    except ValueError:
        return is_line or bare.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    return is_line


def cells_of(content: bytes) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(content.decode(), newline="")) for cell in row]


class TestAnyText:
    @given(TEXTS)
    @example(HOSTILE)
    @example("'=1")
    @example("''+1")
    @example("'-1.5")
    @example('" \u00a0=1')
    def test_is_harmless_and_comes_back_as_it_was(self, text: str) -> None:
        assert not runs(harmless(text))
        assert original(harmless(text)) == text

    @given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1))
    @example([["a\r=1+1", "a\n=1"], ['";=1', ",=1"]])
    def test_survives_a_file_of_ours(self, rows: list[list[str]]) -> None:
        written = "".join(csv_lines([["a", HOSTILE], *rows]))
        assert not any(map(runs, cells_of(written.encode())))
        names, found = _csv_rows(io.StringIO(written, newline=""))
        assert list(names) == ["a", HOSTILE]
        assert [list(row.values()) for _, row in found] == rows

    @given(NUMBERS)
    def test_is_no_number_which_stays_one(self, number: float) -> None:
        for value in (number, str(number)):
            assert as_csv([{"n": value}]).split("\n")[1] == str(number)

    @pytest.mark.parametrize(
        "text", ["", "-", "plain", "it's", "'quoted'", "-1.5", "+2e9", "a=b", "a\r=HYPERLINK(1)", "1-2"]
    )
    def test_gets_no_more_than_it_needs(self, text: str) -> None:
        assert harmless(text) == ("'-" if text == "-" else text)

    def test_has_no_bare_line_break_which_would_begin_a_cell(self) -> None:
        assert list(csv_lines([["a\r=1", "b"]])) == ['"a\r=1",b\n']


def test_one_module_writes_csv() -> None:
    found = {path for path, tree in modules() if writes_csv(tree)}
    assert found == {THE_WRITER}


def writes_csv(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("to_csv", "write_csv", "to_excel"):
            return True
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("csv.writer", "csv.DictWriter"):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "csv":
            return True
        if isinstance(node, ast.Import) and any(one.name in ("openpyxl", "xlsxwriter") for one in node.names):
            return True
    return False


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))
