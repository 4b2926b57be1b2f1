"""The lines around those that matter: the right ones, from any packing, read no further than needed."""

import gzip
import io
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.context import AROUND, surroundings, with_context
from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.blocks import BLOCK

WORDS = st.text(st.characters(categories=("L", "N", "P")), max_size=30)


def around(content: bytes, line: int, text: str = "", name: str = "job.log") -> list[tuple[int, str]]:
    found = surroundings([InputFile(name, io.BytesIO(content))], {("job.log", line): text})
    return [(one["line"], one["text"]) for one in found.get(("job.log", line), [])]


class Counted(io.BytesIO):
    """Counts what is read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.taken += len(found)
        return found


@settings(max_examples=60)
@given(lines=st.lists(WORDS, min_size=1, max_size=40), data=st.data())
def test_they_are_those_that_an_editor_shows(lines: list[str], data: st.DataObject) -> None:
    line = data.draw(st.integers(1, len(lines)))
    content = "\n".join([*lines[:-1], f"{lines[-1]}."]).encode()
    shown = dict(enumerate(content.decode().split("\n"), 1))
    wanted = [(near, shown[near]) for near in range(line - AROUND, line + AROUND + 1) if near != line and near in shown]
    assert around(content, line, shown[line]) == wanted


def test_a_packed_file_is_read_by_the_name_within() -> None:
    content = gzip.compress(b"one\ntwo\nthree\n")
    assert around(content, 2, "two", "job.log.gz") == [(1, "one"), (3, "three")]


def test_lines_stand_across_the_blocks_that_a_file_is_read_in() -> None:
    rows = [f"row {number:06}" for number in range(1, 500_001)]
    first_of_next = BLOCK // len("row 000001\n") + 1
    found = around("\n".join(rows).encode(), first_of_next, rows[first_of_next - 1])
    assert [line for line, _ in found] == [first_of_next + step for step in (-3, -2, -1, 1, 2, 3)]
    assert all(text == rows[line - 1] for line, text in found)


def test_nothing_is_read_behind_the_last_wanted_line() -> None:
    long, other = Counted(b"line\n" * 4_000_000), Counted(b"line\n")
    found = surroundings([InputFile("a.log", long), InputFile("b.log", other)], {("a.log", 10): "line"})
    assert len(found["a.log", 10]) == 2 * AROUND
    assert 0 < long.taken <= 2 * BLOCK
    assert other.taken == 0


def test_of_two_files_with_one_name_it_is_the_one_that_says_so() -> None:
    files = [InputFile("job.log", io.BytesIO(b"a\nb\nc\n")), InputFile("job.log", io.BytesIO(b"d\ne\nf\n"))]
    found = surroundings(files, {("job.log", 2): "e"})
    assert found == {("job.log", 2): [{"line": 1, "text": "d"}, {"line": 3, "text": "f"}]}


def test_without_the_files_no_line_has_any() -> None:
    data: Any = {"lines": [{"file": "job.log", "line": 2, "text": "two"}]}
    assert with_context(data, ())["lines"] == [{"file": "job.log", "line": 2, "text": "two", "context": []}]
